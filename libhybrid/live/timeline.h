// The clock of a running job and its model time: picoseconds since the job's time 0 on this host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/time.h"

namespace hybrid {

/// A clock that never goes back and reads the same in every process of a host. `ticks` may be called from any
/// thread; it never returns 0.
struct LiveClock {
  std::function<std::uint64_t()> ticks;
  std::uint64_t ticks_per_second = 0;
};

struct LiveTimeline {
  std::uint64_t origin_ticks = 0;
  std::uint64_t ticks_per_second = 1;

  /// Ticks from before the origin are time 0; rounded down to a picosecond.
  Time at(std::uint64_t ticks) const {
    __extension__ using Wide = unsigned __int128;
    if (ticks <= origin_ticks) return {};
    const Wide ps = Wide{ticks - origin_ticks} * 1'000'000'000'000u / ticks_per_second;
    return {static_cast<std::int64_t>(std::min<Wide>(ps, static_cast<Wide>(Time::never().ps - 1)))};
  }
};

}  // namespace hybrid
