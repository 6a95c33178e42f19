// Reference predictors for comparison: `none` requests nothing; `lru`, least recently used, is a baseline
// that every predictor should reach; `oracle` is the upper bound.
#pragma once

namespace hybrid {

/// Forecasts from the stream itself (PredictorShape::future): a predictor that requests ahead and is never
/// wrong. From capacity 2 on it hits every message except the first one, and the first one after a flush.
inline constexpr const char* kOracle = "oracle";

}  // namespace hybrid
