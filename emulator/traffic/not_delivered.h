// When a technique brings no message home any more, and what can be done about it.
#pragma once

#include <cstdint>
#include <string>

#include "core/time.h"
#include "emulator/parameters.h"

namespace hybrid {

/// Steps of a technique, one after the other, of which no message hears anything: nothing will come.
constexpr std::uint64_t kStalled = std::uint64_t{1} << 26;

/// Throws RunError: `messages` ("3 of 8 messages of pattern uniform") have not come by `at`, by which the
/// technique had done nothing for `quiet_steps` steps.
[[noreturn]] void refuse_to_wait(const std::string& messages, const SwitchParameters& parameters, Time at,
                                 std::uint64_t quiet_steps);

}  // namespace hybrid
