#include "libhybrid/report/predictor_scores.h"

#include <algorithm>
#include <set>

#include "core/parallel.h"
#include "emulator/predictor_shape.h"

namespace hybrid {

PredictorScores score_predictors(const TraceOpener& open, const JobOptions& options,
                                 const std::vector<std::string>& predictors,
                                 const std::vector<std::uint32_t>& capacities, const ProgressNote& note,
                                 EvaluationGrid::Clock clock) {
  constexpr std::uint64_t kNoteEvery = 4096;
  std::uint64_t done = 0;
  const auto progress = [&](std::string_view what) {
    if (note && done++ % kNoteEvery == 0) note(what, done - 1);
  };
  DestinationNumbers numbers;
  std::set<Port> sources;
  Time end{};
  auto trace = open();
  for_each_sent(*trace, options.replay, [&](const SentMessage& message) {
    progress("finding the destinations");
    numbers.add({message.source, message.destination});
    sources.insert(message.source);
    end = std::max(end, message.at);
  });
  numbers.order_by_port();
  done = 0;
  trace = open();
  ParallelGrid grid(predictors, capacities, predictor_shape(options.network), numbers,
                    options.threads == 0 ? processors() : options.threads, clock);
  for_each_sent(*trace, options.replay, [&](const SentMessage& message) {
    progress("scoring predictors");
    grid.send({message.source, message.destination}, message.at, message.bytes, message.site,
              phase_of(message, options.replay));
  });
  return {sources.size(), grid.finish(end)};
}

}  // namespace hybrid
