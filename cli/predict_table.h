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
  std::size_t sources = 0;  // that sent anything
  std::vector<PredictorScore> scores;
};

/// A row a predictor: hit rate at each K; and at `shown`, one of the K, what the hits cost.
std::string score_table(const std::vector<PredictorScore>& scores, std::uint32_t shown);

/// A row a trace, at `shown`: Belady's bound, the best single predictor (not none, oracle, tournament), the
/// tournament, least recently used, and who is below that. "-" for what was not scored, or had no message.
std::string summary_table(const std::vector<TraceScores>& traces, std::uint32_t shown);

/// A title line, then a line for each trace, predictor and K. The same for the same input: times that are
/// measured are not in it.
std::string scores_csv(const std::vector<TraceScores>& traces);

}  // namespace hybrid
