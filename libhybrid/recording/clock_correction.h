// Moves the clocks of hosts so that no message is received before it is sent.
#pragma once

#include <cstdint>

#include "core/time.h"
#include "libhybrid/recording/rank_clocks.h"
#include "libhybrid/recording/recording.h"

namespace hybrid {

struct ClockCorrection {
  Time largest_shift{};              // of a host's clock
  std::uint64_t early_messages = 0;  // received before they were sent, before the correction
  /// Clocks that drift apart cannot be mended by moving them: messages may still be early by up to this.
  Time remaining{};
};

/// Reads all messages between processes that do not share a clock, and shifts each clock forward by the least
/// that makes every one of them arrive at or after its sending (a system of difference constraints, solved by
/// Bellman and Ford's relaxation). Does nothing where all processes share a clock: there, a receive's end is
/// after its send's begin by itself.
ClockCorrection correct_clocks(const Recording& recording, RankClocks& clocks);

}  // namespace hybrid
