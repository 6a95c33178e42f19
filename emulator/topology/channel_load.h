// What a message set asks of each channel of a binary fat tree (I 4.2.4, definitions 7 to 9).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/topology/binary_fat_tree.h"

namespace hybrid {

/// Calls climbs(c) for each channel that the message goes up through and falls(c) for each that it comes down
/// through, in pairs of one height, from the processors to where it turns.
template <class Climbs, class Falls>
void for_each_channel(const BinaryFatTree& tree, Connection message, Climbs&& climbs, Falls&& falls) {
  TreeNode up = tree.processor(message.source), down = tree.processor(message.destination);
  for (; up != down; up /= 2, down /= 2) {
    climbs(up);
    falls(down);
  }
}

/// load(c, M) of every channel c, message by message. The tree must outlive it.
class ChannelLoads {
 public:
  explicit ChannelLoads(const BinaryFatTree& tree);
  ChannelLoads(const BinaryFatTree& tree, std::span<const Connection> messages);

  void add(Connection message);
  void remove(Connection message);

  std::uint32_t climbing(TreeNode channel) const { return up_[channel]; }
  std::uint32_t falling(TreeNode channel) const { return down_[channel]; }

  /// Whether, with the message, no channel on its way has a load factor above `limit`.
  bool fits(Connection message, std::uint32_t limit = 1) const;
  /// lambda(FT, M): the highest load / capacity of any channel.
  double load_factor() const;
  /// ceil(lambda): no partition into sets without contention has fewer (I 4.2.4). 0 without messages.
  std::uint32_t fewest_cycles() const;

 private:
  const BinaryFatTree* tree_;
  std::vector<std::uint32_t> up_, down_;  // by channel
};

}  // namespace hybrid
