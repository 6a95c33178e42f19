// ForecastPredictor: requests the destinations that a forecaster expects, ahead of their sends.
//
// After a send it holds the destination itself (its message needs the connection now), up to `ahead` expected
// destinations, and those that were used or expected within the last `threshold` sends (the counter of
// D 5.2.2), so that a change in the program's behaviour releases nothing at once. With capacity c at most c -
// 1 destinations are requested ahead.
//
// State: 6 bytes for each destination, plus the state of the forecaster.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "core/registry.h"
#include "predictor/forecaster.h"
#include "predictor/holdings.h"
#include "predictor/predictor.h"

namespace hybrid {

/// The options that a ForecastPredictor uses, for its registration.
inline OptionNames forecast_options() {
  return {"predictor-threshold", "predictor-ahead", "predictor-confidence"};
}

class ForecastPredictor final : public Predictor {
 public:
  /// Throws UserError, with `name` as the name of the predictor, for an invalid shape.
  ForecastPredictor(std::string_view name, const PredictorShape& shape,
                    std::unique_ptr<Forecaster> forecaster);

  Decisions on_send(Time now, Port destination, Bytes bytes, std::uint64_t site) override;
  void on_flush() override;
  bool holds(Port destination) const override { return held_.holds(destination); }
  std::size_t expect(std::span<Expectation> out) const override;
  std::size_t state_bytes() const override;

 private:
  static constexpr std::size_t kSizes = 256;

  PlannedHoldings held_;
  std::unique_ptr<Forecaster> forecaster_;
  std::uint8_t least_confidence_;
  // Length of a forecast: one more than can be requested, because the destination itself may be in it.
  std::uint8_t forecast_length_, expected_count_ = 0;
  std::array<Expected, PredictorShape::kMostAhead + 1> expected_{};
  // The last size class, by the lowest eight bits of the destination.
  std::array<std::uint8_t, kSizes> sizes_{};
  Time last_send_ = Time::never(), gap_{};  // time of the last send; mean time between sends
};

}  // namespace hybrid
