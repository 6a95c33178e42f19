// What preloaded slots grant, and what is left to fit. Nothing is added to a fixed slot, so that what is left
// is the same problem without them, with fewer slots: whatever is exact for it is exact for the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/scheduler/slot_fitter.h"

namespace hybrid {

struct FixedSlots {
  SlotFit fit;                    // with the requests that a fixed slot holds; the others kNoSlot
  std::vector<std::size_t> rest;  // the requests that none holds, in order
  std::uint32_t slots_left = 0;   // beside the fixed ones; kNoSlot: as many as needed
};

/// Throws UserError when there are more fixed slots than slots.
FixedSlots take_fixed(const SlotProblem& problem);

}  // namespace hybrid
