// Predictor `linear`: Sakr's linear predictor (D 2.1.2): "attempts to predict the next memory access based on
// a linear combination of all the values of memory access vectors in their history".
//
// An access vector has a one at the destination of a send. The next vector is predicted as the sum of four
// matrices, each multiplied by one of the last four vectors. After every send the matrices change by half the
// error (least mean squares). A destination with a score of at least 1/8 is expected; one with a score above
// 1/2 is fed back, to predict another send.
//
// The matrices cover the last 64 destinations only (vocabulary.h), in 16-bit fixed point, so that decisions
// are the same on every machine.
//
// Weak on: a destination that depends on a combination of two previous ones (an exclusive or), which no sum
// of separate terms can represent.
//
// State: 32 KiB of weights, and a byte for each destination.
#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "predictor/forecast_predictor.h"
#include "predictor/predictor.h"
#include "predictor/vocabulary.h"

namespace hybrid {
namespace {

class Linear final : public Forecaster {
 public:
  explicit Linear(std::uint32_t destinations) : vocabulary_(destinations), weights_(kTaps * kWords) {}

  void learn(Port destination, std::uint8_t, std::uint64_t) override {
    const Vocabulary::Use use = vocabulary_.use(destination);
    if (use.is_new) forget(use.word);
    if (taps_known_ != 0) {
      const Row scores = sum(taps_);
      Row change;
      for (std::size_t i = 0; i < kWords; ++i) change[i] = static_cast<std::int16_t>(-(scores[i] / kRate));
      change[use.word] = static_cast<std::int16_t>((kOne - scores[use.word]) / kRate);
      for (std::size_t t = 0; t < taps_known_; ++t) {
        Row& row = weights_[t * kWords + taps_[t]];
        for (std::size_t i = 0; i < kWords; ++i)
          row[i] = std::clamp<std::int16_t>(static_cast<std::int16_t>(row[i] + change[i]), -kMost, kMost);
      }
    }
    push(taps_, use.word);
    taps_known_ = std::min(taps_known_ + 1, kTaps);
  }

  std::size_t expect(std::span<Expected> out) override {
    if (taps_known_ == 0) return 0;
    std::size_t count = 0;
    Taps taps = taps_;
    TopScores top = top_scores<std::int16_t>(sum(taps), kOne / 8);
    for (std::size_t i = 0; i < top.count && count < out.size(); ++i)
      out[count++] = {vocabulary_.destination(top.word[i]), confidence(top.score[i]), 1};
    for (std::uint8_t step = 2; step <= kMostSteps && count < out.size(); ++step) {
      if (top.count == 0 || top.score[0] <= kOne / 2) break;
      push(taps, top.word[0]);
      top = top_scores<std::int16_t>(sum(taps), kOne / 2);
      if (top.count != 0)
        out[count++] = {vocabulary_.destination(top.word[0]), confidence(top.score[0]), step};
    }
    return count;
  }

  void forget_position() override { taps_known_ = 0; }
  std::size_t state_bytes() const override {
    return sizeof(*this) + vocabulary_.heap_bytes() + weights_.size() * sizeof(Row);
  }

 private:
  static constexpr std::size_t kTaps = std::tuple_size_v<Taps>, kWords = Vocabulary::kWords, kMostSteps = 4;
  // kOne: a score of 1. kMost: limit of a weight, so that the sum of four fits into a score. kRate: each of
  // the four taps changes by an eighth of the error.
  static constexpr std::int16_t kOne = 4096, kMost = 8191, kRate = 8;
  using Row = std::array<std::int16_t, kWords>;

  static std::uint8_t confidence(std::int32_t score) {
    return static_cast<std::uint8_t>(std::clamp(score * 255 / kOne, 0, 255));
  }
  Row sum(const Taps& taps) const {
    Row scores{};
    for (std::size_t t = 0; t < taps_known_; ++t) {
      const Row& row = weights_[t * kWords + taps[t]];
      for (std::size_t i = 0; i < kWords; ++i) scores[i] = static_cast<std::int16_t>(scores[i] + row[i]);
    }
    return scores;
  }
  // Clears the weights of a word that now has another destination.
  void forget(std::uint8_t word) {
    for (std::size_t t = 0; t < kTaps; ++t) {
      weights_[t * kWords + word] = {};
      for (std::size_t other = 0; other < kWords; ++other) weights_[t * kWords + other][word] = 0;
    }
  }

  Vocabulary vocabulary_;
  std::vector<Row> weights_;  // [tap][word of the send]: contribution to the score of each word
  Taps taps_{};
  std::size_t taps_known_ = 0;
};

const PredictorRegistration kLinear{"linear",
                                    "expects by a learnt sum over the last four destinations (D 2.1.2)",
                                    [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
                                      return std::make_unique<ForecastPredictor>(
                                          "linear", shape, std::make_unique<Linear>(shape.destinations));
                                    },
                                    {.options = forecast_options()}};

}  // namespace
}  // namespace hybrid
