// Hints held against what a run did: `hybrid hints BINARY --check TRACE`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/connection.h"
#include "core/hints/evaluation.h"
#include "core/hints/note_reader.h"
#include "emulator/replay/operation.h"

namespace hybrid {

/// Connections between different ranks, told and used.
struct HintScore {
  std::string phase;       // empty: the whole run
  std::uint64_t told = 0;  // connections that the hints tell
  std::uint64_t used = 0;  // connections with at least one point-to-point message
  std::uint64_t both = 0;
  std::uint64_t messages = 0;       // point-to-point, of the run or within the phase
  std::uint64_t messages_told = 0;  // of those: over connections told
  std::string unknown;              // what was not told, and why; empty where all that was used was told

  /// Share of what was told that was used; 1 where nothing was told.
  double precision() const { return told == 0 ? 1 : static_cast<double>(both) / static_cast<double>(told); }
  /// Share of what was used that was told; 1 where nothing was used.
  double recall() const { return used == 0 ? 1 : static_cast<double>(both) / static_cast<double>(used); }
  /// Share of the messages that go over connections told; 1 where there are none.
  double covered() const {
    return messages == 0 ? 1 : static_cast<double>(messages_told) / static_cast<double>(messages);
  }
};

struct HintCheck {
  std::uint32_t ranks = 0;
  bool told_in_run = false;  // the trace has what the library told
  HintScore all;
  std::vector<HintScore>
      phases;  // by name: those that the trace has, and of the hints' those that tell something
};

/// Where the binary alone does not tell all of a phase, what the library told while the job ran counts too,
/// if the trace has it: it knew the values of the program's variables. Reads the trace to its end. A phase of
/// the trace is the region of that name, the innermost one around a message; phases of the hints with one
/// name are taken together.
HintCheck check_hints(const std::vector<HintUnit>& units, HintValues& values, JobTrace& trace);

}  // namespace hybrid
