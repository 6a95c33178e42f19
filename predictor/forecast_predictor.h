// A predictor that requests ahead what a forecaster expects.
//
// After a send it holds the destination itself (the message needs its connection now), up to `ahead` of those
// expected, and what was used or expected within the last `threshold` sends (the counter of D 5.2.2), so that
// a program that leaves the habit loses nothing at once. With capacity c it looks at most c - 1 destinations
// ahead.
//
// State: 6 bytes a destination, and the forecaster's.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "predictor/forecaster.h"
#include "predictor/planned_holdings.h"
#include "predictor/predictor.h"

namespace hybrid {

class ForecastPredictor final : public Predictor {
 public:
  /// Throws UserError, naming `name`, for an impossible shape.
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
  // How many are asked for: one more than there is room for, as the destination itself may be among them.
  std::uint8_t asked_, expected_count_ = 0;
  std::array<Expected, PlannedHoldings::kMostAhead + 1> expected_{};
  // The last size class by the last eight bits of the destination: shared beyond 256 destinations.
  std::array<std::uint8_t, kSizes> sizes_{};
  Time last_send_ = Time::never(), gap_{};  // when the last send was; between sends, on the average
};

}  // namespace hybrid
