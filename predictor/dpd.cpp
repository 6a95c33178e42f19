// Predictor `dpd`: periodicity detection. It expects the smallest period of the last destinations to
// continue.
//
// For every period m up to 256 it counts the consecutive sends that equal the send m sends earlier. A period
// is detected when the count is at least m (the whole sequence occurred twice) and at least kLeastRun. It
// stays detected until a send differs.
//
// Weak on: a stray send within every two periods, and periods above 256.
//
// State: 1.5 KiB. Every send costs one comparison for each period, with vector instructions.
#include <algorithm>
#include <array>
#include <cstdint>

#include "predictor/forecast_predictor.h"
#include "predictor/predictor.h"

namespace hybrid {
namespace {

class PeriodDetector final : public Forecaster {
 public:
  PeriodDetector() { log_.fill(kNowhere); }

  void learn(Port destination, std::uint8_t, std::uint64_t) override {
    const auto d = static_cast<std::uint16_t>(destination);
    // The previous sends, oldest first: the one m sends earlier is at kMost - m.
    const std::uint16_t* const before = log_.data() + next_;
    std::uint16_t detected = 0;
    for (std::size_t i = 0; i < kMost; ++i) {
      const std::uint16_t longer = std::min<std::uint16_t>(run_[i] + 1, kMost);
      run_[i] = before[i] == d ? longer : std::uint16_t{0};
      detected |= static_cast<std::uint16_t>(run_[i] >= kNeeded[i]);
    }
    log_[next_] = log_[next_ + kMost] = d;
    next_ = (next_ + 1) % kMost;
    if (period_ != 0 && run_[kMost - period_] != 0) return;
    period_ = 0;
    if (detected == 0) return;
    for (std::size_t m = 1; period_ == 0; ++m)
      if (run_[kMost - m] >= kNeeded[kMost - m]) period_ = m;
  }

  std::size_t expect(std::span<Expected> out) override {
    if (period_ == 0) return 0;
    const std::uint16_t* const last = log_.data() + next_ + kMost - period_;  // period
    const auto confidence = static_cast<std::uint8_t>(std::min(255, 127 + run_[kMost - period_]));
    const std::size_t count = std::min(out.size(), period_);
    for (std::size_t i = 0; i < count; ++i) out[i] = {last[i], confidence, static_cast<std::uint8_t>(i + 1)};
    return count;
  }

  void forget_position() override {
    log_.fill(kNowhere);
    run_.fill(0);
    period_ = 0;
  }
  std::size_t state_bytes() const override { return sizeof(*this); }

 private:
  static constexpr std::size_t kMost = 256;
  static constexpr std::uint16_t kLeastRun = 3;
  static constexpr std::uint16_t kNowhere = 0xFFFF;
  using Counts = std::array<std::uint16_t, kMost>;

  static constexpr Counts kNeeded = [] {
    Counts needed{};
    for (std::size_t i = 0; i < kMost; ++i)
      needed[i] = std::max(kLeastRun, static_cast<std::uint16_t>(kMost - i));
    return needed;
  }();

  std::array<std::uint16_t, 2 * kMost> log_;  // a ring buffer, stored twice: contiguous from next_ on
  Counts run_{};                              // the count of period m is at kMost - m
  std::size_t next_ = 0;
  std::size_t period_ = 0;  // 0: none
};

const PredictorRegistration kDpd{"dpd",
                                 "expects the smallest period of the last destinations to continue",
                                 [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
                                   return std::make_unique<ForecastPredictor>(
                                       "dpd", shape, std::make_unique<PeriodDetector>());
                                 },
                                 {.options = forecast_options()}};

}  // namespace
}  // namespace hybrid
