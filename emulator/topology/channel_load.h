// Load of the channels of a binary fat tree by a message set (I 4.2.4, definitions 7 to 9).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/topology/binary_fat_tree.h"

namespace hybrid {

/// Calls climbs(c) for each channel through which the message climbs and falls(c) for each channel through
/// which it descends, in pairs of one height, from the processors to the node where it turns.
template <class Climbs, class Falls>
void for_each_channel(const BinaryFatTree& tree, Connection message, Climbs&& climbs, Falls&& falls) {
  TreeNode up = tree.processor(message.source), down = tree.processor(message.destination);
  for (; up != down; up /= 2, down /= 2) {
    climbs(up);
    falls(down);
  }
}

/// load(c, M) of every channel c, updated message by message. The tree must outlive this object.
class ChannelLoads {
 public:
  explicit ChannelLoads(const BinaryFatTree& tree);
  ChannelLoads(const BinaryFatTree& tree, std::span<const Connection> messages);

  void add(Connection message);
  void remove(Connection message);

  std::uint32_t climbing(TreeNode channel) const { return up_[channel]; }
  std::uint32_t falling(TreeNode channel) const { return down_[channel]; }

  /// Whether every channel of the message's path has a load factor of at most `limit` after the message is
  /// added.
  bool fits(Connection message, std::uint32_t limit = 1) const;
  /// Returns lambda(FT, M): the largest load / capacity of any channel.
  double load_factor() const;
  /// Returns ceil(lambda): no partition into sets without contention has fewer sets (I 4.2.4). 0 without
  /// messages.
  std::uint32_t fewest_cycles() const;

 private:
  const BinaryFatTree* tree_;
  std::vector<std::uint32_t> up_, down_;  // by channel
};

}  // namespace hybrid
