#include "predictor/reference_predictors.h"

#include "core/error.h"
#include "predictor/forecast_predictor.h"
#include "predictor/holdings.h"
#include "predictor/predictor.h"

namespace hybrid {

namespace {

// Requests nothing: a switch without circuit requests.
class None final : public Predictor {
 public:
  Decisions on_send(Time, Port, Bytes, std::uint64_t) override { return {}; }
  void on_flush() override {}
  bool holds(Port) const override { return false; }
  std::size_t state_bytes() const override { return sizeof(*this); }
};

const PredictorRegistration kNone{
    "none", "requests nothing",
    [](const PredictorShape&) -> std::unique_ptr<Predictor> { return std::make_unique<None>(); }};

// Least recently used: holds the last `capacity` destinations. It requests nothing ahead,
// and releases a destination only when its place is needed. Not part of the dissertation: a baseline that
// every predictor should reach.
class Lru final : public Predictor {
 public:
  explicit Lru(const PredictorShape& shape) : held_(shape.destinations), capacity_(most_held(shape)) {}

  Decisions on_send(Time, Port destination, Bytes, std::uint64_t) override {
    if (held_.contains(destination)) {
      held_.renew(destination, held_.top());
      return {};
    }
    std::size_t released = 0;
    if (held_.size() == capacity_) {
      released_ = held_.oldest();
      held_.erase(released_);
      released = 1;
    }
    held_.insert(destination, held_.top());
    requested_ = destination;
    return {{&released_, released}, {&requested_, 1}};
  }

  void on_flush() override { held_.clear(); }
  bool holds(Port destination) const override { return held_.contains(destination); }
  std::size_t state_bytes() const override { return sizeof(*this) + held_.heap_bytes(); }

 private:
  RecencyList held_;
  std::uint32_t capacity_;
  Port requested_ = kNoPort, released_ = kNoPort;
};

const PredictorRegistration kLru{
    "lru", "holds the last used destinations until their places are needed",
    [](const PredictorShape& shape) -> std::unique_ptr<Predictor> { return std::make_unique<Lru>(shape); }};

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
    kOracle,
    "knows the stream: the upper bound",
    [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
      return std::make_unique<ForecastPredictor>(kOracle, shape,
                                                 std::make_unique<OracleForecaster>(shape.future));
    },
    {.options = forecast_options()}};

}  // namespace

}  // namespace hybrid
