// The TDM cycle controller (D 4.2.2, 4.3): the sequence of slots at the switch.
//
// The first slot begins at time 0, each next one when the one before ends; which one it is, the allocation
// says from what holds at that instant (changes of the same instant included). While nothing changes the
// sequence repeats, so stretches that nobody looks at are skipped over exactly, in constant time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/port_set.h"
#include "core/time.h"
#include "emulator/network/repetition.h"
#include "emulator/parameters.h"
#include "emulator/tdm/allocation.h"

namespace hybrid {

class CycleController {
 public:
  /// `wormhole_slot`: whether there is an S_W. Throws UserError for an unknown allocation.
  CycleController(const SwitchParameters& parameters, bool wormhole_slot);

  struct Slot {
    Time begin{}, end{};
    std::uint32_t slot = kIdleSlot;
    bool reconfigures = false;  // the fabric is not already configured like this
    bool shared = false;        // see SlotChoice
  };

  /// The end of the current slot, which is when the next one begins.
  Time boundary() const { return boundary_; }
  /// Begins the next slot, at boundary().
  /// `wormhole_inputs`: of the switch, at which wormhole traffic waits.
  Slot begin_slot(std::uint32_t wormhole_inputs);
  /// Goes over all boundaries before `limit`, with no wormhole traffic buffered.
  void skip_to(Time limit);

  Time longest_slot() const { return allocation_->longest_slot(); }
  bool needs_signals() const { return allocation_->needs_signals(); }
  /// Data waits for so many connections of slot `slot`, as the switch knows. Boundaries before must be done.
  void set_waiting_connections(std::uint32_t slot, std::uint32_t connections);
  /// So much was offered to a NIC, as the switch knows. Returns whether foreground() changed.
  bool add_offered_traffic(Traffic more);
  bool foreground() const { return foreground_; }

  /// Lists what changes from slot to slot while no slot's connections do (emulator/network/repetition.h).
  void visit(StateVisitor& v);
  /// The slot just begun is shared, and configured with so many connections.
  void add_grants(std::uint64_t connections) { grants_ += connections; }
  /// Slot `slot` (< K) changed and now holds `connections`. Boundaries before the change must be done.
  void set_connections(std::uint32_t slot, std::size_t connections);

  /// The slot begun last, idle ones not counted.
  std::uint32_t previous() const { return previous_; }
  std::uint64_t slots_begun() const { return begun_; }
  /// (slot, connection) pairs in all slots begun.
  std::uint64_t grants() const { return grants_; }

 private:
  CycleState state(std::uint32_t wormhole_inputs) const;
  void repeat(std::uint64_t times, Time cycle, std::uint64_t begun, std::uint64_t grants);

  std::unique_ptr<Allocation> allocation_;
  std::uint32_t slots_;
  bool wormhole_slot_;
  PortSet occupied_;
  std::vector<std::size_t> connections_;  // by slot
  std::vector<std::uint32_t> wanted_connections_, passed_over_;
  std::vector<char> stale_;  // by slot: changed since it was last in the fabric
  std::uint32_t previous_, previous_predictive_;
  PortSet wanted_;
  Traffic traffic_;
  std::int64_t window_words_;   // over which the share of predictable words is taken
  std::int64_t counted_words_;  // so far; no more than that
  Share predictable_ = kWhole;
  bool foreground_ = true;
  std::uint32_t in_fabric_ = kIdleSlot;
  Time boundary_{};
  std::uint64_t begun_ = 0, grants_ = 0;
};

}  // namespace hybrid
