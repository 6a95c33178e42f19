// Common traffic of the emulator and the SystemC reference: every node always has a message for a random
// other node, and hands over the next one when the last word of the previous message has left the PE.
#pragma once

#include <cstdint>

#include "core/connection.h"
#include "core/random.h"
#include "emulator/network/technique.h"

namespace hybrid::bench {

/// Returns the destination of the k-th message of `source`: uniform over the other nodes, a function of the
/// arguments only.
inline Port destination(std::uint32_t nodes, Port source, std::uint64_t k) {
  const std::uint64_t x = SmallRandom::mixed((std::uint64_t{source} << 40) + k + SmallRandom::kStep);
  const auto hop = static_cast<Port>(1 + x % (nodes - 1));
  return (source + hop) % nodes;
}

/// Deliveries of a run. Equal digests mean equal deliveries in equal cycles. The order of deliveries within a
/// cycle is not significant.
struct Delivered {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;

  void add(Port source, Port destination, std::uint64_t k, std::uint64_t cycle, std::uint64_t size) {
    ++messages;
    bytes += size;
    std::uint64_t x =
        (std::uint64_t{source} << 48 ^ std::uint64_t{destination} << 32 ^ k) + cycle * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    digest += x ^ x >> 27;
  }
  bool operator==(const Delivered&) const = default;
};

/// The switch of both models: preset ch5, wormhole, messages of one worm, bounded queues.
inline SwitchParameters reference_parameters(std::uint32_t nodes) {
  SwitchParameters p;
  p.technique = "wormhole";
  p.nodes = nodes;
  p.buffer = 256;
  return p;
}
inline constexpr Bytes kMessage = 128;

}  // namespace hybrid::bench
