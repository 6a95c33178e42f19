// Clock of a running job, and its conversion to model time: picoseconds since time 0 of the job on this host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/time.h"

namespace hybrid {

/// A monotonic clock that gives the same reading in every process of a host. `ticks` may be called from any
/// thread; it never returns 0.
struct LiveClock {
  std::function<std::uint64_t()> ticks;
  std::uint64_t ticks_per_second = 0;
};

/// Converts ticks to model time.
struct LiveTimeline {
  std::uint64_t origin_ticks = 0;
  std::uint64_t ticks_per_second = 1;

  /// Rounds down to a picosecond. Ticks before the origin are time 0.
  Time at(std::uint64_t ticks) const {
    __extension__ using Wide = unsigned __int128;
    if (ticks <= origin_ticks) return {};
    const Wide ps = Wide{ticks - origin_ticks} * 1'000'000'000'000u / ticks_per_second;
    return {static_cast<std::int64_t>(std::min<Wide>(ps, static_cast<Wide>(Time::never().ps - 1)))};
  }
};

}  // namespace hybrid
