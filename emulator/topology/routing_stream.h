// Routing bit streams of a binary fat tree (I 2 and 3): the routing bit of a node, the stream in closed form,
// and the circuit that generates it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "emulator/topology/binary_fat_tree.h"

namespace hybrid {

/// The ports of a node: the trunk leads toward the root; right and left are the branches as seen from the
/// trunk.
enum class NodePort : std::uint8_t { trunk, right, left };

/// The port to the right of a message that enters through `entered`, as at a junction of three streets.
constexpr NodePort right_hand(NodePort entered) {
  return entered == NodePort::trunk   ? NodePort::right
         : entered == NodePort::right ? NodePort::left
                                      : NodePort::trunk;
}
constexpr NodePort left_hand(NodePort entered) { return right_hand(right_hand(entered)); }

enum class RoutingBitEncoding : std::uint8_t {
  /// 0: right, 1: left, relative to the port of entry. The memo's first scheme, which it assumes throughout:
  /// reversed and inverted bits lead back.
  left_right,
  /// From a branch, 0: to the other branch, 1: to the trunk; from the trunk as left_right. The memo's second
  /// scheme.
  trunk_branch
};

/// Returns the port by which a message leaves a node, given the port of entry and its routing bit (I 2,
/// figures 1 and 2).
constexpr NodePort exit_port(RoutingBitEncoding encoding, NodePort entered, bool bit) {
  if (encoding == RoutingBitEncoding::trunk_branch && entered != NodePort::trunk)
    return bit ? NodePort::trunk : entered == NodePort::right ? NodePort::left : NodePort::right;
  return bit ? left_hand(entered) : right_hand(entered);
}

/// A bit of a stream; the value of buffering bits is not specified (I 4.3.2 would send other information with
/// them).
enum class StreamBit : std::uint8_t { zero, one, buffering };

constexpr StreamBit stream_bit(bool value) { return value ? StreamBit::one : StreamBit::zero; }

/// The last buffering bit may repeat the bit before the first one, so that a node does not need to store it
/// (I 2.1.4). Only then is the whole stream, including the buffering bits, the return stream when reversed
/// and inverted.
enum class LastBufferingBit : std::uint8_t { open, repeats_pivot };

constexpr std::uint32_t buffering_bits(std::uint32_t height, std::uint32_t turn) {
  return 4 * (height - turn);
}
/// Clocks from the first clock of a stream at the first node to its arrival, on a tree of height H.
constexpr std::uint32_t arrival_clock(std::uint32_t height) { return 4 * height - 2; }

/// Returns the routing bits that lead a message through a tree of height H, one for each node of its path,
/// with mid-stream buffering (I 2.1.4), in closed form (I 3).
///
/// The stream consists of the two addresses. The pivot is the most significant bit in which they differ; the
/// message turns at the node of height t (turn_height).
///   source bits       t, least significant first, inverted except for the last one, the pivot: the path up;
///   buffering bits    2 (2 (H - t)), which the node where the message turns removes while other messages
///                     continue to the root and come back (I 3.1);
///   destination bits  t - 1, those below the pivot, most significant first: the path down.
///
/// Each node costs the stream two clocks, one to remove its bit and one to forward, so that every message
/// arrives after 2 (2 t - 1) + 4 (H - t) = 4 H - 2 clocks, whatever its distance.
///
/// Throws UserError for ends that are equal or not in the tree.
std::vector<StreamBit> routing_stream(std::uint32_t height, Connection message,
                                      RoutingBitEncoding encoding = RoutingBitEncoding::left_right,
                                      LastBufferingBit last = LastBufferingBit::open);

/// Returns the stream without its buffering bits.
std::vector<StreamBit> without_buffering(std::span<const StreamBit> stream);

/// Returns the stream that leads from the destination of `stream` back to its source (theorem 2).
std::vector<StreamBit> reversed_and_inverted(std::span<const StreamBit> stream);

/// The circuit that generates a routing bit stream (I 3.4, figures 9 to 17), bit by bit. It reads one bit of
/// each address per clock, H clocks long, then one bit of the message per clock, and outputs one bit for each
/// of the latter: a message bit, the routing bit stream, and then the message.
///
/// The two address registers form one chain of cells: the source's reversed, least significant cell first,
/// then the destination's, most significant cell first. A comparator cell compares the bits of one
/// significance: it outputs a low carry if its carry input is low and the bits match. So
///   no carry out          the bits lie above the pivot: each becomes two buffering bits;
///   carry out, none in    the pivot: the source's bit is unchanged, the destination's is dropped;
///   carry in              below the pivot: the source's bit is inverted.
///
/// The memo loads the addresses at once, into a bank of H comparators through which the carry ripples; here
/// the most significant bits come first and one comparator keeps its carry from clock to clock.
class RoutingStreamGenerator {
 public:
  /// Generator for a tree of height `height`. Throws UserError for a height that no binary fat tree has.
  explicit RoutingStreamGenerator(std::uint32_t height);

  /// Performs a clock of loading: reads the next bit of both addresses, most significant first. H bits fill
  /// the registers; the next one begins with new addresses.
  void load(bool source_bit, bool destination_bit);

  /// Performs a clock of shifting: reads a bit of the message, returns the bit that leaves. The first one is
  /// the message bit, which signals the start of a stream to a node (I 2.1): 1, or 0 if the addresses are
  /// equal and there is no path.
  StreamBit shift(bool message_bit);

 private:
  /// A dual shift cell: a register of one bit, of two bits for buffering bits, of none if its bit is dropped.
  struct Cell {
    std::array<StreamBit, 2> stage{};
    std::uint8_t stages = 0;
    void set(StreamBit bit, std::uint8_t length);
    StreamBit shift(StreamBit in);
  };
  Cell& source_cell(std::uint32_t significance) { return cells_[1 + significance]; }
  Cell& destination_cell(std::uint32_t significance) { return cells_[2 * height_ - significance]; }

  std::uint32_t height_;
  std::uint32_t to_load_;                              // address bits that are not loaded yet
  bool carry_ = false;                                 // of the comparator: the bits loaded so far differ
  std::array<Cell, 2 * kMostTreeHeight + 1> cells_{};  // [0] holds the message bit; the stream leaves there
};

}  // namespace hybrid
