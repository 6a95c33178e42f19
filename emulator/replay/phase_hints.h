// What hints tell of a job's phases: the connections between its ranks, as the compiler knew them before the
// job ran, or as the running program told them. Where phase_preload.h knows the phases from a pass over the
// job's messages, this is what a job knows of itself.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/connection.h"
#include "core/hints/note_reader.h"
#include "emulator/replay/operation.h"
#include "emulator/replay/phase_nesting.h"
#include "emulator/replay/replay.h"

namespace hybrid {

struct PhaseHints {
  /// By the phase's name; between world ranks. Phases of which nothing is known are left out.
  std::map<std::string, std::set<Connection>> phases;
  /// By the phase's name: why not all of it is known.
  std::map<std::string, std::string> unknown;
};

/// What the program told while it was recorded (Operation::Kind::hint), all of a phase's occurrences
/// together. Reads the trace to its end.
PhaseHints recorded_hints(JobTrace& trace);

/// What a binary's hints tell of a job of so many ranks, where no variable of it is known. Phases with one
/// name are taken together.
PhaseHints evaluated_hints(const std::vector<HintUnit>& units, std::uint32_t ranks);

/// For each phase the content of `slots` slots, as PhaseTraffic::plan has it: of equal weight, the lower
/// ports come first. Phases that fit together are held together (PhaseNesting::whole). `placement`: the port
/// of each rank.
PhasePreloads plan(const PhaseHints& hints, const PhaseNesting& nesting,
                   const std::vector<std::uint32_t>& placement, std::uint32_t ports, std::uint32_t slots);

}  // namespace hybrid
