// The oracle: forecasts from the stream itself, which it is given (PredictorShape::future). The upper end of
// the scale: what a predictor that requests ahead would reach if it were never wrong. From capacity 2 on it
// hits every message but the first, and the first after a flush.
#pragma once

namespace hybrid {

inline constexpr const char* kOracle = "oracle";

}  // namespace hybrid
