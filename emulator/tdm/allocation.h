// Allocations: how the TDM cycle is shared among its slots (D 4.2 to 4.5), selected by name. allocation.cpp
// has those of the dissertation, adaptive.cpp has ours.
//
// At the end of each slot the TDM cycle controller calls the allocation to select the next slot. Slots 0 to
// K-1 are the predictive slots; slot K, if there is one, is the wormhole slot S_W.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/port_set.h"
#include "core/registry.h"
#include "core/time.h"
#include "emulator/network/efficiency.h"
#include "emulator/parameters.h"

namespace hybrid {

inline constexpr std::uint32_t kIdleSlot = ~std::uint32_t{0};

/// Numbers of words offered to the NICs, by tag.
struct Traffic {
  std::uint64_t predictive = 0, wormhole = 0;
};

/// A share in 1/65536.
using Share = std::int64_t;
inline constexpr Share kWhole = 65536;

/// State of the cycle at the end of a slot.
struct CycleState {
  std::uint32_t slots = 0;                // K
  bool wormhole_slot = false;             // the cycle has an S_W
  const PortSet& occupied;                // bit i: E_i, slot i holds a connection
  bool wormhole_buffered = false;         // wormhole traffic waits at the switch
  std::uint32_t previous = 0;             // the last slot that began (0 to K); at the start the last slot
  std::uint32_t previous_predictive = 0;  // the last predictive slot (0 to K-1)
  /// Reports of the NICs to the switch, one wire delay ago (R_valid of D 4.5, by slot): bit i, data waits for
  /// a connection of slot i. Maintained only for allocations with needs_signals().
  const PortSet& wanted;
  std::span<const std::uint32_t> wanted_connections;  // by slot: number of such connections
  std::span<const std::uint32_t> passed_over;         // by slot, with S_W: other slots since it began to wait
  std::uint32_t wormhole_inputs = 0;                  // switch inputs at which wormhole traffic waits
  Share predictable = kWhole;                         // of the words offered recently
  bool foreground = true;                             // the NICs send over circuits now
  Traffic traffic;  // offered to the NICs so far, as reported to the switch; with needs_signals() only
  std::uint32_t circuits_passed_over = 0;  // S_W slots in a row while data waited for some circuit
  Efficiency circuits{}, worms{};          // measured so far; with needs_efficiency() only
};

/// The next slot, or kIdleSlot if no slot needs time, and its length (> 0), also if idle.
struct SlotChoice {
  std::uint32_t slot = kIdleSlot;
  Time length{};
  /// A predictive slot that is shared configures only connections that data waits for: those of the slot,
  /// then those of the following slots (cyclically) with free ports. Worms pass between the other ports: each
  /// port is preempted separately. Circuits need no set-up if all of them were in the fabric in the previous
  /// slot.
  bool shared = false;
};

class Allocation {
 public:
  static constexpr std::string_view kKind = "allocation";
  virtual ~Allocation() = default;
  /// Selects the next slot. The result depends on `state` only.
  virtual SlotChoice choose_slot(const CycleState& state) const = 0;
  /// Whether the NICs use circuits if possible. Otherwise the circuits are in the background: messages travel
  /// as worms after the virtual queues are empty. Called when traffic is offered.
  virtual bool foreground(const CycleState& /*state*/) const { return true; }
  /// Upper bound of the length of all slots.
  virtual Time longest_slot() const = 0;
  /// Whether the circuits of a shared slot are those of a CircuitPlan (emulator/tdm/circuit_plan.h) and the
  /// fabric is reconfigured port by port. Otherwise a shared slot configures its own connections first.
  virtual bool keeps_circuits() const { return false; }
  /// Whether each slot that holds a connection comes in its turn, whether or not data waits for it.
  virtual bool visits_in_turn() const { return false; }
  /// Whether the NICs must report to the switch which data waits and which is offered.
  virtual bool needs_signals() const { return false; }
  /// Whether the switch must measure how efficiently circuits and worms use their slots. Requires:
  /// needs_signals().
  virtual bool needs_efficiency() const { return false; }
};

/// The first slot of `slots` at or after `from`, or kIdleSlot.
std::uint32_t first_from(const PortSet& slots, std::uint32_t from);

/// The sequence of SES (D 4.3): the next predictive slot that holds a connection; after the last of them S_W,
/// if wormhole traffic is buffered; kIdleSlot if there is none of both.
std::uint32_t next_occupied(const CycleState& state);

using AllocationRegistration = Registration<Allocation, const SwitchParameters&>;

/// Whether the allocation of `parameters` does. Both throw UserError for an unknown one.
inline bool keeps_circuits(const SwitchParameters& parameters) {
  return AllocationRegistration::make(parameters.allocation, parameters)->keeps_circuits();
}

inline bool visits_in_turn(const SwitchParameters& parameters) {
  return AllocationRegistration::make(parameters.allocation, parameters)->visits_in_turn();
}

}  // namespace hybrid
