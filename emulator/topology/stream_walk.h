// Simulation of a routing bit stream in a binary fat tree, clock by clock (I 2, figures 3 to 8): a single
// stream, so that there is no contention for channels.
//
// Wires carry plain bits. A node's input is quiet (0) until the message bit (1); the next bit is the node's
// routing bit, which the node removes; from then on the node is a cell of a shift register. With mid-stream
// buffering, a node of height h where the message turns, from branch to branch, also removes the next 2 (2 (H
// - h)) bits, whatever their values (I 2.1, solution 4; I 3.1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "core/random.h"
#include "emulator/topology/binary_fat_tree.h"
#include "emulator/topology/routing_stream.h"

namespace hybrid {

/// How messages that turn early are kept in step with those that come through a trunk (I 2.1.1-2.1.4).
enum class Buffering : std::uint8_t {
  none,
  prefix,     // the stream begins later: it arrives with the others, but claims ports on its path up late
  mid_stream  // the node where the message turns waits
};

/// The passage of the stream through a node.
struct NodePassage {
  TreeNode node = 0;
  NodePort entered{}, left{};
  /// The clock in which the message bit leaves the node: when it takes a path of the channel at `left`.
  std::uint32_t leaves = 0;
  bool operator==(const NodePassage&) const = default;
};

struct StreamWalk {
  Port processor = kNoPort;  // where the stream ended; kNoPort: outside, through the root's trunk, or nowhere
  std::uint32_t arrives = 0;  // the clock in which the message bit arrives
  std::vector<NodePassage> nodes;
};

/// Returns the bits on the wire from clock 0 on: quiet bits with prefix buffering, the message bit, the
/// stream. The values of its buffering bits are drawn from `open_values`; without mid-stream buffering they
/// are omitted.
std::vector<bool> wire_bits(std::span<const StreamBit> stream, Buffering buffering, Random& open_values);

/// Simulates `bits` from `source`, a processor of the tree of that height, until the stream arrives; after
/// their end, `bits` are 0. Without a message bit the stream goes nowhere.
StreamWalk walk_stream(std::uint32_t height, Port source, const std::vector<bool>& bits,
                       RoutingBitEncoding encoding, Buffering buffering);

}  // namespace hybrid
