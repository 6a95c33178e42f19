// The journal's clock: the processor's cycle counter, the only clock that is cheap enough to be read twice in
// a call (5 ns; clock_gettime 20 ns; the thread's CPU clock is a system call of 500 ns). The counters of a
// host's cores agree; the rate is measured against CLOCK_MONOTONIC. On machines without a steady counter
// (core/cycle_counter.h) the clock is CLOCK_MONOTONIC. The choice is made once, when the library is loaded.
#pragma once

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace hybrid::shim {

using Ticks = std::uint64_t;

inline std::uint64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

namespace detail {
/// Whether the clock is the cycle counter. Set before the first reading of the clock; false with
/// LIBHYBRID_CYCLE_COUNTER=off in the environment.
[[gnu::visibility("hidden")]] extern constinit bool counts_cycles;
}  // namespace detail

/// Reads the clock.
inline Ticks ticks() {
#if defined(__x86_64__)
  // The branch is always predicted: its cost is negligible next to the counter's 5 ns.
  if (detail::counts_cycles) [[likely]]
    return __rdtsc();
  return nanoseconds_of(CLOCK_MONOTONIC);
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return nanoseconds_of(CLOCK_MONOTONIC);
#endif
}

/// The counter and CLOCK_MONOTONIC at (nearly) the same instant.
struct ClockSample {
  Ticks at = 0;
  std::uint64_t nanoseconds = 0;
  static ClockSample now();
};

/// Returns the ticks per second between two samples; 1e9 when they coincide. Precondition: `second` is the
/// later one.
std::uint64_t ticks_per_second(const ClockSample& first, const ClockSample& second);

/// Converts spans of ticks without a division.
class TickScale {
 public:
  TickScale() = default;
  explicit TickScale(std::uint64_t ticks_per_second)
      : nanoseconds_(static_cast<std::uint64_t>(1e9 * 4294967296.0 / static_cast<double>(ticks_per_second))),
        ticks_per_second_(ticks_per_second) {}
  std::uint64_t nanoseconds(Ticks span) const { return scaled(span, nanoseconds_); }
  std::int64_t picoseconds(Ticks span) const {
    return static_cast<std::int64_t>(scaled(span, nanoseconds_ * 1000));
  }
  Ticks ticks(std::uint64_t nanoseconds) const {
    return static_cast<Ticks>(static_cast<double>(nanoseconds) * 1e-9 *
                              static_cast<double>(ticks_per_second_));
  }
  std::uint64_t ticks_per_second() const { return ticks_per_second_; }

 private:
  static std::uint64_t scaled(std::uint64_t value, std::uint64_t factor) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{value} * factor >> 32);
  }
  std::uint64_t nanoseconds_ = std::uint64_t{1} << 32;  // of one tick, times 2^32
  std::uint64_t ticks_per_second_ = 1'000'000'000;
};

}  // namespace hybrid::shim
