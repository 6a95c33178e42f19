// Preloads for the phases of a job as known from hints: the connections between its ranks as the compiler
// found them, or as the running program hinted them (phase_preload.h finds them by a pass over the job's
// messages).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/connection.h"
#include "core/hints/note_reader.h"
#include "emulator/replay/operation.h"
#include "emulator/replay/replay.h"

namespace hybrid {

struct PhaseHints {
  /// Known connections between world ranks, by the phase's name. Phases without any are left out.
  std::map<std::string, std::set<Connection>> phases;
  /// Why some connections of a phase are unknown, by its name.
  std::map<std::string, std::string> unknown;
};

/// Hints of the program while it was recorded (Operation::Kind::hint), of all occurrences of a phase
/// together. Reads the trace to its end.
PhaseHints read_recorded_hints(JobTrace& trace);

/// Hints of a binary for a job of `ranks` ranks, with all variables of the program unknown. Phases of one
/// name are taken together.
PhaseHints evaluate_hints(const std::vector<HintUnit>& units, std::uint32_t ranks);

/// Nesting of hinted phases: procedures within loops, loops within loops. If the connections of a phase and
/// of all phases in it fit into the preloaded slots, they are held as a whole: nothing is then exchanged when
/// one of the inner phases begins.
class PhaseNesting {
 public:
  /// `inner` occurs directly in `outer`; an empty `outer`: in no other phase.
  void add(const std::string& outer, const std::string& inner);

  /// For each phase, the connections to hold while it lasts: those of the outermost phase around it, with all
  /// phases in that one, that needs at most `slots` connections at any port. If there is none: its own
  /// connections. A phase that occurs in several others, or both in others and in none, is taken by itself.
  /// Phases with nothing to hold are left out.
  ///
  /// `own`: the connections of each phase, between ports below `ports`, without those of the phases in it.
  /// Phases without connections may be left out.
  std::map<std::string, std::set<Connection>> whole(const std::map<std::string, std::set<Connection>>& own,
                                                    std::uint32_t ports, std::uint32_t slots) const;

 private:
  std::map<std::string, std::set<std::string>> around_, within_;
};

/// The nesting of the phases as recorded. Reads the trace to its end.
PhaseNesting read_phase_nesting(JobTrace& trace);

/// For each phase the content of `slots` slots, by fit_phases() with equal weights. Phases that fit together
/// are held together (PhaseNesting::whole). `placement`: the port of each rank.
PhasePreloads plan(const PhaseHints& hints, const PhaseNesting& nesting,
                   const std::vector<std::uint32_t>& placement, std::uint32_t ports, std::uint32_t slots);

}  // namespace hybrid
