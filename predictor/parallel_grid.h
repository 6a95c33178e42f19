// An EvaluationGrid a thread, each with a part of the sources: the same scores with any number of threads.
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

  /// As EvaluationGrid. `threads` >= 1; sends are kept until there are `batch` of them.
  ParallelGrid(const std::vector<std::string>& names, const std::vector<std::uint32_t>& capacities,
               const PredictorShape& shape, const DestinationNumbers& numbers, unsigned threads,
               EvaluationGrid::Clock clock = nullptr, std::size_t batch = kBatch);

  /// In time order for each source. Throws what scoring throws, for this send or an earlier one.
  void send(Connection connection, Time at, Bytes bytes, std::uint64_t site, PhaseMark phase = {});
  /// Once.
  std::vector<PredictorScore> finish(Time end);

 private:
  struct Part {
    EvaluationGrid grid;
    std::map<Port, std::vector<EvaluationGrid::Sent>> waiting;  // by source
  };
  void score_waiting();

  std::vector<Part> parts_;
  std::map<Port, std::size_t> part_of_;  // of a source: in turn, as they appear
  EvaluationGrid::Clock clock_;
  std::size_t batch_, waiting_ = 0;
};

}  // namespace hybrid
