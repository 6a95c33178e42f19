// Test helper: checks delivery cycles by the definition of the routing problem (I 4.1), independently of
// their computation.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "emulator/scheduler/delivery_cycles.h"
#include "emulator/topology/binary_fat_tree.h"

namespace hybrid {

/// Fails unless each message is delivered in one cycle, no cycle is empty, and in no cycle a channel carries
/// more messages in one direction than it has paths.
inline void expect_delivered(const BinaryFatTree& tree, std::span<const Connection> messages,
                             const DeliveryCycles& delivered) {
  ASSERT_EQ(delivered.cycle_of.size(), messages.size());
  enum class Direction { up, down };
  std::map<std::tuple<std::uint32_t, Direction, std::uint32_t, Port>, std::uint32_t> load;
  std::set<std::uint32_t> used;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::uint32_t cycle = delivered.cycle_of[i];
    ASSERT_LT(cycle, delivered.cycles) << "message " << i;
    used.insert(cycle);
    const auto [source, destination] = messages[i];
    for (std::uint32_t h = 0; source >> h != destination >> h; ++h) {
      ++load[{cycle, Direction::up, h, source >> h}];
      ++load[{cycle, Direction::down, h, destination >> h}];
    }
  }
  EXPECT_EQ(used.size(), delivered.cycles) << "an empty cycle";
  for (const auto& [channel, messages_through] : load) {
    const auto& [cycle, direction, h, index] = channel;
    // Channels of height h are numbered from 2^(H - h) on, from the right.
    ASSERT_LE(messages_through, tree.capacity((1U << (tree.height() - h)) + index))
        << "cycle " << cycle << (direction == Direction::up ? ", up from " : ", down to ") << index
        << " of height " << h;
  }
}

/// Trees for tests: universal ones, thin and wide; uniform ones; one with broken paths.
inline std::vector<BinaryFatTree> test_trees() {
  std::vector<BinaryFatTree> trees{BinaryFatTree::uniform(2, 1),       BinaryFatTree::uniform(16, 1),
                                   BinaryFatTree::uniform(32, 3),      BinaryFatTree::universal(64, 16),
                                   BinaryFatTree::universal(128, 128), BinaryFatTree::universal(64, 32)};
  trees.back().set_capacity(5, 1);   // below the root's left branch
  trees.back().set_capacity(17, 2);  // more than the tree about it
  return trees;
}

}  // namespace hybrid
