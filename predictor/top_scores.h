// TopScores: the words with the highest scores, for the linear predictor and the neural network.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hybrid {

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
