#include "predictor/oracle.h"

#include "core/error.h"
#include "predictor/forecast_predictor.h"

namespace hybrid {
namespace {

// The next destination that differs may be far: it looks this many sends ahead.
constexpr std::size_t kHorizon = 64;

class Foreknowledge final : public Forecaster {
 public:
  explicit Foreknowledge(std::span<const Port> future) : future_(future) {
    if (future.empty())
      throw UserError("predictor oracle: it needs to know all sends beforehand",
                      "Use it where a recorded job is scored (hybrid predict), or choose another.");
  }

  void learn(Port, std::uint8_t, std::uint64_t) override { ++position_; }
  std::size_t expect(std::span<Expected> out) override {
    std::size_t count = 0;
    for (std::size_t i = 0; i < kHorizon && position_ + i < future_.size() && count < out.size(); ++i) {
      const Port d = future_[position_ + i];
      if (i != 0 && d == future_[position_ + i - 1]) continue;
      out[count++] = {d, 255, static_cast<std::uint8_t>(i + 1)};
    }
    return count;
  }
  void forget_position() override {}  // the stream goes on
  std::size_t state_bytes() const override { return sizeof(*this); }

 private:
  std::span<const Port> future_;
  std::size_t position_ = 0;  // sends so far
};

const PredictorRegistration kRegistered{kOracle, "knows the stream: the upper end of the scale",
                                        [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
                                          return std::make_unique<ForecastPredictor>(
                                              kOracle, shape, std::make_unique<Foreknowledge>(shape.future));
                                        }};

}  // namespace
}  // namespace hybrid
