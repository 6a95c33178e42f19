#include "libhybrid/shim/compute_clock.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <thread>

namespace hybrid::shim {
namespace {

std::uint64_t cpu_ns() { return nanoseconds_of(CLOCK_THREAD_CPUTIME_ID); }

void compute(std::uint64_t nanoseconds) {
  for (const std::uint64_t begin = cpu_ns(); cpu_ns() - begin < nanoseconds;) {
  }
}

void sleep_shortly() {
  const timespec time{0, 1'000};
  nanosleep(&time, nullptr);
}

TickScale measured_scale() {
  const ClockSample first = ClockSample::now();
  ClockSample second = first;
  while (second.nanoseconds - first.nanoseconds < 10'000'000) second = ClockSample::now();
  return TickScale(ticks_per_second(first, second));
}

/// Another thread that always runs or waits to run, on the only core of the calling thread.
class SharedCore {
 public:
  SharedCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    other_ = std::thread([this] {
      while (!over_.load()) sched_yield();
    });
  }
  ~SharedCore() {
    over_.store(true);
    other_.join();
    sched_setaffinity(0, sizeof before_, &before_);
  }
  SharedCore(const SharedCore&) = delete;
  SharedCore& operator=(const SharedCore&) = delete;

 private:
  cpu_set_t before_;
  std::atomic<bool> over_{false};
  std::thread other_;
};

class Switches : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!ContextSwitches::visible()) GTEST_SKIP() << "this machine does not show them";
  }
};

TEST_F(Switches, AreNotSeenWhileTheThreadRuns) {
  bool switched = true;
  while (switched) {  // until it is not preempted in between
    ContextSwitches::mark();
    switched = ContextSwitches::since_mark();
  }
}

TEST_F(Switches, AreSeenAfterAWait) {
  do {  // the time of a short wait may be over before the thread is switched out
    ContextSwitches::mark();
    sleep_shortly();
  } while (!ContextSwitches::since_mark());
}

TEST_F(Switches, AreSeenAfterAYieldToAnotherThread) {
  const SharedCore core;
  do {
    ContextSwitches::mark();
    sched_yield();
  } while (!ContextSwitches::since_mark());
}

TEST_F(Switches, AreSeenAfterAPreemption) {
  const SharedCore core;
  ContextSwitches::mark();
  while (!ContextSwitches::since_mark()) {
  }
}

TEST_F(Switches, AreOfTheCallingThread) {
  bool other_switched = true;
  while (other_switched) {
    std::thread([&] {
      ContextSwitches::mark();
      other_switched = ContextSwitches::since_mark();
    }).join();
  }
}

class ComputeTime : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && !ContextSwitches::visible()) GTEST_SKIP() << "this machine does not show switches";
  }

  /// Makes `gaps` times a call, and then a gap: `work`. Expects the CPU time that the clock gives the gap to
  /// be what the CPU clock has advanced, but for `uncertain` nanoseconds and what the surroundings of the gap
  /// take; with exceptions, since the host of a virtual machine may interrupt the thread unnoticed.
  template <class Call, class Work>
  void expect_exact(int gaps, const Call& call, const Work& work, std::uint64_t uncertain = 0) {
    int inexact = 0;
    for (int i = 0; i < gaps; ++i) inexact += is_exact(call, work, uncertain) ? 0 : 1;
    EXPECT_LE(inexact, gaps / 10);
  }

  template <class Call, class Work>
  bool is_exact(const Call& call, const Work& work, std::uint64_t uncertain) {
    const Ticks begin = ticks();
    EXPECT_LE(clock_.begin_call(begin), scale_.nanoseconds(begin - last_end_));
    call();
    const std::uint64_t cpu_before = cpu_ns();
    const Ticks outer = ticks(), end = clock_.end_call();
    clock_.settle(begin, end, 1);
    last_end_ = end;
    const std::uint64_t cpu_begin = cpu_ns();
    const Ticks inner = ticks();
    work();
    const std::uint64_t cpu_end = cpu_ns();
    const Ticks now = ticks();
    const std::uint64_t gap = scale_.nanoseconds(now - end), away = clock_.begin_call(now);
    const std::uint64_t cpu_after = cpu_ns();
    EXPECT_LE(away, gap);
    // The scale is measured.
    const std::uint64_t slack =
        scale_.nanoseconds(inner - outer + (ticks() - now)) + gap / 50 + uncertain + 1'000;
    const std::uint64_t computed = gap - away;
    const bool exact = computed + slack >= cpu_end - cpu_begin && computed <= cpu_after - cpu_before + slack;
    const Ticks settled = clock_.end_call();
    clock_.settle(now, settled, 1);
    last_end_ = settled;
    return exact;
  }

  const TickScale scale_ = measured_scale();
  ComputeClock clock_{scale_, GetParam()};
  Ticks last_end_ = ticks();
};

constexpr auto kNothing = [] {};

TEST_P(ComputeTime, IsTheCpuTimeOfAGapWithAWait) {
  clock_.restart();
  expect_exact(50, kNothing, [] {
    compute(200'000);
    sleep_shortly();
    compute(200'000);
  });
}

TEST_P(ComputeTime, IsTheCpuTimeOfAGapWithPreemptions) {
  const SharedCore core;
  clock_.restart();
  expect_exact(20, kNothing, [] {
    compute(200'000);
    sched_yield();
    compute(200'000);
  });
}

TEST_P(ComputeTime, IsTheCpuTimeOfAGapAfterACallThatYields) {
  const SharedCore core;
  clock_.restart();
  expect_exact(
      20,
      [] {
        sched_yield();
        ++yields_of_thread;
      },
      [] {
        compute(200'000);
        sched_yield();
        compute(200'000);
      });
}

TEST_P(ComputeTime, OfALongGapAfterShortOnesIsRightButForTheCallsBetween) {
  constexpr std::uint64_t kMostUncertain = 100'000 + 1'000'000;
  clock_.restart();
  const auto short_gaps = [&] {
    Ticks begin = ticks();
    for (int i = 0; i < 500; ++i) {
      clock_.begin_call(begin);
      sched_yield();
      ++yields_of_thread;
      last_end_ = clock_.end_call();
      clock_.settle(begin, last_end_, 1);
      begin = ticks();
    }
  };
  int inexact = 0;
  for (int i = 0; i < 10; ++i) {
    short_gaps();
    const auto work = [] {
      compute(20'000'000);
      sleep_shortly();
    };
    inexact += is_exact(kNothing, work, kMostUncertain) ? 0 : 1;
  }
  EXPECT_LE(inexact, 1);
}

TEST_P(ComputeTime, OfAThreadThatSharesItsCoreIsRightButForItsCpuTimeInTheCallsBetween) {
  constexpr std::uint64_t kMostUncertain = 100'000 + 1'000'000;
  const SharedCore core;
  clock_ = ComputeClock(scale_, GetParam(), 2);
  clock_.restart();
  int inexact = 0;
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; k < 500; ++k)
      is_exact(
          [] {
            compute(20'000);
            sched_yield();
            ++yields_of_thread;
          },
          kNothing, 0);
    const auto work = [] {
      compute(20'000'000);
      sleep_shortly();
    };
    inexact += is_exact(kNothing, work, kMostUncertain) ? 0 : 1;
  }
  EXPECT_LE(inexact, 1);
}

TEST_P(ComputeTime, OfLongGapsAfterAShortOneIsNotLost) {
  clock_.restart();
  std::uint64_t computed = 0, recorded = 0;
  const auto gap = [&](std::uint64_t nanoseconds) {
    const std::uint64_t before = cpu_ns();
    compute(nanoseconds);
    sleep_shortly();
    computed += cpu_ns() - before;
    const Ticks begin = ticks();
    const std::uint64_t away = clock_.begin_call(begin);
    recorded += scale_.nanoseconds(begin - last_end_) - away;
    const timespec wait{0, 500'000};
    nanosleep(&wait, nullptr);
    ++yields_of_thread;
    last_end_ = clock_.end_call();
    clock_.settle(begin, last_end_, 1);
  };
  gap(10'000);
  for (int i = 0; i < 40; ++i) gap(500'000);
  EXPECT_GT(recorded, computed * 9 / 10);
}

TEST_P(ComputeTime, BeginsWithTheThreadThatTakesTheClock) {
  int inexact = 0;
  for (int i = 0; i < 10; ++i) {
    clock_.restart();
    compute(1'000'000);
    std::thread([&] {
      last_end_ = ticks();  // not after the begin of the gap
      clock_.restart();
      const auto work = [] {
        compute(200'000);
        sleep_shortly();
      };
      inexact += is_exact(kNothing, work, 0) ? 0 : 1;
    }).join();
  }
  EXPECT_LE(inexact, 1);
}

INSTANTIATE_TEST_SUITE_P(SeesSwitchesOrNot, ComputeTime, ::testing::Bool());

}  // namespace
}  // namespace hybrid::shim
