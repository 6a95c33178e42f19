// PhaseFinder: finds communication phases from the sends of a job without hints: stretches of the job with
// one stable working set (D 5.1). Method: phase_partition.h.
//
//   PhaseFinder finder(ports);
//   for (const Send& s : sends) finder.send(s.at, s.connection, s.bytes);
//   for (const Phase& phase : finder.finish()) ...
//
// Memory is proportional to the number of distinct connections (about 112 bytes each), not to the number of
// messages. Borders are exact to 1/256 of the length of the job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/connection.h"
#include "core/time.h"
#include "core/units.h"

namespace hybrid {

struct Phase {
  std::string name;     // from the hint, or "phase 1", "phase 2", ... ; the same for all occurrences
  Time begin{}, end{};  // first occurrence's begin, last occurrence's end
  std::uint32_t occurrences = 1;
  std::uint64_t messages = 0;
  Bytes bytes = 0;
  std::vector<Connection> working_set;  // all connections that the phase uses; ascending
  /// Those of the working set that the iterations of the phase rarely use; ascending: connections with less
  /// than an eighth of the messages of a typical connection, which is the median over the messages. A
  /// connection that each iteration uses once is therefore rare only if the typical one is used more than
  /// eight times. Hinted phases have none.
  std::vector<Connection> rare;
  /// Minimum number of TDM slots for the working set: the largest number of connections at one port (Konig).
  std::uint32_t slots_needed = 0;
  std::uint32_t slots_without_rare = 0;  // the same for the working set without `rare`
};

/// Sends from `begin` to the next occurrence belong to `phase`, an index into the result of finish().
struct PhaseOccurrence {
  Time begin{};
  std::uint32_t phase = 0;
  bool operator==(const PhaseOccurrence&) const = default;
};

class PhaseFinder {
 public:
  explicit PhaseFinder(std::uint32_t ports);  // ports are 0 .. ports-1
  ~PhaseFinder();
  PhaseFinder(PhaseFinder&&) noexcept;
  /// Adds a send, in any order: the result depends on the times only. Ports may be out of step. A job with
  /// other times but the same sends has the same phases and working sets, unless it shifts sends from one
  /// phase into another.
  void send(Time at, Connection connection, Bytes bytes);
  /// The phases in the order of their first occurrence. Every message belongs to one of them, and every
  /// connection to the working set of at least one. A job has few
  /// phases: a working set must last for about 1/40 of the job (half by time, half by messages, without
  /// computation), or for one iteration if that is longer.
  std::vector<Phase> finish();
  /// After finish(): all occurrences in time order; neighbours differ in phase.
  const std::vector<PhaseOccurrence>& occurrences() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The largest number of connections of the set (no duplicates) at one input or output port.
std::uint32_t slots_needed(const std::vector<Connection>& working_set);

/// Sets slots_needed and slots_without_rare from the working set and its rare connections.
void count_slots(Phase& phase);

}  // namespace hybrid
