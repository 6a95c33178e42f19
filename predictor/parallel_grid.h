// ParallelGrid: one EvaluationGrid for each thread, with a part of the sources. The scores do not depend on
// the number of threads.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "predictor/evaluation_grid.h"

namespace hybrid {

class ParallelGrid {
 public:
  static constexpr std::size_t kBatch = 1u << 16;

  /// As EvaluationGrid. Sends are collected in batches of `batch`. Requires: threads >= 1.
  ParallelGrid(const std::vector<std::string>& names, const std::vector<std::uint32_t>& capacities,
               const PredictorShape& shape, const DestinationNumbers& numbers, unsigned threads,
               EvaluationGrid::Clock clock = nullptr, std::size_t batch = kBatch);

  /// Adds a send. Requires: time order for each source. Throws the exceptions of EvaluationGrid::send(),
  /// possibly for an earlier send.
  void send(Connection connection, Time at, Bytes bytes, std::uint64_t site, PhaseMark phase = {});
  /// As EvaluationGrid::finish(). Call it once.
  std::vector<PredictorScore> finish(Time end);

 private:
  struct Part {
    EvaluationGrid grid;
    std::map<Port, std::vector<EvaluationGrid::Sent>> waiting;  // by source
  };
  void score_waiting();

  std::vector<Part> parts_;
  std::map<Port, std::size_t> part_of_;  // by source: round robin, in the order of their first sends
  EvaluationGrid::Clock clock_;
  std::size_t batch_, waiting_ = 0;
};

}  // namespace hybrid
