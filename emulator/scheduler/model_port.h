// The embedded scheduler: the C++ model of D 5.3.1, figure 5.1, behind the scheduler port (contract:
// core/scheduler_port.h). This file states what the model adds to that contract.
//
// State: K configuration registers B^(0) .. B^(K-1), their union B*, and the request matrix R, whose bits are
// levels: a bit is 1 from request() to release() or flush().
//
// Time. On every edge of `scheduler.cycle` with work to do, one pass of the one-slot scheduler
// (`scheduler_name`, emulator/scheduler/scheduler.h) processes one slot; its changes are visible
// `scheduler.delay()` later, since passes are pipelined. A pass sees every call made at or before its edge.
// Preload and flush act on the first edge at or after their time, on all slots at once, and become visible
// like a pass.
//
// Slots. A sweep visits the slots that are not preloaded, from slot 0 up, one pass each (the SL counter,
// first fit over slots: D 3.4.2). It ends early when no connection is pending or to be released; the next
// sweep starts at slot 0 again, so that connections gather in the low slots and the TDM cycle has many empty
// slots to skip (D 4.3). Each sweep has its own rotating priority (a, b) (D 5.3.2); N^2 sweeps use all pairs.
// After a sweep's number of passes without a change the counter stops until the next call: pending requests
// found no room and stay pending. While stopped, the model costs no time. The counter depends on the state at
// the edges of its clock only, like emulator/rtl/slot_scheduler.sv.
//
// With `pass_fills_all_slots` a sweep takes one edge: all slots are processed in the same order, each on the
// result of the one before. The hardware needs K one-slot schedulers in a row and a cycle that is as long as
// K passes; the SL counter needs one of them and the cycle of one pass.
//
// Release. A released connection stays established until the counter reaches its slot (Table 5.1); an earlier
// request keeps it.
//
// Preload. A connection of the new configuration leaves the slot that held it, even a preloaded one: the last
// call wins. Connections that requests had put into the preloaded slot, and that are still requested, become
// pending again and may find room in another slot. If a fat tree cannot hold the whole configuration, the
// connections that it cannot hold are ignored.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/scheduler_port.h"
#include "emulator/parameters.h"
#include "emulator/scheduler/scheduler.h"

namespace hybrid {

/// The network whose slots the model fills. It selects the connections of a pass. If a connection needs more
/// than two free ports (its path through a tree), the network stores what each slot holds of that.
class SlotNetwork {
 public:
  virtual ~SlotNetwork() = default;
  /// Makes a pass over slot `slot`, as Scheduler::pass(); but a request with both ports free and no path may
  /// stay pending. The toggles take effect at once.
  virtual std::span<const Connection> pass(std::uint32_t slot, const SchedulingPass& in) = 0;
  /// Replaces the content of the slot by as much of `wanted` as fits. Returns what the slot then holds;
  /// nullptr: all of `wanted`.
  virtual const Configuration* load_slot(std::uint32_t /*slot*/, const Configuration& /*wanted*/) {
    return nullptr;
  }
  /// Removes `c` from the slot.
  virtual void remove(std::uint32_t /*slot*/, Connection /*c*/) {}
  /// As SchedulerPort::find_blocking().
  virtual void find_blocking(std::uint32_t /*slot*/, Connection /*c*/,
                             std::vector<Connection>& /*found*/) const {}
};

/// Returns the model over `network`, which has `nodes` ports and `slots` slots.
std::unique_ptr<SchedulerPort> make_model_port(const SwitchParameters& parameters,
                                               std::unique_ptr<SlotNetwork> network);

/// Returns an empty scheduler for `nodes` ports and `slots` slots, of a crossbar or a fat tree
/// (emulator/scheduler/tree_port.h); also uses `scheduler`, `scheduler_name`, `scheduler_steps` and `seed`.
/// Throws UserError for no nodes, no slots, no scheduler clock, or an unknown scheduler.
std::unique_ptr<SchedulerPort> make_scheduler_port(const SwitchParameters& parameters);

}  // namespace hybrid
