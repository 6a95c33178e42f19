// Birkhoff-von Neumann: a matrix with all row and column sums equal to L is a sum of permutations, each held
// for a time; the times sum to L (Birkhoff 1946; as a switch schedule: Chang, Chen and Huang 2000). The
// demand is stuffed to such a matrix; each permutation is held until its smallest entry is drained, so that
// there are at most as many permutations as entries. The schedule carries the whole demand, but ignores the
// cost of reconfigurations: the baseline.
#include <span>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/demand_matrix.h"

namespace hybrid {
namespace {

/// Every entry that is left may be matched.
std::int64_t any_entry(std::span<const DemandEntry> /*stuffed*/) { return 1; }

std::vector<TimedConfiguration> drain_by_birkhoff(const DemandProblem& problem) {
  return drain_by_perfect_matchings(problem, any_entry);
}

const SchedulerRegistration kBirkhoff{
    "birkhoff", "demand as a sum of permutations (Birkhoff-von Neumann), ignores the reconfiguration time",
    &DemandAlgorithm<drain_by_birkhoff>::make};

}  // namespace
}  // namespace hybrid
