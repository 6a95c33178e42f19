// Test helper: random passes of two one-slot schedulers that must give the same toggles, in the same order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "emulator/scheduler/testing/slots.h"

namespace hybrid {

/// Requests and releases come at random, at loads from light to full; slots and priorities change; at times a
/// slot is preloaded or flushed.
class RandomPasses {
 public:
  RandomPasses(std::uint32_t ports, std::size_t slots, Scheduler& expected, Scheduler& actual,
               std::uint64_t seed)
      : random_(seed),
        expected_(expected),
        actual_(actual),
        state_(random_slots(ports, slots, 30, random_)) {}

  /// Makes the next pass. Returns the toggles of both if they differ, else "".
  std::string pass() {
    const std::size_t ports = state_.ports();
    const std::uint64_t percent = (passes_++ >> 6) % 101;
    for (std::uint64_t i = random_.below(1 + random_.below(2 * ports)); i > 0; --i) {
      const std::uint64_t u = random_.below(ports), v = random_.below(ports);
      if (random_.below(100) < percent)
        state_.requests.set(u, v);
      else
        state_.requests.reset(u, v);
    }
    const std::size_t s = random_.below(state_.slots.size());
    if (random_.below(50) == 0) {
      for (const Connection c : state_.slots[s].connections()) {
        state_.slots[s].remove(c);
        state_.established.reset(c.source, c.destination);
      }
      state_.hold(s, {static_cast<Port>(random_.below(ports)), static_cast<Port>(random_.below(ports))});
    }
    SchedulingPass in = state_.pass(s, any_priority(ports, random_));
    in.slot_number = static_cast<std::uint32_t>(s);
    const auto expected = expected_.pass(in), actual = actual_.pass(in);
    if (!std::equal(expected.begin(), expected.end(), actual.begin(), actual.end()))
      return "pass " + std::to_string(passes_ - 1) + ", signal toggle: expected " + text_of(expected) +
             "; actual " + text_of(actual);
    state_.toggle(s, expected);
    return "";
  }

 private:
  static std::string text_of(std::span<const Connection> toggles) {
    std::string text;
    for (const Connection c : toggles)
      text += (text.empty() ? "" : ", ") + std::to_string(c.source) + " -> " + std::to_string(c.destination);
    return text.empty() ? "nothing" : text;
  }

  Random random_;
  Scheduler& expected_;
  Scheduler& actual_;
  SlotState state_;
  std::uint64_t passes_ = 0;
};

}  // namespace hybrid
