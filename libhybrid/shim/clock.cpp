#include "libhybrid/shim/clock.h"

#include <cstdlib>
#include <cstring>

#include "core/cycle_counter.h"

namespace hybrid::shim {

constinit bool detail::counts_cycles = true;

namespace {
// Before the initialisers of all other files, some of which read the clock.
[[gnu::constructor(101)]] void choose_clock() {
  const char* const wish = std::getenv("LIBHYBRID_CYCLE_COUNTER");
  detail::counts_cycles = has_steady_cycle_counter() && (wish == nullptr || std::strcmp(wish, "off") != 0);
}
}  // namespace

ClockSample ClockSample::now() {
  // Of a few tries the one with the narrowest bracket: the others were interrupted.
  ClockSample best;
  Ticks narrowest = ~Ticks{0};
  for (int attempt = 0; attempt < 5; ++attempt) {
    const Ticks before = ticks();
    const std::uint64_t nanoseconds = nanoseconds_of(CLOCK_MONOTONIC);
    const Ticks after = ticks();
    if (after - before < narrowest) {
      narrowest = after - before;
      best = {before + (after - before) / 2, nanoseconds};
    }
  }
  return best;
}

std::uint64_t ticks_per_second(const ClockSample& first, const ClockSample& second) {
  if (second.nanoseconds <= first.nanoseconds || second.at <= first.at) return 1'000'000'000;
  return static_cast<std::uint64_t>(static_cast<double>(second.at - first.at) * 1e9 /
                                    static_cast<double>(second.nanoseconds - first.nanoseconds));
}

}  // namespace hybrid::shim
