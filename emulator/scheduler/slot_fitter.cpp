#include "emulator/scheduler/slot_fitter.h"

#include <string>
#include <unordered_map>

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
  std::unordered_map<Connection, std::uint32_t> slot_of;  // the first slot that contains it
  for (std::uint32_t s = 0; s < taken.fit.slots; ++s)
    for (const Connection c : problem.fixed[s].connections()) slot_of.emplace(c, s);
  for (std::size_t i = 0; i < problem.set.requests.size(); ++i) {
    const auto held = slot_of.find(problem.set.requests[i].connection);
    if (held != slot_of.end())
      taken.fit.slot_of[i] = held->second;
    else
      taken.rest.push_back(i);
  }
  return taken;
}

}  // namespace hybrid
