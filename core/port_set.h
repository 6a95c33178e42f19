// Sets of ports as bits in machine words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"

namespace hybrid {

using Word = std::uint64_t;
inline constexpr std::size_t kWordBits = 64;

constexpr std::size_t words_for(std::size_t ports) { return (ports + kWordBits - 1) / kWordBits; }
constexpr Word bit_of(std::size_t port) { return Word{1} << (port % kWordBits); }

/// Calls `visit(port)` for every member, ascending.
template <class Visit>
constexpr void for_each_port(std::span<const Word> words, Visit&& visit) {
  for (std::size_t w = 0; w < words.size(); ++w)
    for (Word rest = words[w]; rest != 0; rest &= rest - 1)
      visit(static_cast<std::uint32_t>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(rest))));
}

/// Set of ports 0 .. size-1. Bits from `size` on are always 0. Only construction and copying allocate.
class PortSet {
 public:
  PortSet() = default;
  explicit PortSet(std::size_t ports) : ports_(ports), words_(words_for(ports)) {}

  std::size_t size() const { return ports_; }
  bool test(std::size_t port) const { return (words_[port / kWordBits] & bit_of(port)) != 0; }
  void set(std::size_t port) { words_[port / kWordBits] |= bit_of(port); }
  void reset(std::size_t port) { words_[port / kWordBits] &= ~bit_of(port); }
  void clear() { words_.assign(words_.size(), 0); }
  bool any() const {
    for (Word w : words_)
      if (w != 0) return true;
    return false;
  }
  std::size_t count() const {
    std::size_t n = 0;
    for (Word w : words_) n += static_cast<std::size_t>(std::popcount(w));
    return n;
  }
  std::span<Word> words() { return words_; }
  std::span<const Word> words() const { return words_; }
  bool operator==(const PortSet&) const = default;

 private:
  std::size_t ports_ = 0;
  std::vector<Word> words_;
};

/// Matrix of rows x columns bits, stored row by row in words; for example a request matrix (R of D 5.3).
class BitMatrix {
 public:
  BitMatrix() = default;
  BitMatrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), stride_(words_for(columns)), words_(rows * stride_) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  bool test(std::size_t row, std::size_t column) const {
    return (words_[row * stride_ + column / kWordBits] & bit_of(column)) != 0;
  }
  void set(std::size_t row, std::size_t column) {
    words_[row * stride_ + column / kWordBits] |= bit_of(column);
  }
  void reset(std::size_t row, std::size_t column) {
    words_[row * stride_ + column / kWordBits] &= ~bit_of(column);
  }
  void clear() { words_.assign(words_.size(), 0); }
  std::span<Word> row(std::size_t r) { return {words_.data() + r * stride_, stride_}; }
  std::span<const Word> row(std::size_t r) const { return {words_.data() + r * stride_, stride_}; }
  std::size_t count() const {
    std::size_t n = 0;
    for (Word w : words_) n += static_cast<std::size_t>(std::popcount(w));
    return n;
  }
  bool operator==(const BitMatrix&) const = default;

 private:
  std::size_t rows_ = 0, columns_ = 0, stride_ = 0;
  std::vector<Word> words_;
};

// Visits sets of ports in the order of a rotating priority (D 5.3.2): first, first + 1, ..., last port, 0,
// ..., first - 1. The searches are always inlined, so that the words from `word_at` stay in registers.

/// The lowest port in word `w` of a set. Requires: bits != 0.
constexpr Port lowest_port(std::size_t w, Word bits) {
  return static_cast<Port>(w * kWordBits + static_cast<std::size_t>(std::countr_zero(bits)));
}

/// Calls `visit(port)` for every member in rotated order.
template <class Visit>
void for_each_rotated(const PortSet& set, Port first, Visit&& visit) {
  const std::span<const Word> words = set.words();
  const std::size_t start = first / kWordBits;
  const Word upper = ~Word{0} << (first % kWordBits);
  const auto visit_word = [&](std::size_t w, Word bits) {
    for (; bits != 0; bits &= bits - 1) visit(lowest_port(w, bits));
  };
  visit_word(start, words[start] & upper);
  for (std::size_t w = start + 1; w < words.size(); ++w) visit_word(w, words[w]);
  for (std::size_t w = 0; w < start; ++w) visit_word(w, words[w]);
  visit_word(start, words[start] & ~upper);
}

/// The first member, in rotated order, of a set of `words` words with `word_at(w)` as word w; or kNoPort.
template <class WordAt>
[[gnu::always_inline]] inline Port first_rotated(std::size_t words, Port first, WordAt&& word_at) {
  const std::size_t start = first / kWordBits;
  const Word upper = ~Word{0} << (first % kWordBits);
  const Word begin = word_at(start);
  if (const Word bits = begin & upper; bits != 0) return lowest_port(start, bits);
  for (std::size_t w = start + 1; w < words; ++w)
    if (const Word bits = word_at(w); bits != 0) return lowest_port(w, bits);
  for (std::size_t w = 0; w < start; ++w)
    if (const Word bits = word_at(w); bits != 0) return lowest_port(w, bits);
  if (const Word bits = begin & ~upper; bits != 0) return lowest_port(start, bits);
  return kNoPort;
}

/// The same for a set of up to 64 words. Requires: word w is 0 unless bit w of `some` is set.
template <class WordAt>
[[gnu::always_inline]] inline Port first_rotated_of(Word some, Port first, WordAt&& word_at) {
  const std::size_t start = first / kWordBits;
  const Word upper = ~Word{0} << (first % kWordBits);
  const Word begin = word_at(start);
  if (const Word bits = begin & upper; bits != 0) return lowest_port(start, bits);
  for (Word rest = std::rotr(some & ~bit_of(start), static_cast<int>(start)); rest != 0; rest &= rest - 1) {
    const std::size_t w = (start + static_cast<std::size_t>(std::countr_zero(rest))) % kWordBits;
    if (const Word bits = word_at(w); bits != 0) return lowest_port(w, bits);
  }
  if (const Word bits = begin & ~upper; bits != 0) return lowest_port(start, bits);
  return kNoPort;
}

/// The first port, in rotated order, that is in both `a` and `b`, or kNoPort. Requires: equal sizes.
inline Port first_of_both(std::span<const Word> a, std::span<const Word> b, Port first) {
  return first_rotated(a.size(), first, [&](std::size_t w) { return a[w] & b[w]; });
}

}  // namespace hybrid
