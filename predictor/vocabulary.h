// Shared by the predictors that learn weights, linear and tdnn: Vocabulary and TopScores.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "predictor/holdings.h"

namespace hybrid {

/// Vocabulary: numbers the last kWords destinations of a stream, for predictors with a weight for every pair
/// of destinations. A destination keeps its number while it is among the last kWords; then another
/// destination gets the number.
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

//// The last four words of a stream, latest first.
using Taps = std::array<Vocabulary::Word, 4>;
inline void push(Taps& taps, Vocabulary::Word word) {
  std::copy_backward(taps.begin(), taps.end() - 1, taps.end());
  taps[0] = word;
}

/// The words with the highest scores, for the linear predictor and the neural network.
struct TopScores {
  static constexpr std::size_t kMost = 3;
  std::array<std::uint8_t, kMost> word{};
  std::array<std::int32_t, kMost> score{};  // descending
  std::size_t count = 0;
};

/// The highest scores that are at least `least`; of equal ones the lower word first.
template <class Score>
TopScores top_scores(std::span<const Score> scores, Score least) {
  TopScores top;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] < least) continue;
    if (top.count == TopScores::kMost && scores[i] <= top.score.back()) continue;
    std::size_t at = std::min(top.count, TopScores::kMost - 1);
    for (; at > 0 && top.score[at - 1] < scores[i]; --at) {
      top.score[at] = top.score[at - 1];
      top.word[at] = top.word[at - 1];
    }
    top.score[at] = scores[i];
    top.word[at] = static_cast<std::uint8_t>(i);
    top.count = std::min(top.count + 1, TopScores::kMost);
  }
  return top;
}

}  // namespace hybrid
