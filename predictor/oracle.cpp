#include "predictor/oracle.h"

#include "core/error.h"
#include "predictor/forecast_predictor.h"

namespace hybrid {
namespace {

// Limit on the number of sends to look ahead for different destinations.
constexpr std::size_t kHorizon = 64;

class OracleForecaster final : public Forecaster {
 public:
  explicit OracleForecaster(std::span<const Port> future) : future_(future) {
    if (future.empty())
      throw UserError("predictor oracle: it needs to know all sends in advance",
                      "Use it to score a recorded job (hybrid predict), or choose another predictor.");
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
  void forget_position() override {}  // the position in the stream stays known
  std::size_t state_bytes() const override { return sizeof(*this); }

 private:
  std::span<const Port> future_;
  std::size_t position_ = 0;  // sends so far
};

const PredictorRegistration kOracleRegistration{
    kOracle, "knows the stream: the upper bound",
    [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
      return std::make_unique<ForecastPredictor>(kOracle, shape,
                                                 std::make_unique<OracleForecaster>(shape.future));
    }};

}  // namespace
}  // namespace hybrid
