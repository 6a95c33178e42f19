// TDM cycle controller (D 4.2.2, 4.3): the sequence of slots at the switch.
//
// The first slot begins at time 0, each next slot at the end of the previous one. The allocation selects each
// slot from the state at that instant (including changes of the same instant). The sequence repeats while the
// state does not change, so that slots that are not used are skipped exactly, in constant time.
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
  /// `wormhole_slot`: the cycle has an S_W. Throws UserError for an unknown allocation.
  CycleController(const SwitchParameters& parameters, bool wormhole_slot);

  struct Slot {
    Time begin{}, end{};
    std::uint32_t slot = kIdleSlot;
    bool reconfigures = false;  // the fabric does not have this configuration already
    bool shared = false;        // see SlotChoice
  };

  /// The end of the current slot, which is when the next one begins.
  Time boundary() const { return boundary_; }
  /// Begins the next slot, at boundary(). `wormhole_inputs`: number of switch inputs at which wormhole
  /// traffic waits.
  Slot begin_slot(std::uint32_t wormhole_inputs);
  /// Skips all boundaries before `limit`. Requires: no wormhole traffic is buffered.
  void skip_to(Time limit);

  Time longest_slot() const { return allocation_->longest_slot(); }
  bool needs_signals() const { return allocation_->needs_signals(); }
  bool needs_efficiency() const { return allocation_->needs_efficiency(); }
  bool keeps_circuits() const { return allocation_->keeps_circuits(); }
  /// Sets the number of connections of slot `slot` that data waits for, as known to the switch. Requires: all
  /// earlier boundaries have been handled.
  void set_waiting_connections(std::uint32_t slot, std::uint32_t connections);
  /// Adds traffic offered to a NIC, as known to the switch. Returns whether foreground() changed.
  bool add_offered_traffic(Traffic more);
  bool foreground() const { return foreground_; }
  /// Sets the efficiency of worms as measured until boundary().
  void set_worm_efficiency(Efficiency measured) { worms_ = measured; }

  /// Lists the state that changes from slot to slot while the connections of the slots do not
  /// (emulator/network/repetition.h).
  void visit(StateVisitor& v);
  /// Adds the number of connections configured in a shared slot that just began.
  void add_grants(std::uint64_t connections) { grants_ += connections; }
  /// Slot `slot` (< K) changed and holds `connections` connections now. Requires: all boundaries before the
  /// change have been handled.
  void set_connections(std::uint32_t slot, std::size_t connections);

  /// The slot that began last, except idle slots.
  std::uint32_t previous() const { return previous_; }
  std::uint64_t slots_begun() const { return begun_; }
  /// Number of (slot, connection) pairs in all slots that began.
  std::uint64_t grants() const { return grants_; }

 private:
  CycleState state(std::uint32_t wormhole_inputs) const;
  void repeat(std::uint64_t times, Time cycle, std::uint64_t begun, std::uint64_t grants,
              Efficiency circuits);
  void measure_circuits();

  std::unique_ptr<Allocation> allocation_;
  std::uint32_t slots_;
  bool wormhole_slot_;
  PortSet occupied_;
  std::vector<std::size_t> connections_;  // by slot
  std::vector<std::uint32_t> wanted_connections_, passed_over_;
  std::uint32_t circuits_passed_over_ = 0;
  std::vector<char> stale_;  // by slot: changed since it was last in the fabric
  std::uint32_t previous_, previous_predictive_;
  PortSet wanted_;
  Traffic traffic_;
  std::int64_t window_words_;   // window of the share of predictable words
  std::int64_t counted_words_;  // words counted so far, at most window_words_
  Share predictable_ = kWhole;
  bool foreground_ = true;
  std::uint32_t in_fabric_ = kIdleSlot;
  Time boundary_{};
  Time word_, unusable_, unusable_after_change_;
  Slot current_;
  Efficiency circuits_, worms_;
  std::uint64_t begun_ = 0, grants_ = 0;
};

}  // namespace hybrid
