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
  DestinationNumbers numbers;
  std::set<Port> sources;
  Time end{};
  CountedTrace destinations(open(), "finding the destinations", note);
  for_each_sent(destinations, options.replay, [&](const SentMessage& message) {
    numbers.add({message.source, message.destination});
    sources.insert(message.source);
    end = std::max(end, message.at);
  });
  numbers.order_by_port();
  CountedTrace trace(open(), "scoring predictors", note);
  ParallelGrid grid(predictors, capacities, predictor_shape(options.network), numbers,
                    options.threads == 0 ? processors() : options.threads, clock);
  for_each_sent(trace, options.replay, [&](const SentMessage& message) {
    grid.send({message.source, message.destination}, message.at, message.bytes, message.site,
              phase_of(message, options.replay));
  });
  return {sources.size(), grid.finish(end)};
}

}  // namespace hybrid
