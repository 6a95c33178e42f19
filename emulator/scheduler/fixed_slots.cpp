#include "emulator/scheduler/fixed_slots.h"

#include <string>

#include "core/error.h"

namespace hybrid {

FixedSlots take_fixed(const SlotProblem& problem) {
  const std::size_t fixed = problem.fixed.size();
  if (problem.slots != 0 && fixed > problem.slots)
    throw UserError(
        "slots: " + std::to_string(fixed) + " are preloaded, but there are " + std::to_string(problem.slots),
        "Give at least as many slots as are preloaded.");
  FixedSlots taken;
  taken.fit.slots = static_cast<std::uint32_t>(fixed);
  taken.fit.slot_of.assign(problem.set.requests.size(), kNoSlot);
  taken.slots_left = problem.slots == 0 ? kNoSlot : problem.slots - taken.fit.slots;
  taken.rest.reserve(problem.set.requests.size());
  for (std::size_t i = 0; i < problem.set.requests.size(); ++i) {
    std::size_t slot = 0;
    while (slot < fixed && !problem.fixed[slot].holds(problem.set.requests[i].connection)) ++slot;
    if (slot < fixed)
      taken.fit.slot_of[i] = static_cast<std::uint32_t>(slot);
    else
      taken.rest.push_back(i);
  }
  return taken;
}

}  // namespace hybrid
