// Routing bit streams in closed form (I 3): the bits that lead a message through a binary fat tree of height
// H, one for each node on its way, with mid-stream buffering (I 2.1.4).
//
// A stream is made of the two addresses. At the pivot, the most significant bit in which they differ, the
// message turns: at the node of height t (turn_height).
//   source bits     t, least significant first, inverted but for the last, the pivot: the way up;
//   buffering bits  2 (2 (H - t)), which the node where the message turns takes off while others go
//                   on to the root and come back (I 3.1);
//   destination bits t - 1, those below the pivot, most significant first: the way down.
// Each node costs the stream two clocks, one to take its bit off and one to pass on, so that every message
// arrives after 2 (2 t - 1) + 4 (H - t) = 4 H - 2 clocks, however far it goes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "emulator/topology/routing_bit.h"

namespace hybrid {

/// A bit of a stream; what buffering bits carry is left open (I 4.3.2 would send other information with
/// them).
enum class StreamBit : std::uint8_t { zero, one, buffering };

constexpr StreamBit stream_bit(bool value) { return value ? StreamBit::one : StreamBit::zero; }

/// The last buffering bit may repeat the bit before the first one, so that a node need not keep it (I 2.1.4).
/// Only then is the whole stream, buffering bits too, the return stream when reversed and inverted.
enum class LastBufferingBit : std::uint8_t { open, repeats_pivot };

constexpr std::uint32_t buffering_bits(std::uint32_t height, std::uint32_t turn) {
  return 4 * (height - turn);
}
/// Clocks from a stream's first clock at the first node to its arrival, on a tree of height H.
constexpr std::uint32_t arrival_clock(std::uint32_t height) { return 4 * height - 2; }

/// The stream of a message between two different processors of a tree of that height. Throws UserError for
/// ends that are the same or not in the tree.
std::vector<StreamBit> routing_stream(std::uint32_t height, Connection message,
                                      RoutingBitEncoding encoding = RoutingBitEncoding::left_right,
                                      LastBufferingBit last = LastBufferingBit::open);

/// The routing bits alone.
std::vector<StreamBit> without_buffering(std::span<const StreamBit> stream);

/// Theorem 2: leads from the stream's destination back to its source.
std::vector<StreamBit> reversed_and_inverted(std::span<const StreamBit> stream);

}  // namespace hybrid
