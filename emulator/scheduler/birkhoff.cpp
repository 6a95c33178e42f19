// Birkhoff-von Neumann: a matrix whose rows and columns all have the sum L is a sum of permutations, held for
// times that sum to L (Birkhoff 1946; as a switch schedule: Chang, Chen and Huang 2000). The demand is
// stuffed to such a matrix; each permutation is held until its smallest entry is drained, so that there are
// no more of them than entries. It carries without loss but heeds no reconfiguration cost: the baseline.
#include <algorithm>
#include <memory>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/demand_matrix.h"

namespace hybrid {
namespace {

class Birkhoff final : public DemandScheduler {
 public:
  std::vector<TimedConfiguration> drain(const DemandProblem& problem) override {
    check(problem);
    std::vector<DemandEntry> entries = demand_entries(problem);
    DrainBuilder schedule(problem, entries);
    stuff(entries, problem.set.ports);
    KeptMatching matching(entries, problem.set.ports);
    while (!schedule.done() && matching.complete(1)) {
      schedule.hold_for_least(matching.members());
    }
    return schedule.take();
  }
};

class BirkhoffAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<DemandScheduler> demand() const override { return std::make_unique<Birkhoff>(); }
};

const SchedulerRegistration kBirkhoff{
    "birkhoff", "demand as a sum of permutations (Birkhoff-von Neumann), whatever reconfiguring costs",
    []() -> std::unique_ptr<SchedulingAlgorithm> { return std::make_unique<BirkhoffAlgorithm>(); }};

}  // namespace
}  // namespace hybrid
