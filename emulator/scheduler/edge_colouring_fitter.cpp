// `edge-colouring`: a working set into slots, exactly. Without a limit, in as few slots as its maximum
// degree. With one, the connections that carry the most bytes in all are granted, the others left out: a set
// fits into k slots if and only if no port has more than k of it, so that the best such set is a b-matching,
// found exactly too. Both hold with fixed slots as well, since nothing is added to those.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/edge_colouring.h"
#include "emulator/scheduler/fixed_slots.h"
#include "emulator/scheduler/weighted_matching.h"

namespace hybrid {
namespace {

class EdgeColouring final : public SlotFitter {
 public:
  SlotFit fit(const SlotProblem& problem) override {
    FixedSlots fixed = take_fixed(problem);
    const RequestSet& set = problem.set;
    std::vector<Connection> connections;
    connections.reserve(fixed.rest.size());
    for (const std::size_t i : fixed.rest) connections.push_back(set.requests[i].connection);

    if (fixed.slots_left == 0) {
      connections.clear();
      fixed.rest.clear();
    } else if (maximum_degree(connections, set.ports) > fixed.slots_left) {
      keep_most_bytes(set, fixed, connections);
    }
    const std::vector<std::uint32_t> colours = colour_edges(connections, set.ports);
    const std::uint32_t first = fixed.fit.slots;
    for (std::size_t k = 0; k < colours.size(); ++k) fixed.fit.slot_of[fixed.rest[k]] = first + colours[k];
    fixed.fit.slots = first + maximum_degree(connections, set.ports);
    return std::move(fixed.fit);
  }

 private:
  static void keep_most_bytes(const RequestSet& set, FixedSlots& fixed,
                              std::vector<Connection>& connections) {
    WeightedMatching matching(connections, set.ports, fixed.slots_left);
    const auto most = static_cast<Bytes>(matching.largest_weight());
    std::vector<std::int64_t> weights;
    weights.reserve(connections.size());
    for (const std::size_t i : fixed.rest)  // none is known, or all are (count_unknown_as_one_byte)
      weights.push_back(static_cast<std::int64_t>(std::clamp<Bytes>(set.requests[i].bytes, 1, most)));
    matching.solve(weights);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < connections.size(); ++k)
      if (matching.chosen(k)) {
        connections[kept] = connections[k];
        fixed.rest[kept++] = fixed.rest[k];
      }
    connections.resize(kept);
    fixed.rest.resize(kept);
  }
};

class EdgeColouringAlgorithm final : public SchedulingAlgorithm {
 public:
  std::unique_ptr<SlotFitter> slot_fitter() const override { return std::make_unique<EdgeColouring>(); }
};

const SchedulerRegistration kEdgeColouring{
    "edge-colouring", "the fewest slots, or with a fixed K the most bytes served; exact (Konig)",
    []() -> std::unique_ptr<SchedulingAlgorithm> { return std::make_unique<EdgeColouringAlgorithm>(); }};

}  // namespace
}  // namespace hybrid
