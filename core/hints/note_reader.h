// HintUnit: the note of a unit (core/hint_abi.h), copied from bytes and checked. Code that prints or
// evaluates it needs no further checks.
//
// A HintUnit guarantees:
// - every index, string and count is inside its table, or HYBRID_NONE if the ABI allows it;
// - nodes refer to earlier nodes of the required type (value, communicator, list): there are no cycles;
// - no expression is nested deeper than kHintDepth (the tail of a list does not count as nested): recursion
//   is safe. A node may be used many times: recursion without a record of visited nodes can take exponential
//   time;
// - an enclosing loop has a smaller index than the loops in it; a variable belongs to at most one loop;
// - the parents of phases form no cycle;
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

struct HintUnit {
  std::string file;  // the file that contains the note
  std::uint64_t id = 0;
  std::vector<hybrid_node> nodes;
  std::vector<hybrid_variable> variables;
  std::vector<hybrid_loop> loops;
  std::vector<hybrid_site> sites;
  std::vector<hybrid_phase> phases;
  std::string strings;
  std::uint32_t name = HYBRID_NONE;

  /// The string at an offset; empty for HYBRID_NONE. Valid during the lifetime of the unit.
  std::string_view text(std::uint32_t offset) const {
    return offset == HYBRID_NONE ? std::string_view() : std::string_view(strings.c_str() + offset);
  }
};

inline std::int64_t hint_value(const hybrid_node& node) {
  return static_cast<std::int64_t>(std::uint64_t{static_cast<std::uint32_t>(node.value_high)} << 32 |
                                   static_cast<std::uint32_t>(node.value_low));
}

/// Reads the unit of one descriptor. Throws UserError for a damaged note and for a note of another version;
/// the message contains `file`, the unit, and what was expected. `bytes` need no alignment. Time and memory
/// are linear in their number.
HintUnit read_hint_unit(std::span<const std::byte> bytes, const std::string& file);

}  // namespace hybrid
