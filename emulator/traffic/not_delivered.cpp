#include "emulator/traffic/not_delivered.h"

#include <fmt/format.h>

#include "core/error.h"

namespace hybrid {

void refuse_to_wait(const std::string& messages, const SwitchParameters& parameters, Time at,
                    std::uint64_t quiet_steps) {
  const std::string when = fmt::format("({} of emulated time)", to_string(at));
  // Only there can circuits of others leave no slot at all.
  if (parameters.technique == "tdm" && parameters.preload >= parameters.slots)
    throw RunError(fmt::format("{} cannot be delivered by technique tdm {}", messages, when),
                   "All --slots are preloaded, with other connections: give a smaller --preload, or "
                   "--technique hybrid.");
  if (quiet_steps < kStalled)
    throw RunError(
        fmt::format("{} cannot be delivered by technique {} {}", messages, parameters.technique, when),
        "This is a fault of libhybrid: please report it with the command.");
  throw RunError(fmt::format("{} are still on their way by technique {} {}, and none has come in the last {} "
                             "steps of the emulation",
                             messages, parameters.technique, when, quiet_steps),
                 "Give smaller messages, or shorter delays.");
}

}  // namespace hybrid
