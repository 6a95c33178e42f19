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
  };

  /// The end of the current slot, which is when the next one begins.
  Time boundary() const { return boundary_; }
  /// Begins the next slot, at boundary().
  Slot step(bool wormhole_buffered);
  /// Goes over all boundaries before `limit`, with no wormhole traffic buffered.
  void skip_to(Time limit);

  /// Lists what changes from slot to slot while no slot's connections do (emulator/network/repetition.h). An
  /// allocation that remembers something would have to list that too.
  void visit(StateVisitor& v);
  /// Slot `slot` (< K) changed and now holds `connections`. Boundaries before the change must be done.
  void changed(std::uint32_t slot, std::size_t connections);

  /// The slot begun last, idle ones not counted.
  std::uint32_t previous() const { return previous_; }
  std::uint64_t slots_begun() const { return begun_; }
  /// (slot, connection) pairs in all slots begun.
  std::uint64_t grants() const { return grants_; }

 private:
  void repeat(std::uint64_t times, Time cycle, std::uint64_t begun, std::uint64_t grants);
  SlotChoice choose(bool wormhole_buffered) const;
  void count(std::uint32_t slot, std::uint64_t times);

  std::unique_ptr<Allocation> allocation_;
  std::uint32_t slots_;
  bool wormhole_slot_;
  PortSet occupied_;
  std::vector<std::size_t> connections_;  // by slot
  std::vector<char> stale_;               // by slot: changed since it was last in the fabric
  std::uint32_t previous_;
  std::uint32_t in_fabric_ = kIdleSlot;
  Time boundary_{};
  std::uint64_t begun_ = 0, grants_ = 0;
};

}  // namespace hybrid
