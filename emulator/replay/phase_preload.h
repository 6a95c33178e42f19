// Preloads for the hinted phases of a job: the connections of each phase, fitted into P configurations, as by
// a compiler that knows the phase's working set (D 4.2.2). Here the working sets come from a pass over the
// job before its emulation; phase_hints.h has those known from hints.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "emulator/replay/replay.h"

namespace hybrid {

/// Connections of each phase, by its name, with their weights (bytes).
using PhaseConnections = std::map<std::string, std::map<Connection, Bytes>>;

/// For each phase the content of `slots` slots; empty for no slots. The heaviest connections are placed first
/// (of equal weight: lower ports first). A connection is left out if one of its ports is taken in all slots.
/// A working set with at most `slots` connections at any port fits completely (Konig).
PhasePreloads fit_phases(const PhaseConnections& phases, std::uint32_t ports, std::uint32_t slots);

/// Bytes of each connection in each hinted phase.
class PhaseTraffic {
 public:
  /// Ignores messages outside phases.
  void add(const SentMessage& message);
  /// Applies fit_phases() to the phases of `trace`.
  PhasePreloads plan(const JobTrace& trace, std::uint32_t ports, std::uint32_t slots) const;

 private:
  std::map<std::uint32_t, std::map<Connection, Bytes>> phases_;  // by region
};

}  // namespace hybrid
