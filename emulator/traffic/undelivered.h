// Errors for messages that a technique does not deliver.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/time.h"
#include "emulator/parameters.h"

namespace hybrid {

/// Number of consecutive steps of a technique without an event of any message after which a run is stuck.
constexpr std::uint64_t kStuckSteps = std::uint64_t{1} << 26;

/// Throws RunError: `messages` ("3 of 8 messages of pattern uniform") are not delivered at time `at`, and the
/// last `quiet_steps` steps of the technique had no event of any message.
[[noreturn]] inline void throw_undelivered(const std::string& messages, const SwitchParameters& parameters,
                                           Time at, std::uint64_t quiet_steps) {
  const std::string when = fmt::format("({} of emulated time)", to_string(at));
  // In other techniques preloaded circuits always leave a slot for the other connections.
  if (parameters.technique == "tdm" && parameters.preload >= parameters.slots)
    throw RunError(fmt::format("{} cannot be delivered by technique tdm {}", messages, when),
                   "All --slots are preloaded, with other connections: give a smaller --preload, or "
                   "--technique hybrid.");
  if (quiet_steps < kStuckSteps)
    throw RunError(
        fmt::format("{} cannot be delivered by technique {} {}", messages, parameters.technique, when),
        "This is a fault of libhybrid: please report it with the command.");
  throw RunError(fmt::format("{} are not delivered by technique {} {}, and none has arrived in the last {} "
                             "steps of the emulation",
                             messages, parameters.technique, when, quiet_steps),
                 "Give smaller messages, or shorter delays.");
}

}  // namespace hybrid
