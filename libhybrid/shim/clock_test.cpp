#include "libhybrid/shim/clock.h"

#include <gtest/gtest.h>

#include "core/cycle_counter.h"

namespace hybrid::shim {
namespace {

class Clock : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { detail::counts_cycles = GetParam() && has_steady_cycle_counter(); }
  void TearDown() override { detail::counts_cycles = chosen_; }
  const bool chosen_ = detail::counts_cycles;
};

TEST_P(Clock, NeverGoesBack) {
  Ticks last = ticks();
  for (int i = 0; i < 10'000; ++i) {
    const Ticks now = ticks();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST_P(Clock, SamplesLieBetweenReadingsOfBothClocks) {
  const Ticks before = ticks();
  const std::uint64_t ns_before = nanoseconds_of(CLOCK_MONOTONIC);
  const ClockSample sample = ClockSample::now();
  EXPECT_GE(sample.at, before);
  EXPECT_LE(sample.at, ticks());
  EXPECT_GE(sample.nanoseconds, ns_before);
  EXPECT_LE(sample.nanoseconds, nanoseconds_of(CLOCK_MONOTONIC));
}

INSTANTIATE_TEST_SUITE_P(CounterOrNot, Clock, ::testing::Bool());

#if defined(__x86_64__)
TEST(ClockWithoutCounter, IsTheMonotonicClock) {
  const bool chosen = detail::counts_cycles;
  detail::counts_cycles = false;
  const std::uint64_t before = nanoseconds_of(CLOCK_MONOTONIC);
  const Ticks at = ticks();
  const std::uint64_t after = nanoseconds_of(CLOCK_MONOTONIC);
  detail::counts_cycles = chosen;
  EXPECT_GE(at, before);
  EXPECT_LE(at, after);
}
#endif

}  // namespace
}  // namespace hybrid::shim
