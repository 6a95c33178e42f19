// The fat tree FT(l, m, w) (L 2 and 3; D 7.2 and 7.3), with the papers' numbering; m and w may differ.
//
// The tree has l levels of switches, 0 at the bottom. A switch has m ports down and, below the top level, w
// ports up. The m^l nodes are attached to level 0, m to each switch. Switch (h, tau) has the number
//   tau = a * w^h + P_0 w^(h-1) + ... + P_(h-1),   a in base m: s_(l-2) ... s_h
//
// where a is the number of its subtree of height h + 1, and P_0 ... P_(h-1) are the ports up that lead to it
// from a leaf of that subtree (L equation 9). So level h has m^(l-1-h) w^h switches (L 2 counts w^(l-1) on
// every level, which is the same for m = w).
//
// Theorem 1: port P of (h, tau) leads up to (h+1, (a div m) w^(h+1) + (tau mod w^h) w + P).
//
// Theorem 2: after the turn, a connection descends through the ports of the same numbers P_h, from the
// switches through which its destination would climb: Ulink(h, sigma_h, P_h) upward, Dlink(h, delta_h, P_h)
// downward.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/connection.h"

namespace hybrid {

/// l levels of switches; each switch has m ports down and w ports up (those of level l-1: no ports up).
struct FatTreeShape {
  std::uint32_t levels = 0;  // l
  std::uint32_t down = 0;    // m
  std::uint32_t up = 0;      // w
  /// Every circuit climbs to the top level (--tree-turn). L 3 turns it at the lowest common switch, but L's
  /// figure 9 has the schedulability of circuits that all climb to the top (claim C12).
  bool turns_at_top = false;
  bool operator==(const FatTreeShape&) const = default;
};

inline constexpr std::uint32_t kMostTreeLevels = 7;
/// Limit of the nodes, and of the links of any level.
inline constexpr std::uint32_t kMostTreeNodes = 1U << 24;

/// The path of a connection through the tree: the ports P_0 .. P_(turn-1) taken upward; the ports downward
/// follow from the destination (Theorem 2). turn = l denotes a path that the papers' tree does not have:
/// across the top, where the top switches are connected (FatTree::across, `turn-back`).
struct TreePath {
  bool granted = false;
  std::uint8_t turn = 0;  // the level of the switch where it turns
  std::array<std::uint16_t, kMostTreeLevels> up{};
  bool operator==(const TreePath&) const = default;
};

/// Computes x div d by a multiplication: exact for x < 2^24 and 0 < d <= 2^16.
class TreeDivider {
 public:
  TreeDivider() = default;
  explicit TreeDivider(std::uint32_t d) : magic_((std::uint64_t{1} << 40) / d + 1) {}
  std::uint32_t operator()(std::uint32_t x) const { return static_cast<std::uint32_t>(x * magic_ >> 40); }

 private:
  std::uint64_t magic_ = 0;
};

class FatTree {
 public:
  /// Throws UserError for a tree without levels or ports, with more than kMostTreeLevels levels, or of a size
  /// beyond kMostTreeNodes.
  explicit FatTree(const FatTreeShape& shape);

  const FatTreeShape& shape() const { return shape_; }
  std::uint32_t levels() const { return shape_.levels; }
  std::uint32_t nodes() const { return nodes_; }
  /// Switches of a level: m^(l-1-h) w^h.
  std::uint32_t switches(std::uint32_t level) const { return switches_[level]; }
  /// Switches of the whole tree.
  std::uint32_t switches() const;
  /// Links up from `level`, each of which has a link down next to it; 0 for the top level.
  std::uint32_t links(std::uint32_t level) const;

  /// The switch of level 0 to which the node is attached, and the port down that leads to the node.
  std::uint32_t leaf(Port node) const { return by_down_(node); }
  std::uint32_t leaf_port(Port node) const { return node - leaf(node) * shape_.down; }

  /// Theorem 1: the switch to which port `port` up of (level, number) leads; level < l-1.
  std::uint32_t above(std::uint32_t level, std::uint32_t number, std::uint32_t port) const;
  /// The port down of above(level, number, any) that leads back.
  std::uint32_t port_from_above(std::uint32_t level, std::uint32_t number) const;
  /// The switch to which port `port` down of (level, number) leads; level > 0.
  std::uint32_t below(std::uint32_t level, std::uint32_t number, std::uint32_t port) const;
  /// The port up of below(level, number, any) that leads back.
  std::uint32_t port_from_below(std::uint32_t number) const { return number % shape_.up; }

  /// The wires between the top switches (Kariniemi and Nurmi, as described in D 7.1): port `port` up of a top
  /// switch that is reached by P_0 = p leads to the top switch that is reached by P_0 = `port` and otherwise
  /// the same ports; that switch's port p leads back over the same wire. Port p itself is not connected
  /// (returns `number`). Changing P_0 changes every link of the path down. A tree of one level has one top
  /// switch and no such wires.
  std::uint32_t across(std::uint32_t number, std::uint32_t port) const;

  /// The lowest level at which a circuit may turn: 0, or the top if every circuit climbs there.
  std::uint32_t lowest_turn() const { return shape_.turns_at_top ? shape_.levels - 1 : 0; }
  /// The level at which a circuit between the nodes turns: H of Theorem 2, that of the lowest switches above
  /// both, or lowest_turn() if that is higher.
  std::uint32_t turn(Port a, Port b) const;
  /// The switch at `level` that a climb from `leaf` by the ports of `path` reaches (L equation 9).
  std::uint32_t climb(std::uint32_t leaf, const TreePath& path, std::uint32_t level) const;

  /// m^h and w^h; h <= l - 1.
  std::uint32_t down_power(std::uint32_t h) const { return down_power_[h]; }
  std::uint32_t up_power(std::uint32_t h) const { return up_power_[h]; }
  /// x div m: from a node to its leaf, and from a subtree to the one it is in.
  const TreeDivider& by_down() const { return by_down_; }

 private:
  FatTreeShape shape_;
  std::uint32_t nodes_ = 0;
  std::array<std::uint32_t, kMostTreeLevels> switches_{}, down_power_{}, up_power_{};
  TreeDivider by_down_;
};

/// Parses `fattree:L,W[,M]`: L levels, W ports up, M ports down (default W). Throws UserError for anything
/// else and for a shape that FatTree refuses.
FatTreeShape parse_fat_tree(std::string_view text);
/// Formats a shape as parse_fat_tree() reads it: "fattree:3,16", "fattree:2,4,8".
std::string to_string(const FatTreeShape& shape);

}  // namespace hybrid
