// How long a run may last, so that times still add up: every sum that a model makes of two of them fits.
#pragma once

#include <cstdint>

#include "core/error.h"
#include "core/time.h"

namespace hybrid {

constexpr Time kLongestRun{std::int64_t{1} << 61};  // 26 days

/// Of that, the most that one message may take.
constexpr Time kLongestMessage{kLongestRun.ps / 4};

/// Throws UserError: a run, or one message of it, goes on for longer than that.
[[noreturn]] inline void refuse_longer_run() {
  throw UserError("the run takes longer than can be emulated: " + to_string(kLongestRun) + " have passed",
                  "Give fewer or smaller messages, or faster parts.");
}

/// `at`, which is refused where it lies beyond the end.
inline Time within_run(Time at) {
  if (at > kLongestRun) refuse_longer_run();
  return at;
}

/// `by` >= 0 after `at`, both of any size.
inline Time later_in_run(Time at, Time by) {
  if (at > kLongestRun || by > kLongestRun - at) refuse_longer_run();
  return at + by;
}

}  // namespace hybrid
