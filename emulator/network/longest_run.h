// The longest run that can be emulated. Sums of two times within it do not overflow.
#pragma once

#include <cstdint>

#include "core/error.h"
#include "core/time.h"

namespace hybrid {

constexpr Time kLongestRun{std::int64_t{1} << 61};  // 26 days

/// The longest time that one message may take.
constexpr Time kLongestMessage{kLongestRun.ps / 4};

/// Throws the UserError for a run, or a message, that is longer.
[[noreturn]] inline void refuse_longer_run() {
  throw UserError("the run takes longer than can be emulated (" + to_string(kLongestRun) + ")",
                  "Give fewer or smaller messages, or faster components.");
}

/// Returns `at`. Throws UserError if it is after the longest run.
inline Time within_run(Time at) {
  if (at > kLongestRun) refuse_longer_run();
  return at;
}

/// Returns at + by, without overflow. Requires: by >= 0. Throws UserError if the sum is after the longest
/// run.
inline Time later_in_run(Time at, Time by) {
  if (at > kLongestRun || by > kLongestRun - at) refuse_longer_run();
  return at + by;
}

}  // namespace hybrid
