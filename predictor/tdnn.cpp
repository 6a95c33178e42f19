// Predictor `tdnn`: Sakr's time delay neural network (D 2.1.2): "uses tapped delay lines to learn an access
// pattern. In this way, a particular output pattern can be recognized if it has been seen before".
//
// The last four destinations, as access vectors, are the input of 16 hidden units. Each destination has an
// output: the probability that it is the next one. After every send all weights change along the gradient of
// the squared error. The activation of a hidden unit is its input, limited to -1 .. 1. The expected
// destinations follow from the outputs as in the linear predictor. In contrast to that, this one can learn a
// combination of two destinations.
//
// Fixed-point arithmetic, and initial weights from PredictorShape::seed only: the same decisions on every
// machine.
//
// Weak on: more destinations than this number of units can distinguish; in a round over sixty it misses a
// third.
//
// State: 20 KiB of weights, and a byte for each destination.
#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "predictor/forecast_predictor.h"
#include "predictor/predictor.h"
#include "predictor/vocabulary.h"

namespace hybrid {
namespace {

class Tdnn final : public Forecaster {
 public:
  Tdnn(std::uint32_t destinations, std::uint64_t seed)
      : vocabulary_(destinations), input_(kTaps * kWords), output_(kWords) {
    Random random(seed);
    const auto draw = [&random](std::int32_t most) {
      return static_cast<std::int32_t>(random.below(2 * static_cast<std::uint64_t>(most) + 1)) - most;
    };
    for (Units& row : input_)
      for (std::int32_t& weight : row) weight = draw(kOne / 2);
    for (Units& row : output_)
      for (std::int32_t& weight : row) weight = draw(kOne / 8);
  }

  void learn(Port destination, std::uint8_t, std::uint64_t) override {
    const Vocabulary::Use use = vocabulary_.use(destination);
    if (use.is_new) output_[use.word] = {};  // a new destination is improbable at first
    if (taps_known_ == kTaps) train(use.word);
    push(taps_, use.word);
    taps_known_ = std::min(taps_known_ + 1, kTaps);
  }

  std::size_t expect(std::span<Expected> out) override {
    if (taps_known_ < kTaps) return 0;
    std::size_t count = 0;
    Taps taps = taps_;
    TopScores top = top_of(taps, kOne / 8);
    for (std::size_t i = 0; i < top.count && count < out.size(); ++i)
      out[count++] = {vocabulary_.destination(top.word[i]), confidence(top.score[i]), 1};
    for (std::uint8_t step = 2; step <= kMostSteps && count < out.size(); ++step) {
      if (top.count == 0 || top.score[0] <= kOne / 2) break;
      push(taps, top.word[0]);
      top = top_of(taps, kOne / 2);
      if (top.count != 0)
        out[count++] = {vocabulary_.destination(top.word[0]), confidence(top.score[0]), step};
    }
    return count;
  }

  void forget_position() override { taps_known_ = 0; }
  std::size_t state_bytes() const override {
    return sizeof(*this) + vocabulary_.heap_bytes() + (input_.size() + output_.size()) * sizeof(Units);
  }

 private:
  static constexpr std::size_t kTaps = std::tuple_size_v<Taps>, kUnits = 16, kWords = Vocabulary::kWords,
                               kMostSteps = 3;
  // Weights, scores and errors have 16 fractional bits, activations of hidden units kActivationBits. Weights
  // are limited to 4: the sum of 16 products with activations fits into 31 bits.
  static constexpr std::int32_t kOne = 1 << 16, kMostWeight = 4 * kOne;
  static constexpr int kActivationBits = 8;
  static constexpr int kRate = 4;  // 1/16
  using Units = std::array<std::int32_t, kUnits>;

  static std::uint8_t confidence(std::int32_t score) {
    return static_cast<std::uint8_t>(std::clamp(score / 257, 0, 255));
  }
  static void change(std::int32_t& weight, std::int32_t by) {
    weight = std::clamp(weight + by, -kMostWeight, kMostWeight);
  }

  Units inputs(const Taps& taps) const {
    Units units{};
    for (std::size_t t = 0; t < kTaps; ++t)
      for (std::size_t h = 0; h < kUnits; ++h) units[h] += input_[t * kWords + taps[t]][h];
    return units;
  }
  static Units activations(const Units& inputs) {
    Units activations;
    for (std::size_t h = 0; h < kUnits; ++h)
      activations[h] = std::clamp(inputs[h], -kOne, kOne) >> (16 - kActivationBits);
    return activations;
  }
  std::int32_t score(const Units& activations, std::size_t word) const {
    std::int32_t sum = 0;
    for (std::size_t h = 0; h < kUnits; ++h) sum += output_[word][h] * activations[h];
    return sum >> kActivationBits;
  }
  TopScores top_of(const Taps& taps, std::int32_t least) const {
    const Units hidden = activations(inputs(taps));
    std::array<std::int32_t, kWords> scores;
    for (std::size_t word = 0; word < vocabulary_.size(); ++word) scores[word] = score(hidden, word);
    return top_scores<std::int32_t>({scores.data(), vocabulary_.size()}, least);
  }

  // Adapts the weights: the next send was to `actual`.
  void train(std::uint8_t actual) {
    const Units in = inputs(taps_);
    const Units hidden = activations(in);
    Units blame{};  // error of each hidden unit, 18 fractional bits
    for (std::size_t word = 0; word < vocabulary_.size(); ++word) {
      const std::int32_t error =
          std::clamp((word == actual ? kOne : 0) - score(hidden, word), -2 * kOne, 2 * kOne);
      if (error < kOne / 64 && error > -kOne / 64) continue;
      const std::int32_t coarse = error >> 8;
      for (std::size_t h = 0; h < kUnits; ++h) {
        std::int32_t& weight = output_[word][h];
        blame[h] += coarse * (weight >> 6);
        change(weight, (error >> kRate) * hidden[h] >> kActivationBits);
      }
    }
    for (std::size_t h = 0; h < kUnits; ++h) {
      if (in[h] <= -kOne || in[h] >= kOne) continue;  // at the limit: its activation would not change
      const std::int32_t by = blame[h] >> (2 + kRate);
      for (std::size_t t = 0; t < kTaps; ++t) change(input_[t * kWords + taps_[t]][h], by);
    }
  }

  Vocabulary vocabulary_;
  std::vector<Units> input_;   // [tap][word]: contribution to each hidden unit
  std::vector<Units> output_;  // [word]: contribution of each hidden unit to the score
  Taps taps_{};
  std::size_t taps_known_ = 0;
};

const PredictorRegistration kTdnn{"tdnn",
                                  "a time delay neural network over the last four destinations (D 2.1.2)",
                                  [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
                                    return std::make_unique<ForecastPredictor>(
                                        "tdnn", shape,
                                        std::make_unique<Tdnn>(shape.destinations, shape.seed));
                                  },
                                  {.options = forecast_options()}};

}  // namespace
}  // namespace hybrid
