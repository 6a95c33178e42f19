// Connection: the two ends of a circuit.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace hybrid {

using Port = std::uint32_t;
inline constexpr Port kNoPort = ~Port{0};

/// (source port, destination port).
struct Connection {
  Port source = kNoPort;
  Port destination = kNoPort;
  auto operator<=>(const Connection&) const = default;
};

}  // namespace hybrid

template <>
struct std::hash<hybrid::Connection> {
  std::size_t operator()(hybrid::Connection c) const noexcept {
    std::uint64_t x = (std::uint64_t{c.source} << 32 | c.destination) * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(x ^ x >> 32);
  }
};
