// A one-slot crossbar scheduler: what the block "scheduling logic" of D figure 5.1 does to one slot in one SL
// clock.
//
// Contract
// - Of the request matrix R, the union B* of all slots, and B^(s), Table 5.1 makes what a pass over slot s is
//   given: what it may establish, "open" (in R and not in B*), and what it is to release (in B^(s) and not in
//   R). It gives the connections to toggle in B^(s) (the ones of T, D 5.3.2). Toggled in the order given,
//   B^(s) stays a partial permutation after every single toggle.
// - It releases only what is to be released, and establishes only what is open.
// - Progress: when something is to be released, or something open has both its ports free, at least one
//   connection is toggled. So a pass that toggles nothing would toggle nothing under any other priority.
// - Deterministic; state from pass to pass (pointers, say) is allowed. No allocation after construction.
#pragma once

#include <cstdint>
#include <span>

#include "core/configuration.h"
#include "core/connection.h"
#include "core/port_set.h"

namespace hybrid {

struct SchedulerShape {
  std::uint32_t ports = 0;  // N > 0
  std::uint64_t seed = 1;   // of the algorithms that draw
  std::uint32_t steps = 0;  // iterations of the algorithms that have them; 0: the algorithm's own number
};

/// Input and output of highest priority, both in 0 .. N-1: rows and columns are taken in the order a, a+1,
/// ..., N-1, 0, ..., a-1 (D 5.3.2, last paragraph but one).
struct SchedulingPriority {
  Port input = 0;   // a
  Port output = 0;  // b
};

/// All N x N or over N ports.
struct SchedulingPass {
  const BitMatrix& open;      // R and not B*
  const PortSet& to_release;  // inputs whose connection in `slot` is not in R
  const Configuration& slot;  // B^(s), a part of B*
  /// Inputs to look at. Must hold every input with a connection to release in this slot or to establish in
  /// any; spares the pass the rest.
  const PortSet& inputs;
  SchedulingPriority priority;
  /// [input][w]: whether word w of that input's row of `open` holds any, so that a pass need not go over long
  /// rows of few requests; nullptr: not known.
  const BitMatrix* open_words = nullptr;
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// The connections to toggle in B^(s), in an order in which they can be; valid until the next pass.
  virtual std::span<const Connection> pass(const SchedulingPass& in) = 0;
};

}  // namespace hybrid
