// What is preloaded for the hinted phases of a job: the connections of each phase, fitted into P
// configurations, as a compiler that knows the phase's working set would do it (D 4.2.2). Here the working
// sets are known from a pass over the job before its emulation.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "emulator/replay/replay.h"

namespace hybrid {

/// The bytes of each connection in each hinted phase.
class PhaseTraffic {
 public:
  /// Messages outside phases are passed over.
  void add(const SentMessage& message);
  /// For each phase of `trace`, by name, the content of `slots` slots. The heaviest connections come first
  /// (equals: the lower ports); one that finds all slots taken at a port of its own is left out. A working
  /// set with no more than `slots` connections at any port is held wholly (Konig).
  PhasePreloads plan(const JobTrace& trace, std::uint32_t ports, std::uint32_t slots) const;

 private:
  std::map<std::uint32_t, std::map<Connection, Bytes>> phases_;  // by region
};

}  // namespace hybrid
