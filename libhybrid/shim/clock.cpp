#include "libhybrid/shim/clock.h"

#include <cstdlib>
#include <cstring>

#include "core/cycle_counter.h"

namespace hybrid::shim {

constinit bool detail::counts_cycles = true;

namespace {
// Runs before the initialisers of all other files, because some of them read the clock.
[[gnu::constructor(101)]] void choose_clock() {
  const char* const setting = std::getenv("LIBHYBRID_CYCLE_COUNTER");
  detail::counts_cycles =
      has_steady_cycle_counter() && (setting == nullptr || std::strcmp(setting, "off") != 0);
}
}  // namespace

ClockSample ClockSample::now() {
  // Of several tries, the one with the shortest interval around it: the others were interrupted.
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
