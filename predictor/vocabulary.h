// Vocabulary: numbers the last kWords destinations of a stream, for predictors with a weight for every pair
// of destinations. A destination keeps its number while it is among the last kWords; then another destination
// gets the number.
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
    bool is_new;  // the number was free, or belonged to another destination
  };
  /// The number of `destination`, which becomes the last one of the stream.
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
  /// The number of words in use: words 0 .. size() - 1 have a destination.
  std::size_t size() const { return recent_.size(); }
  /// Memory outside the object itself.
  std::size_t heap_bytes() const { return words_.size() + recent_.heap_bytes(); }

 private:
  std::vector<Word> words_;  // by destination
  RecencyList recent_;       // words
  std::array<std::uint16_t, kWords> destinations_{};
};

}  // namespace hybrid
