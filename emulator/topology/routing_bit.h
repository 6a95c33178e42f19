// One routing bit: by which port a message leaves a node, given the port by which it came (I 2, figures 1
// and 2).
#pragma once

#include <cstdint>

namespace hybrid {

/// A node's ports: the trunk heads toward the root; right and left are the branches as seen by who enters
/// through the trunk.
enum class NodePort : std::uint8_t { trunk, right, left };

/// The port on the right hand of who enters through `entered`, as in an intersection of three streets.
constexpr NodePort right_hand(NodePort entered) {
  return entered == NodePort::trunk   ? NodePort::right
         : entered == NodePort::right ? NodePort::left
                                      : NodePort::trunk;
}
constexpr NodePort left_hand(NodePort entered) { return right_hand(right_hand(entered)); }

enum class RoutingBitEncoding : std::uint8_t {
  /// 0: to the right hand, 1: to the left hand, wherever one comes from. The memo's first scheme, which it
  /// assumes throughout: reversed and inverted bits lead back.
  left_right,
  /// From a branch, 0: to the other branch, 1: to the trunk; from the trunk as left_right. The memo's second
  /// scheme.
  trunk_branch
};

constexpr NodePort exit_port(RoutingBitEncoding encoding, NodePort entered, bool bit) {
  if (encoding == RoutingBitEncoding::trunk_branch && entered != NodePort::trunk)
    return bit ? NodePort::trunk : entered == NodePort::right ? NodePort::left : NodePort::right;
  return bit ? left_hand(entered) : right_hand(entered);
}

}  // namespace hybrid
