#include "predictor/forecast_predictor.h"

#include <bit>
#include <string>
#include <utility>

#include "core/error.h"

namespace hybrid {

namespace {

std::uint8_t checked_ahead(std::string_view name, const PredictorShape& shape) {
  if (shape.ahead < 1 || shape.ahead > PredictorShape::kMostAhead)
    throw UserError("predictor " + std::string(name) + ": " + std::to_string(shape.ahead) +
                        " destinations ahead are not possible",
                    "Give 1 to " + std::to_string(PredictorShape::kMostAhead) + ".");
  return static_cast<std::uint8_t>(shape.ahead);
}

}  // namespace

ForecastPredictor::ForecastPredictor(std::string_view name, const PredictorShape& shape,
                                     std::unique_ptr<Forecaster> forecaster)
    : held_(name, shape, checked_ahead(name, shape)),
      forecaster_(std::move(forecaster)),
      least_confidence_(shape.least_confidence),
      forecast_length_(static_cast<std::uint8_t>(held_.most_ahead() + 1)) {}

Predictor::Decisions ForecastPredictor::on_send(Time now, Port destination, Bytes bytes, std::uint64_t site) {
  const auto size_class = static_cast<std::uint8_t>(std::bit_width(bytes));
  sizes_[destination % kSizes] = size_class;
  if (last_send_ != Time::never()) gap_ += picoseconds((now - last_send_ - gap_).ps / 8);
  last_send_ = now;

  forecaster_->learn(destination, size_class, site);
  held_.begin(destination);
  expected_count_ = static_cast<std::uint8_t>(forecaster_->expect({expected_.data(), forecast_length_}));
  for (std::size_t i = 0; i < expected_count_ && !held_.is_full(); ++i)
    if (expected_[i].confidence >= least_confidence_) held_.add(expected_[i].destination);
  return held_.commit();
}

void ForecastPredictor::on_flush() {
  held_.clear();
  forecaster_->forget_position();
  expected_count_ = 0;
}

std::size_t ForecastPredictor::expect(std::span<Expectation> out) const {
  const std::size_t count = std::min<std::size_t>(out.size(), expected_count_);
  for (std::size_t i = 0; i < count; ++i) {
    const Expected& e = expected_[i];
    out[i] = {e.destination, e.confidence, e.sends, sizes_[e.destination % kSizes],
              last_send_ + gap_ * e.sends};
  }
  return count;
}

std::size_t ForecastPredictor::state_bytes() const {
  return sizeof(*this) + held_.heap_bytes() + forecaster_->state_bytes();
}

}  // namespace hybrid
