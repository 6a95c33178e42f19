// A unit's note (core/hint_abi.h), copied out of bytes and checked, so that whoever prints or evaluates it
// needs no check of its own.
//
// What a HintUnit guarantees:
// - every index, string and count lies inside its table, or is HYBRID_NONE where the ABI allows that;
// - nodes refer to nodes before them, of the kind asked for (value, communicator, list): no cycles;
// - no expression is nested deeper than kHintDepth (the tail of a list does not nest), those of the loops
//   included whose results it takes, and results of loops that take results no deeper than kHintLoopDepth; so
//   no loop takes its own, and recursion is safe. A node may be used many times: recursion without memory of
//   what was visited can take exponential time;
// - a loop stands behind the loop around it; a variable belongs to one loop at most;
// - phases around phases do not go in circles;
// - every string ends inside the note.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/hint_abi.h"

namespace hybrid {

inline constexpr std::uint32_t kHintDepth = 1000;
inline constexpr std::uint32_t kHintLoopDepth = 32;

struct HintUnit {
  std::string file;  // that the note was read from
  std::uint32_t flags = 0;
  std::uint64_t id = 0;
  std::uint32_t address_count = 0;
  std::int64_t addresses = 0;  // see hybrid_unit
  std::vector<hybrid_node> nodes;
  std::vector<hybrid_variable> variables;
  std::vector<hybrid_loop> loops;
  std::vector<hybrid_site> sites;
  std::vector<hybrid_phase> phases;
  std::string strings;
  std::uint32_t name = HYBRID_NONE;

  /// The string at an offset; empty for HYBRID_NONE. Valid as long as the unit.
  std::string_view text(std::uint32_t offset) const {
    return offset == HYBRID_NONE ? std::string_view() : std::string_view(strings.c_str() + offset);
  }
};

inline std::int64_t hint_value(const hybrid_node& node) {
  return static_cast<std::int64_t>(std::uint64_t{static_cast<std::uint32_t>(node.value_high)} << 32 |
                                   static_cast<std::uint32_t>(node.value_low));
}

/// The unit of one descriptor. Throws UserError naming `file`, the unit and what was expected for a note of
/// another version and for a damaged one. `bytes` need no alignment; memory is linear in their number, time
/// in that and in the depth of loops' results.
HintUnit read_hint_unit(std::span<const std::byte> bytes, const std::string& file);

/// Those that count of the units of one executable or library: where one is of the whole program, only such.
std::vector<HintUnit> superseding_units(std::vector<HintUnit> units);

}  // namespace hybrid
