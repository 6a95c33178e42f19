// The work that the emulator and the SystemC reference both do: every node always has a message to send, to
// any other, and hands over the next one when the last word of the one before has left the PE.
#pragma once

#include <cstdint>

#include "core/connection.h"
#include "core/random.h"
#include "emulator/network/technique.h"

namespace hybrid::bench {

/// Destination of the k-th message of `source`: uniform over the others, the same for whoever asks.
inline Port destination(std::uint32_t nodes, Port source, std::uint64_t k) {
  const std::uint64_t x = SmallRandom::mixed((std::uint64_t{source} << 40) + k + SmallRandom::kStep);
  const auto hop = static_cast<Port>(1 + x % (nodes - 1));
  return (source + hop) % nodes;
}

/// What was delivered, and when: equal digests are equal deliveries at equal cycles. The order of deliveries
/// within a cycle does not count.
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

/// The switch that both model: preset ch5, wormhole, messages of one worm, bounded queues.
inline SwitchParameters reference_parameters(std::uint32_t nodes) {
  SwitchParameters p;
  p.technique = "wormhole";
  p.nodes = nodes;
  p.buffer = 256;
  return p;
}
inline constexpr Bytes kMessage = 128;

}  // namespace hybrid::bench
