// The binary fat tree of the fat-tree memo (I 1, definitions 1 to 5). I: A. T. Ishii, "Interprocessor
// Communication Issues in Fat-Tree Architectures", MIT VLSI Memo 85-268, 1985.
//
// n = 2^H processors are the leaves of a complete binary tree of height H; the internal nodes are switches.
// The edge above a node is a channel: a bundle of cap(c) paths. A path carries one message in each direction,
// as in Leiserson's fat tree: messages that climb through a channel do not contend with messages that descend
// through it.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"

namespace hybrid {

/// A node, numbered as in a heap: the root is 1; node v has 2v at its right branch and 2v + 1 at its left
/// branch, as seen from the trunk; processor p is node n + p. So the addresses of the processors are those of
/// the memo's in-order traversal, right branch first (I 3.2). A channel has the number of the node at its
/// lower end.
using TreeNode = std::uint32_t;

inline constexpr TreeNode kTreeRoot = 1;
inline constexpr std::uint32_t kMostTreeHeight = 20;

/// Returns the height of the node where a message turns from climbing to descending: one above the most
/// significant address bit in which its ends differ (theorem 3); 0 if the ends are equal.
constexpr std::uint32_t turn_height(Connection message) {
  return static_cast<std::uint32_t>(std::bit_width(message.source ^ message.destination));
}

class BinaryFatTree {
 public:
  /// Channels above nodes of height h have capacity_by_height[h]; its size is H. Throws UserError for a tree
  /// without levels, a height above kMostTreeHeight, and a channel without a path.
  explicit BinaryFatTree(std::span<const std::uint32_t> capacity_by_height);

  /// Leiserson's universal fat tree (the memo's reference 3): at depth k below the root a channel has min(n /
  /// 2^k, ceil(w / 2^(2k/3))) paths, where w is the capacity of the root. Near the leaves capacities double
  /// from level to level, near the root they grow by 4^(1/3); with w = n they double at every level. Throws
  /// UserError unless n is a power of two of at least 2 and n^(2/3) <= w <= n.
  static BinaryFatTree universal(std::uint32_t processors, std::uint32_t root_capacity);
  /// A tree in which all channels have the same capacity. Throws UserError as the constructor does, and
  /// unless `processors` is a power of two of at least 2.
  static BinaryFatTree uniform(std::uint32_t processors, std::uint32_t capacity);

  std::uint32_t height() const { return height_; }
  std::uint32_t processors() const { return std::uint32_t{1} << height_; }
  TreeNode processor(Port address) const { return processors() + address; }
  /// The node of height `height` on the path from a processor to the root.
  TreeNode above(Port address, std::uint32_t height) const { return processor(address) >> height; }
  std::uint32_t height_of(TreeNode node) const {
    return height_ + 1 - static_cast<std::uint32_t>(std::bit_width(node));
  }

  /// Returns cap(c) of the channel above a node other than the root, in each direction.
  std::uint32_t capacity(TreeNode below) const { return capacity_[below]; }
  /// Sets the capacity of one channel, for trees whose channels differ, by design or because of broken paths.
  /// Throws UserError for 0 and for a node without a channel above it.
  void set_capacity(TreeNode below, std::uint32_t capacity);

 private:
  std::uint32_t height_ = 0;
  std::vector<std::uint32_t> capacity_;  // by lower node; [0] and [1] unused
};

/// Throws UserError for a message from or to a processor that is not in the tree, or from a processor to
/// itself.
void require_messages(const BinaryFatTree& tree, std::span<const Connection> messages);

}  // namespace hybrid
