// The scores of predictors on several traces, as tables and as CSV.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "predictor/evaluation.h"

namespace hybrid {

struct TraceScores {
  std::string trace;
  std::size_t sources = 0;  // with at least one send
  std::vector<PredictorScore> scores;
};

/// One row for each predictor: the hit rate at each number of slots, and what the hits cost with `shown`
/// slots.
std::string score_table(const std::vector<PredictorScore>& scores, std::uint32_t shown);

/// One row for each trace, with `shown` slots: Belady's bound, the best single predictor (not none, oracle,
/// tournament), the tournament, least recently used, and the predictors below that. "-" for a value without
/// score or messages.
std::string summary_table(const std::vector<TraceScores>& traces, std::uint32_t shown);

/// A header line, then a line for each trace, predictor and number of slots. Without measured times, so that
/// equal input gives equal text.
std::string scores_csv(const std::vector<TraceScores>& traces);

}  // namespace hybrid
