// Solstice (Liu et al., "Scheduling techniques for hybrid circuit/packet networks", CoNEXT 2015): the demand
// is stuffed to equal row and column sums; then, with a threshold that begins at the largest power of two in
// the matrix, perfect matchings whose entries all reach the threshold are taken while there are any
// (BigSlice) and held for their smallest entry; then the threshold is halved. So the long configurations come
// first and the packet network carries what is left of all of them.
//
// Beside the paper: connections without demand of their own (stuffing) are left out of the configurations,
// and a configuration ends when the last of its real demand is drained.
#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/demand_matrix.h"

namespace hybrid {
namespace {

class Solstice final : public DemandScheduler {
 public:
  std::vector<TimedConfiguration> drain(const DemandProblem& problem) override {
    check(problem);
    std::vector<DemandEntry> entries = demand_entries(problem);
    DrainBuilder schedule(problem, entries);
    stuff(entries, problem.set.ports);
    std::int64_t largest = 1;
    for (const DemandEntry& e : entries) largest = std::max(largest, e.stuffed);
    auto threshold = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(largest)));

    KeptMatching matching(entries, problem.set.ports);
    while (!schedule.done() && threshold > 0) {
      if (!matching.complete(threshold)) {
        threshold /= 2;
        continue;
      }
      schedule.hold_for_least(matching.members());
    }
    return schedule.take();
  }
};

class SolsticeAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<DemandScheduler> demand() const override { return std::make_unique<Solstice>(); }
};

const SchedulerRegistration kSolstice{
    "solstice", "demand in long configurations first, by halving thresholds (Liu et al. 2015)",
    []() -> std::unique_ptr<SchedulingAlgorithm> { return std::make_unique<SolsticeAlgorithm>(); }};

}  // namespace
}  // namespace hybrid
