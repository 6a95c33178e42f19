// Random switches and fat trees for tests, and the comparison of two models of one.
#pragma once

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <vector>

#include "core/testing/random_cases.h"
#include "emulator/ticked/random_switch.h"

namespace hybrid {

/// Whether both models deliver every message at the same instants. A failure names the first difference.
inline testing::AssertionResult equal(const std::vector<Outcome>& found,
                                      const std::vector<Outcome>& expected) {
  if (found.size() != expected.size())
    return testing::AssertionFailure() << found.size() << " messages, not " << expected.size();
  for (std::size_t id = 0; id < expected.size(); ++id) {
    const Outcome &f = found[id], &e = expected[id];
    if (f != e)
      return testing::AssertionFailure()
             << "message " << id << ": injected " << f.injected.ps << ", delivered " << f.delivered.ps
             << (f.hit ? ", hit" : "") << "; expected " << e.injected.ps << ", " << e.delivered.ps
             << (e.hit ? ", hit" : "");
  }
  return testing::AssertionSuccess();
}

/// In every second switch, the buffer is that of a NIC, enlarged so that none of its queues has less than one
/// flit.
inline void share_buffer(std::uint64_t seed, SwitchParameters& p) {
  if (seed % 2 == 0 || p.buffer == kUnlimited) return;
  p.buffer_is_shared = true;
  p.input_buffer = p.buffer;
  p.buffer *= 2;
  if (!queue_sizes(p).shares_places) p.buffer *= p.nodes;
}

/// As random_parameters(), for a fat tree with at least two levels.
inline SwitchParameters random_tree_parameters(Random& random, const std::string& technique) {
  static constexpr FatTreeShape kShapes[] = {{2, 2, 2}, {2, 3, 3}, {3, 2, 2}, {2, 2, 3},
                                             {2, 3, 2}, {3, 2, 1}, {2, 4, 1}, {2, 3, 4}};
  SwitchParameters p = random_parameters(random, technique);
  p.tree = kShapes[random.below(std::size(kShapes))];
  p.nodes = FatTree(p.tree).nodes();
  static const char* const kAllocations[] = {"none", "ses", "sla", "preempt"};
  p.allocation = kAllocations[random.below(std::size(kAllocations))];
  p.slot_length += p.circuit_spread();
  if (p.wormhole_slot_length != Time{}) p.wormhole_slot_length += p.circuit_spread();
  return p;
}

}  // namespace hybrid
