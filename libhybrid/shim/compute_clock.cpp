#include "libhybrid/shim/compute_clock.h"

namespace hybrid::shim {

constinit thread_local std::uint32_t yields_of_thread = 0;

namespace {
// A time slice is milliseconds: of the shorter gaps at most one in a hundred is interrupted. A reading of the
// CPU clock costs at most a hundredth of a longer one.
constexpr std::uint64_t kLongSpanNs = 50'000;
// The clock is read at the latest when the thread had this much CPU time in the calls since the last reading,
// of which a reading is less than a hundredth, too.
constexpr double kMostUncertainNs = 2.0 * kLongSpanNs;
// The rate of the cycle counter is measured: the CPU time that it gives drifts from the CPU clock.
constexpr std::uint64_t kMostUnreadNs = 100'000'000;
}  // namespace

ComputeClock::ComputeClock(const TickScale& scale, bool sees_switches, double sharing)
    : scale_(scale),
      sees_switches_(sees_switches),
      long_span_(scale.ticks(kLongSpanNs)),
      most_uncertain_(scale.ticks(static_cast<std::uint64_t>(kMostUncertainNs * sharing))),
      most_unread_(scale.ticks(kMostUnreadNs)) {
  expected_.fill(long_span_);
}

void ComputeClock::restart() {
  if (sees_switches_) ContextSwitches::mark();
  yields_seen_ = yields_of_thread;
  switched_in_call_ = false;
  since_ = cpu_at_ = read_at_ = ticks();
  cpu_ns_ = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
  uncertain_ = away_ = 0;
}

void ComputeClock::measure(Ticks now, Ticks span) {
  switched_in_call_ = false;
  if (sees_switches_) ContextSwitches::mark();
  const Ticks at = ticks();
  const std::uint64_t cpu = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
  const std::uint64_t least_before = cpu_ns_ + scale_.nanoseconds(since_ - cpu_at_);
  const std::uint64_t most = cpu > least_before ? cpu - least_before : 0;
  const std::uint64_t least = most - std::min(most, scale_.nanoseconds(uncertain_));
  const std::uint64_t ran =
      std::min(std::clamp(scale_.nanoseconds(expected_[site_]), least, most), scale_.nanoseconds(span));
  away_ += scale_.nanoseconds(span) - ran;
  // A gap that may have been long is expected to be long, so that the clock is read before the next one.
  expect(scale_.ticks(most - least >= kLongSpanNs ? std::max(ran, most) : ran));
  since_ = std::max(now, at);
  cpu_at_ = read_at_ = since_;
  cpu_ns_ = cpu;
  uncertain_ = 0;
}

void ComputeClock::settle(Ticks begin, Ticks end, std::uint32_t site) {
  if (!sees_switches_) {
    // A call that yielded did not run all the time, even if it was short.
    switched_in_call_ = end - begin >= long_span_ || yields_seen_ != yields_of_thread;
    yields_seen_ = yields_of_thread;
  }
  site_ = site % kSites;
  since_ = std::max(end, cpu_at_);
  away_ = 0;
  const bool is_old = since_ - read_at_ >= most_unread_;
  if (!switched_in_call_ && !is_old) return;
  switched_in_call_ = false;
  const Ticks call = since_ - std::max(begin, cpu_at_);
  cpu_at_ += call;
  uncertain_ += call;
  if (!is_old && expected_[site_] < long_span_ && uncertain_ < most_uncertain_) return;
  cpu_ns_ = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
  cpu_at_ = read_at_ = since_;
  uncertain_ = 0;
}

}  // namespace hybrid::shim
