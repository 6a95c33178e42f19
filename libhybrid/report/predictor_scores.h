// Scores of predictors on the sends of a recorded job, without a network: the one evaluation of report,
// `hybrid predict` and `hybrid advise`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "libhybrid/options/job_options.h"
#include "libhybrid/report/job_emulator.h"
#include "predictor/evaluation_grid.h"

namespace hybrid {

struct PredictorScores {
  std::size_t sources = 0;             // ports with at least one send
  std::vector<PredictorScore> scores;  // summed over the sources: by predictor, then capacity, as given
};

/// Scores `predictors` ("belady" for the bound) at each of `capacities` (0: no limit), with a predictor for
/// each source port (predictor/evaluation_grid.h) and the parameters of options.network. Reads the trace
/// twice, and uses options.threads. With a clock, measures the time of each predictor. `note` may be empty.
/// Throws UserError for an unknown name or an invalid parameter, and exceptions of the trace.
PredictorScores score_predictors(const TraceOpener& open, const JobOptions& options,
                                 const std::vector<std::string>& predictors,
                                 const std::vector<std::uint32_t>& capacities, const ProgressNote& note,
                                 EvaluationGrid::Clock clock = nullptr);

}  // namespace hybrid
