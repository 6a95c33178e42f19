// For tests: random small fat trees with random traffic.
#pragma once

#include <iterator>
#include <string>

#include "emulator/switching/random_switch_for_test.h"

namespace hybrid {

/// As random_parameters, but on a tree of at least two levels.
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
