// The last few destinations of a stream as small numbers: what a predictor with a weight for every pair of
// destinations can afford. A destination keeps its number while it is among the last kWords; then the number
// goes to another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/connection.h"
#include "predictor/recency_list.h"

namespace hybrid {

class Vocabulary {
 public:
  static constexpr std::size_t kWords = 64;
  using Word = std::uint8_t;
  static constexpr Word kNone = 0xFF;

  explicit Vocabulary(std::uint32_t destinations) : words_(destinations, kNone), recent_(kWords) {}

  struct Use {
    Word word;
    bool is_new;  // it is another destination's no longer, or was nobody's
  };
  /// A send to `destination`.
  Use use(Port destination) {
    Word& word = words_[destination];
    if (word != kNone) {
      recent_.renew(word, recent_.top());
      return {word, false};
    }
    if (recent_.size() < kWords) {
      word = static_cast<Word>(recent_.size());
    } else {
      word = static_cast<Word>(recent_.oldest());
      words_[destinations_[word]] = kNone;
      recent_.erase(word);
    }
    destinations_[word] = static_cast<std::uint16_t>(destination);
    recent_.insert(word, recent_.top());
    return {word, true};
  }
  Port destination(Word word) const { return destinations_[word]; }
  /// How many words have a destination: 0 .. size() - 1.
  std::size_t size() const { return recent_.size(); }
  /// Beside the object itself.
  std::size_t heap_bytes() const { return words_.size() + recent_.heap_bytes(); }

 private:
  std::vector<Word> words_;  // by destination
  RecencyList recent_;       // words
  std::array<std::uint16_t, kWords> destinations_{};
};

}  // namespace hybrid
