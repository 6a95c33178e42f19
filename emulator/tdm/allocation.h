// Allocations: how the TDM cycle is shared among its slots (D 4.2 to 4.5). One file an allocation, picked by
// name.
//
// At the end of each slot the TDM cycle controller asks which slot comes next. Slots 0 .. K-1 are the
// predictive slots; slot K, where there is one, is the wormhole slot S_W.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/port_set.h"
#include "core/registry.h"
#include "core/time.h"
#include "emulator/parameters.h"

namespace hybrid {

inline constexpr std::uint32_t kIdleSlot = ~std::uint32_t{0};

/// What the controller sees when a slot ends.
struct CycleState {
  std::uint32_t slots = 0;         // K
  bool wormhole_slot = false;      // whether there is an S_W
  const PortSet& occupied;         // bit i: E_i, slot i holds a connection
  bool wormhole_buffered = false;  // wormhole traffic waits at the switch
  std::uint32_t previous = 0;      // the slot that ended or was idled in last (0 .. K); at the start the last
};

/// The next slot, or kIdleSlot when there is nothing to give time to; and how long it lasts (> 0), also when
/// idle.
struct SlotChoice {
  std::uint32_t slot = kIdleSlot;
  Time length{};
};

class Allocation {
 public:
  static constexpr std::string_view kKind = "allocation";
  virtual ~Allocation() = default;
  /// Depends on nothing but `state`.
  virtual SlotChoice next(const CycleState& state) const = 0;
};

using AllocationRegistration = Registration<Allocation, const SwitchParameters&>;

}  // namespace hybrid
