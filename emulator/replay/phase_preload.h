// What is preloaded for the hinted phases of a job: the connections of each phase, fitted into P
// configurations, as a compiler that knows the phase's working set would do it (D 4.2.2). Here the working
// sets are known from a pass over the job before its emulation; phase_hints.h has those that hints tell.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "emulator/replay/replay.h"

namespace hybrid {

/// The connections of phases, by name, with their weights (bytes).
using PhaseConnections = std::map<std::string, std::map<Connection, Bytes>>;

/// For each phase the content of `slots` slots. The heaviest connections come first (equals: the lower
/// ports); one that finds all slots taken at a port of its own is left out. A working set with no more than
/// `slots` connections at any port is held wholly (Konig). Of no slots nothing.
PhasePreloads fit_phases(const PhaseConnections& phases, std::uint32_t ports, std::uint32_t slots);

/// The bytes of each connection in each hinted phase.
class PhaseTraffic {
 public:
  /// Messages outside phases are passed over.
  void add(const SentMessage& message);
  /// fit_phases() of the phases of `trace`.
  PhasePreloads plan(const JobTrace& trace, std::uint32_t ports, std::uint32_t slots) const;

 private:
  std::map<std::uint32_t, std::map<Connection, Bytes>> phases_;  // by region
};

}  // namespace hybrid
