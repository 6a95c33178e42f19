// Predictor `oracle`: forecasts from the stream itself (PredictorShape::future). It is the upper bound: a
// predictor that requests ahead and is never wrong. From capacity 2 on it hits every message except the first
// one, and the first one after a flush.
#pragma once

namespace hybrid {

inline constexpr const char* kOracle = "oracle";

}  // namespace hybrid
