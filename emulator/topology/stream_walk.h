// A routing bit stream's walk through a binary fat tree, clock by clock (I 2, figures 3 to 8): one stream
// alone, so that no channel is contended for.
//
// Wires carry plain bits. A node's input is quiet (0) until the message bit (1); the bit behind it is the
// node's routing bit, which the node takes off; from then on it is a cell of a shift register. Under
// mid-stream buffering, a node of height h whose message turns there, from branch to branch, takes off the
// next 2 (2 (H - h)) bits too, whatever they are (I 2.1, solution 4; I 3.1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/random.h"
#include "emulator/topology/binary_fat_tree.h"
#include "emulator/topology/routing_stream.h"

namespace hybrid {

/// How a node keeps messages that turn early in step with those that come through its trunk (I 2.1.1-2.1.4).
enum class Buffering : std::uint8_t {
  none,
  prefix,     // the stream begins later: arrives with the others, but claims ports on its way up late
  mid_stream  // the node where the message turns waits
};

/// What a node did for the stream.
struct NodePassage {
  TreeNode node = 0;
  NodePort entered{}, left{};
  /// The clock in which the message bit leaves the node: when it takes a path of the channel behind `left`.
  std::uint32_t leaves = 0;
  bool operator==(const NodePassage&) const = default;
};

struct StreamWalk {
  Port processor = kNoPort;   // where it ended; kNoPort: outside, through the root's trunk, or nowhere
  std::uint32_t arrives = 0;  // the clock in which the message bit is there
  std::vector<NodePassage> nodes;
};

/// The bits on the wire from clock 0 on: quiet ones under prefix buffering, the message bit, the stream. Its
/// buffering bits get values drawn from `open_values`; without mid-stream buffering they are left out.
std::vector<bool> wire_bits(std::span<const StreamBit> stream, Buffering buffering, Random& open_values);

/// Walks from `source`, a processor of the tree of that height, until it arrives; past their end `bits` are
/// 0. Without a message bit it goes nowhere.
StreamWalk walk_stream(std::uint32_t height, Port source, const std::vector<bool>& bits,
                       RoutingBitEncoding encoding, Buffering buffering);

}  // namespace hybrid
