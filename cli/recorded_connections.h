// The connections that a recorded run used, in each of its phases.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "core/connection.h"
#include "core/time.h"
#include "emulator/replay/operation.h"

namespace hybrid {

/// Point-to-point messages between different ranks of the job, by connection.
using ConnectionMessages = std::unordered_map<Connection, std::uint64_t>;

/// Time from the begins of a phase to its first messages: what a hint at the begin has for scheduling and
/// reconfiguration.
struct Lead {
  std::uint64_t begins = 0;  // with messages
  Time total{};
  void add(const Lead& other) {
    begins += other.begins;
    total += other.total;
  }
  /// The mean; nullopt without messages.
  std::optional<Time> mean() const {
    if (begins == 0) return std::nullopt;
    return Time{total.ps / static_cast<std::int64_t>(begins)};
  }
};

struct RecordedConnections {
  ConnectionMessages all;
  /// By the phase's name, for all phases that began. A message belongs to the innermost phase around it.
  std::map<std::string, ConnectionMessages> phases;
  std::map<std::string, Lead> leads;  // by the phase's name
  /// By the phase's name, the ranks on which it began.
  std::map<std::string, std::set<std::uint32_t>> began;
  /// By the phase's name, the connections that the program's hints named in the run (Operation::Kind::hint).
  std::map<std::string, std::set<Connection>> hinted;
};

/// Reads the trace to its end.
RecordedConnections read_connections(JobTrace& trace);

}  // namespace hybrid
