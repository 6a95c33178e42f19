// Allocations: how the TDM cycle is shared among its slots (D 4.2 to 4.5). One file an allocation, picked by
// name.
//
// At the end of each slot the TDM cycle controller asks which slot comes next. Slots 0 .. K-1 are the
// predictive slots; slot K, where there is one, is the wormhole slot S_W.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/port_set.h"
#include "core/registry.h"
#include "core/time.h"
#include "emulator/parameters.h"

namespace hybrid {

inline constexpr std::uint32_t kIdleSlot = ~std::uint32_t{0};

/// Words offered to the NICs, by tag.
struct Traffic {
  std::uint64_t predictive = 0, wormhole = 0;
};

/// A share in 1/65536.
using Share = std::int64_t;
inline constexpr Share kWhole = 65536;

/// What the controller sees when a slot ends.
struct CycleState {
  std::uint32_t slots = 0;         // K
  bool wormhole_slot = false;      // whether there is an S_W
  const PortSet& occupied;         // bit i: E_i, slot i holds a connection
  bool wormhole_buffered = false;  // wormhole traffic waits at the switch
  std::uint32_t previous = 0;      // the slot that ended or was idled in last (0 .. K); at the start the last
  std::uint32_t previous_predictive = 0;  // the last one of the slots 0 .. K-1
  /// What the NICs told the switch, one wire delay ago (R_valid of D 4.5, by slot): bit i, data waits for a
  /// connection of slot i. Kept up for allocations that need it only.
  const PortSet& wanted;
  std::span<const std::uint32_t> wanted_connections;  // by slot: how many
  std::span<const std::uint32_t> passed_over;         // by slot, S_W too: how often another had its turn
  std::uint32_t wormhole_inputs = 0;                  // of the switch, at which wormhole traffic waits
  Share predictable = kWhole;                         // of the words offered of late
  bool foreground = true;                             // whether the NICs send over circuits now
  Traffic traffic;  // offered to the NICs so far, as told to the switch; likewise
};

/// The next slot, or kIdleSlot when there is nothing to give time to; and how long it lasts (> 0), also when
/// idle.
struct SlotChoice {
  std::uint32_t slot = kIdleSlot;
  Time length{};
  /// Of a predictive slot: only connections that data waits for are configured: its own, and those of the
  /// slots after it (round and round) whose ports are still free. Worms pass between the other ports (each
  /// port is preempted by itself). Circuits need no set-up where all were in the fabric in the slot just
  /// before.
  bool shared = false;
};

class Allocation {
 public:
  static constexpr std::string_view kKind = "allocation";
  virtual ~Allocation() = default;
  /// Depends on nothing but `state`.
  virtual SlotChoice choose_slot(const CycleState& state) const = 0;
  /// Whether the NICs shall send over circuits what they can. Otherwise the circuits are in the background:
  /// messages go by wormhole, once what waits in the virtual queues has gone. Asked when traffic is offered.
  virtual bool foreground(const CycleState& /*state*/) const { return true; }
  /// No slot is longer.
  virtual Time longest_slot() const = 0;
  /// Whether the NICs must tell the switch what waits in their queues, and what is offered to them.
  virtual bool needs_signals() const { return false; }
};

/// The first member of `slots` at or after `from`, or kIdleSlot.
std::uint32_t first_from(const PortSet& slots, std::uint32_t from);

/// The sequence of SES (D 4.3): the next predictive slot that holds a connection; after the last of them S_W,
/// if wormhole traffic is buffered; kIdleSlot when there is nothing at all.
std::uint32_t next_occupied(const CycleState& state);

using AllocationRegistration = Registration<Allocation, const SwitchParameters&>;

}  // namespace hybrid
