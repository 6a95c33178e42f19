// The fat tree FT(l, m, w) (L 3; D 7.2).
#pragma once

#include <array>
#include <cstdint>

namespace hybrid {

/// l levels of switches; each has m ports down and w up (those of level l-1: none).
struct FatTreeShape {
  std::uint32_t levels = 0;  // l
  std::uint32_t down = 0;    // m
  std::uint32_t up = 0;      // w
  bool operator==(const FatTreeShape&) const = default;
};

inline constexpr std::uint32_t kMostTreeLevels = 8;

/// A connection's way through the tree: the ports P_0 .. P_(turn-1) taken upward; down they follow from the
/// destination (Theorem 2).
struct TreePath {
  bool granted = false;
  std::uint8_t turn = 0;  // the level of the switch where it turns
  std::array<std::uint16_t, kMostTreeLevels - 1> up{};
};

}  // namespace hybrid
