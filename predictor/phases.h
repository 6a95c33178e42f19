// Finds communication phases from the sends where there are no hints: stretches of the job with one stable
// working set (D 5.1). How: predictor/phase_partition.h.
//
// Streams: memory grows with the distinct connections (about 112 bytes each, at most ports x ports of them),
// not with messages. Borders are found to within 1/256 of the job's length.
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
  std::string name;     // the hint's name, or "phase 1", "phase 2", ... ; a recurring phase keeps its name
  Time begin{}, end{};  // first occurrence's begin, last occurrence's end
  std::uint32_t occurrences = 1;
  std::uint64_t messages = 0;
  Bytes bytes = 0;
  std::vector<Connection> working_set;  // ascending
  /// The fewest TDM slots that hold the working set: the largest number of connections at one port (Konig).
  std::uint32_t slots_needed = 0;
};

/// Sends from `begin` on, up to the next occurrence, are of `phase`, an index into the phases found.
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
  /// Sends of all ports, in any order: the result depends on the times alone. Ports may be out of step.
  void send(Time at, Connection connection, Bytes bytes);
  /// The phases in the order of their first occurrence; every message belongs to one. None without messages.
  /// A job has few: a working set must stay for about 1/40 of the job (half by time, half by messages,
  /// computation not counted), or an iteration where those are longer, to be one.
  std::vector<Phase> finish();
  /// After finish(): all occurrences in order of time; neighbours differ in phase.
  const std::vector<PhaseOccurrence>& occurrences() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The largest number of connections of the set (no duplicates) at one input or output port.
std::uint32_t slots_needed(const std::vector<Connection>& working_set);

}  // namespace hybrid
