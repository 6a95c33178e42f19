// Finds communication phases from the sends where there are no hints: stretches of the job with one stable
// working set (D 5.1). Streams: memory grows with ports and phases, not with messages.
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

class PhaseFinder {
 public:
  explicit PhaseFinder(std::uint32_t ports);
  ~PhaseFinder();
  PhaseFinder(PhaseFinder&&) noexcept;
  /// Sends of all ports, merged in time order within reason (ports may be out of step).
  void send(Time at, Connection connection, Bytes bytes);
  std::vector<Phase> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The largest number of connections at one input or output port.
std::uint32_t slots_needed(const std::vector<Connection>& working_set);

}  // namespace hybrid
