#include "emulator/scheduler/slot_by_slot.h"

#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/scheduler/fixed_slots.h"

namespace hybrid {

SlotFit SlotBySlot::fit(const SlotProblem& problem) {
  FixedSlots fixed = take_fixed(problem);
  const std::uint32_t ports = problem.set.ports;
  const std::unique_ptr<Scheduler> scheduler = make_(ports);
  BitMatrix requests(ports, ports), established(ports, ports);
  PortSet inputs(ports);
  std::unordered_map<Connection, std::size_t> index;
  std::vector<std::uint32_t> left(ports);  // of each input, requests that are in no slot yet
  for (const std::size_t i : fixed.rest) {
    const Connection c = problem.set.requests[i].connection;
    requests.set(c.source, c.destination);
    inputs.set(c.source);
    index.emplace(c, i);
    ++left[c.source];
  }

  std::size_t to_grant = fixed.rest.size();
  std::uint32_t used = 0;
  Port priority = 0;
  for (; to_grant > 0 && used < fixed.slots_left; ++used) {
    Configuration slot(ports);
    for (bool changed = true; changed;) {
      const auto toggles = scheduler->pass({requests, established, slot, inputs, {priority, priority}});
      priority = priority + 1 == ports ? 0 : priority + 1;
      changed = !toggles.empty();
      for (const Connection& c : toggles) {
        const auto request = index.find(c);
        // Everything in the slot is requested, so that there is nothing to release.
        if (request == index.end() || established.test(c.source, c.destination) || !slot.add(c))
          throw std::logic_error("a one-slot scheduler toggled what it must not");
        established.set(c.source, c.destination);
        fixed.fit.slot_of[request->second] = fixed.fit.slots + used;
        --to_grant;
        if (--left[c.source] == 0) inputs.reset(c.source);
      }
    }
    if (slot.empty()) throw std::logic_error("a one-slot scheduler leaves requests between free ports");
  }
  fixed.fit.slots += used;
  return std::move(fixed.fit);
}

}  // namespace hybrid
