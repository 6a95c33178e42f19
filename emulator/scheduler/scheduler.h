// One-slot crossbar scheduler: what the block "scheduling logic" of D figure 5.1 does to one slot in one SL
// clock.
//
// Contract
// - Table 5.1 derives the input of a pass over slot s from the request matrix R, the union B* of all slots,
//   and B^(s): the connections that it may establish, "open" (in R and not in B*), and those that it must
//   release (in B^(s) and not in R). The pass returns the connections to toggle in B^(s) (the ones of T, D
//   5.3.2). Toggled in the order given, B^(s) is a partial permutation after every single toggle.
// - It releases only connections to be released, and establishes only open connections.
// - Progress: if a connection must be released, or an open connection has both its ports free, the pass
//   toggles at least one connection. So a pass that toggles nothing would toggle nothing under any other
//   priority.
// - Deterministic; state from pass to pass (pointers, for example) is allowed. No allocation after
//   construction.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/configuration.h"
#include "core/connection.h"
#include "core/port_set.h"

namespace hybrid {

struct SchedulerShape {
  std::uint32_t ports = 0;    // N > 0
  std::uint64_t seed = 1;     // of the algorithms that draw
  std::uint32_t steps = 0;    // iterations of the algorithms that have them; 0: the algorithm's default
  std::string waveform = {};  // file for the signals of an algorithm in RTL; "": none
  std::string device = {};    // of an algorithm behind a serial line
};

/// Input and output of highest priority, both in 0 .. N-1: rows and columns are taken in the order a, a+1,
/// ..., N-1, 0, ..., a-1 (D 5.3.2, last paragraph but one).
struct SchedulingPriority {
  Port input = 0;   // a
  Port output = 0;  // b
};

/// Input of a pass. All sets and matrices are over N ports.
struct SchedulingPass {
  const BitMatrix& open;      // R and not B*
  const PortSet& to_release;  // inputs whose connection in `slot` is not in R
  const Configuration& slot;  // B^(s), a part of B*
  /// Inputs to consider. Must contain every input with a connection to release in this slot or to establish
  /// in any slot; the pass skips the others.
  const PortSet& inputs;
  SchedulingPriority priority;
  /// [input][w]: whether word w of that input's row of `open` is not 0, so that a pass can skip the zero
  /// words of long rows; nullptr: not known.
  const BitMatrix* open_words = nullptr;
  std::uint32_t slot_number = 0;  // s
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;

  /// Returns the connections to toggle in B^(s), in a valid order. The span is valid until the next pass.
  virtual std::span<const Connection> pass(const SchedulingPass& in) = 0;
};

}  // namespace hybrid
