// What a pass of a scheduling algorithm costs as hardware, where the papers give a design for it. A count
// from the design's description, not a synthesis: it tells how designs compare and grow, not how fast a clock
// may be.
#pragma once

#include <cstdint>
#include <string_view>

namespace hybrid {

struct HardwareCost {
  std::string_view design;        // "matrix processor (D 6.5.2)"
  std::uint64_t cycles = 0;       // of one search
  std::uint64_t wires = 0;        // bits between stages or parts
  std::uint64_t logic = 0;        // cells: a mask's bit with a matrix's, and its part of an OR
  std::uint64_t memory_bits = 0;  // registers or memory
  bool repeats = false;           // the same hardware can search again for the same schedule
  bool operator==(const HardwareCost&) const = default;
};

}  // namespace hybrid
