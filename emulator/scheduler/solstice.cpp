// Solstice (Liu et al., "Scheduling techniques for hybrid circuit/packet networks", CoNEXT 2015). The demand
// is stuffed to equal row and column sums. The threshold begins at the largest power of two in the matrix.
// While there are perfect matchings with all entries at or above the threshold, they are taken (BigSlice) and
// held for their smallest entry; then the threshold is halved. So the long configurations come first, and the
// packet network carries the rest of all of them.
//
// Differences to the paper: connections without demand (from stuffing) are left out of the configurations,
// and a configuration ends when the last of its real demand is drained.
#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/demand_matrix.h"

namespace hybrid {
namespace {

std::int64_t largest_power_of_two(std::span<const DemandEntry> stuffed) {
  std::int64_t largest = 1;
  for (const DemandEntry& e : stuffed) largest = std::max(largest, e.stuffed);
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(largest)));
}

std::vector<TimedConfiguration> drain_by_solstice(const DemandProblem& problem) {
  return drain_by_perfect_matchings(problem, largest_power_of_two);
}

const SchedulerRegistration kSolstice{
    "solstice", "demand in long configurations first, by halving thresholds (Liu et al. 2015)",
    &DemandAlgorithm<drain_by_solstice>::make};

}  // namespace
}  // namespace hybrid
