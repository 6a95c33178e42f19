// The embedded scheduler: the C++ model of D 5.3.1, figure 5.1, behind the scheduler port (whose contract it
// keeps; core/scheduler_port.h). This file says what the model adds to that contract.
//
// State: K configuration registers B^(0) .. B^(K-1), their union B*, and the request matrix R, whose bits are
// levels: a bit is 1 from request() to release() or flush().
//
// Time. On every edge of `scheduler.cycle` with work to do, one pass of the one-slot scheduler
// (`scheduler_name`, emulator/scheduler/scheduler.h) runs over one slot; what it changed is visible
// `scheduler.delay()` later, passes being pipelined. A pass sees everything asked at or before its edge.
// Preload and flush act on the first edge at or after their time, on all slots at once, and become visible
// like a pass.
//
// Slots. A sweep goes over the slots that are not preloaded, from slot 0 up, one pass each (the SL counter,
// first fit over slots: D 3.4.2). It ends early when no connection is pending or to be released, and the next
// one starts at slot 0 again, so that connections gather in the low slots and the TDM cycle has many empty
// slots to skip (D 4.3). Each sweep has its own rotating priority (a, b) (D 5.3.2); N^2 sweeps go through all
// pairs. A sweep's worth of passes without a change stops the counter until something is asked: pending
// requests found no room and stay pending. Stopped, the model costs no time.
//
// Release. A released connection stays established until the counter comes to its slot (Table 5.1); a request
// that comes first keeps it.
// Preload. A connection of the new configuration leaves whatever slot held it, a preloaded one too: the last
// word counts. Connections that requests had put into that slot, and that are still requested, become
// pending again and may find room in another slot. Of a configuration that a fat tree cannot hold whole, what
// it cannot hold is as if it had not been given.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/scheduler_port.h"
#include "emulator/parameters.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

/// The network whose slots the model fills: who of those that ask gets in, and, where free ports are not all
/// that a connection needs (its path through a tree), what each slot holds of that.
class SlotNetwork {
 public:
  virtual ~SlotNetwork() = default;
  /// A pass over slot `slot`, as Scheduler::pass but that what has both ports free and no path may have to
  /// wait. What it toggles is so at once.
  virtual std::span<const Connection> pass(std::uint32_t slot, const SchedulingPass& in) = 0;
  /// The slot holds as much of `wanted` as can be, and nothing else. Returns what it holds; nullptr: all.
  virtual const Configuration* load(std::uint32_t /*slot*/, const Configuration& /*wanted*/) {
    return nullptr;
  }
  /// The slot lost `c` otherwise.
  virtual void lost(std::uint32_t /*slot*/, Connection /*c*/) {}
  /// As SchedulerPort::find_blocking().
  virtual void find_blocking(std::uint32_t /*slot*/, Connection /*c*/,
                             std::vector<Connection>& /*found*/) const {}
};

/// The model over `network`, which has `nodes` ports and `slots` slots.
std::unique_ptr<SchedulerPort> make_model_port(const SwitchParameters& parameters,
                                               std::unique_ptr<SlotNetwork> network);

/// An empty scheduler for `nodes` ports and `slots` slots, of a crossbar or a fat tree
/// (emulator/scheduler/tree_port.h); reads `scheduler`, `scheduler_name`, `scheduler_steps` and `seed` too.
/// Throws UserError for no nodes, no slots, no scheduler clock, or an unknown scheduler.
std::unique_ptr<SchedulerPort> make_scheduler_port(const SwitchParameters& parameters);

}  // namespace hybrid
