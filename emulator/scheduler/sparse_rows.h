// Rows of a bit matrix of which most words are 0: of each row only the words that are not 0, stored
// contiguously. Long rows of few edges then fit into the first-level cache, and a traversal visits only words
// with edges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/port_set.h"
#include "core/zeroed_array.h"

namespace hybrid {

class SparseRows {
 public:
  struct RowWord {
    std::uint32_t index;
    Word bits;
  };

  /// N rows of N bits; all are absent.
  explicit SparseRows(std::uint32_t ports)
      : words_(words_for(ports) * std::size_t{ports} + 1), rows_(ports) {}

  /// Removes all rows.
  void clear() {
    end_ = 0;
    std::fill(rows_.begin(), rows_.end(), Row{});
  }
  bool has(Port input) const { return rows_[input].begin != kAbsent; }

  /// Adds the row of `input`, which must be absent: word w is `masked(w, words[w])`, which must be 0 if
  /// words[w] is 0.
  template <class Masked>
  void add_row(Port input, std::span<const Word> words, Masked&& masked) {
    RowWord* next = begin_row(input);
    // No branch: which words are 0 is unpredictable.
    for (std::size_t w = 0; w < words.size(); ++w) next = append(next, w, masked(w, words[w]));
    end_row(input, next);
  }
  /// The same; `occupied` is the set of the words that are not 0.
  template <class Masked>
  void add_row(Port input, std::span<const Word> words, std::span<const Word> occupied, Masked&& masked) {
    RowWord* next = begin_row(input);
    for_each_port(occupied, [&](std::uint32_t w) { next = append(next, w, masked(w, words[w])); });
    end_row(input, next);
  }

  /// The words of a row that is present.
  std::span<const RowWord> row(Port input) const {
    return {&words_[rows_[input].begin], rows_[input].end - rows_[input].begin};
  }

 private:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
  struct Row {
    std::uint32_t begin = kAbsent, end = kAbsent;
  };

  static RowWord* append(RowWord* next, std::size_t index, Word bits) {
    *next = {static_cast<std::uint32_t>(index), bits};
    return next + (bits != 0 ? 1 : 0);
  }
  RowWord* begin_row(Port input) {
    rows_[input].begin = end_;
    return &words_[end_];
  }
  void end_row(Port input, const RowWord* next) {
    rows_[input].end = end_ = static_cast<std::uint32_t>(next - &words_[0]);
  }

  ZeroedArray<RowWord> words_;  // with one additional word, which append() may write
  std::vector<Row> rows_;
  std::uint32_t end_ = 0;
};

}  // namespace hybrid
