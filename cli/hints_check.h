// Hints compared with a recorded run: `hybrid hints BINARY --check TRACE`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/recorded_connections.h"
#include "core/connection.h"
#include "core/hints/evaluation.h"
#include "core/hints/note_reader.h"
#include "emulator/replay/operation.h"

namespace hybrid {

/// Connections between different ranks: hinted by the binary, used by the run.
struct HintScore {
  std::string phase;         // empty: the whole run
  std::uint64_t hinted = 0;  // connections
  std::uint64_t used = 0;    // connections with at least one point-to-point message
  std::uint64_t both = 0;
  std::uint64_t messages = 0;         // point-to-point, of the run or within the phase
  std::uint64_t messages_hinted = 0;  // of those: over hinted connections
  Lead lead;
  std::string unknown;  // what is not hinted, and why; empty if all used connections are hinted

  /// Share of the hinted connections that were used; nullopt if none is hinted.
  std::optional<double> precision() const { return share(both, hinted); }
  /// Share of the used connections that are hinted; nullopt if none was used.
  std::optional<double> recall() const { return share(both, used); }
  /// Share of the messages over hinted connections; nullopt if there are no messages.
  std::optional<double> covered() const { return share(messages_hinted, messages); }

 private:
  static std::optional<double> share(std::uint64_t part, std::uint64_t all) {
    if (all == 0) return std::nullopt;
    return static_cast<double>(part) / static_cast<double>(all);
  }
};

struct HintCheck {
  std::uint32_t ranks = 0;
  bool recorded_hints = false;         // the trace contains the hints that the library evaluated in the run
  std::vector<std::string> elsewhere;  // phases with recorded hints that the binary does not contain
  HintScore all;  // its connections are those of all phases; a message is hinted if it is in its own phase
  /// By name: those with hinted or used connections. A last one of messages outside all phases.
  std::vector<HintScore> phases;
};

/// Compares the hints of a binary with the messages of a trace, which is read to its end. If the binary alone
/// does not determine all connections of a phase, or does not contain it, the hints that the trace recorded
/// count too: in the run, the library knew the values of the program's variables, and its shared libraries. A
/// message belongs to the innermost phase region around it. Phases of the hints with the same name are one.
HintCheck check_hints(const std::vector<HintUnit>& units, HintValues& values, JobTrace& trace);

}  // namespace hybrid
