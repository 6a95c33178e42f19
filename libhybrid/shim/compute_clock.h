// CPU time of a thread between its calls (--clock cpu). A gap in which the thread was not switched out is CPU
// time as a whole. For other gaps (if switches are not seen: for long ones) the thread's CPU clock is read, a
// system call.
//
// On shared cores nearly every call switches, in that it yields the core while it waits. The CPU time of the
// next gap then has no known begin, which only matters if the gap is interrupted. So the clock is read after
// calls that long gaps (50 us) followed before, when calls with 100 us of CPU time have passed without a
// reading, as far as the calls' time shows that, and every 100 ms. Another gap that needs its begin is taken
// to be as long as those before it at its call site, within the bounds that the CPU clock gives: it is wrong
// by at most the CPU time of the calls since the last reading.
//
//   ComputeClock clock(scale, ContextSwitches::visible());
//   clock.restart();
//   ...                                                     // compute
//   const std::uint64_t away = clock.begin_call(ticks());   // nanoseconds that the thread did not run
//   ...                                                     // the call
//   const Ticks end = clock.end_call();
//   clock.settle(begin, end, site);
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/context_switches.h"
#include "libhybrid/shim/clock.h"

namespace hybrid::shim {

/// Number of times that this thread yielded its core in the shim (yield.cpp, request_table.h).
[[gnu::tls_model("initial-exec")]] extern constinit thread_local std::uint32_t yields_of_thread;

class ComputeClock {
 public:
  /// `sees_switches`: ContextSwitches::visible(). Otherwise, a thread is assumed to be switched out in long
  /// calls, in long gaps and when it yields. `sharing`: the threads per core, at least 1; of a call in which
  /// the thread was switched out, it is assumed to have had this part of the core.
  ComputeClock(const TickScale& scale, bool sees_switches, double sharing = 1);

  /// Begins a gap of the calling thread, whose clock the object measures from here on.
  void restart();

  /// Begins a call. Returns how many nanoseconds since the last settle() or restart() the thread did not run.
  std::uint64_t begin_call(Ticks now) {
    const Ticks span = now - since_;
    if (is_switched(span)) [[unlikely]]
      measure(now, span);
    else
      expect(span);
    return away_;
  }

  /// Ends a call. Returns its time.
  Ticks end_call() {
    if (sees_switches_ && ContextSwitches::since_mark()) {
      switched_in_call_ = true;
      ContextSwitches::mark();  // before the clock is read: a switch between the two belongs to the gap
    }
    return ticks();
  }

  /// Begins the gap after a call at `site` that took from `begin` to `end`.
  void settle(Ticks begin, Ticks end, std::uint32_t site);

 private:
  static constexpr std::size_t kSites = 64;  // that are distinguished: a power of two

  bool is_switched(Ticks span) const {
    return switched_in_call_ || (sees_switches_ ? ContextSwitches::since_mark() : span >= long_span_);
  }
  void measure(Ticks now, Ticks span);
  /// Notes the CPU time of a gap: the longest, less an eighth with each shorter one.
  void expect(Ticks ran) {
    Ticks& expected = expected_[site_];
    expected = std::max(ran, expected - expected / 8);
  }

  TickScale scale_;
  bool sees_switches_;
  bool switched_in_call_ = false;
  std::uint32_t yields_seen_ = 0;
  std::size_t site_ = 0;  // of the call before the gap
  Ticks long_span_, most_uncertain_, most_unread_;
  Ticks since_ = 0;         // begin of the gap, or of the part of it that is not measured yet
  std::uint64_t away_ = 0;  // nanoseconds of the gap before since_ in which the thread did not run

  // At cpu_at_ the CPU clock was cpu_ns_ at least, and at most cpu_ns_ plus `uncertain_`. It has run since.
  Ticks cpu_at_ = 0;
  std::uint64_t cpu_ns_ = 0;
  Ticks uncertain_ = 0;
  Ticks read_at_ = 0;

  std::array<Ticks, kSites> expected_;  // CPU time of the gaps after the calls of a site
};

}  // namespace hybrid::shim
