#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::expect_decisions;
using test_steps::kTimer;

std::unique_ptr<Predictor> make(std::uint32_t capacity, Time timeout, std::uint32_t destinations = 8,
                                Time pause = {}) {
  return PredictorRegistration::make(
      "timeout",
      PredictorShape{.destinations = destinations, .capacity = capacity, .timeout = timeout, .pause = pause});
}

TEST(Timeout, ReleasesExactlyAfterTheTimeoutWithoutUse) {
  const auto p = make(0, nanoseconds(100));
  EXPECT_EQ(p->next_deadline(), Time::never());
  expect_decisions(*p, {{0, 3, {}, {3}}});
  EXPECT_EQ(p->next_deadline(), nanoseconds(100));
  expect_decisions(*p, {{50, 3, {}, {}}, {60, 5, {}, {5}}});
  EXPECT_EQ(p->next_deadline(), nanoseconds(150));
  EXPECT_TRUE(p->on_time(nanoseconds(150) - picoseconds(1)).release.empty());
  expect_decisions(*p, {{150, kTimer, {3}, {}}});
  EXPECT_FALSE(p->holds(3));
  EXPECT_EQ(p->next_deadline(), nanoseconds(160));
  expect_decisions(*p, {{160, kTimer, {5}, {}}});
  EXPECT_EQ(p->next_deadline(), Time::never());
}

TEST(Timeout, DropsTheLeastRecentlyUsedForARequest) {
  const auto p = make(2, microseconds(1));
  expect_decisions(*p, {
                           {0, 1, {}, {1}},
                           {1, 2, {}, {2}},
                           {2, 3, {1}, {3}},
                           {3, 2, {}, {}},
                           {4, 1, {3}, {1}},
                           {5, 3, {2}, {3}},
                       });
}

TEST(Timeout, ReleasesOverdueDestinationsAtASend) {
  const auto p = make(0, nanoseconds(100));
  expect_decisions(*p, {
                           {0, 1, {}, {1}},
                           {10, 2, {}, {2}},
                           {105, 4, {1}, {4}},
                           {110, 2, {}, {}},   // due at this time, but used
                           {400, 4, {2}, {}},  // 4 is overdue, too, but used
                           {500, 2, {4}, {2}},
                       });
}

TEST(Timeout, ReleasesEqualDeadlinesInPortions) {
  constexpr std::uint32_t kDestinations = 1000;
  const auto p = make(0, nanoseconds(100), kDestinations);
  for (Port d = 0; d < kDestinations; ++d) p->on_send({}, d, 8, 0);
  std::vector<Port> released;
  while (p->next_deadline() <= nanoseconds(100)) {
    EXPECT_EQ(p->next_deadline(), nanoseconds(100));
    const auto decisions = p->on_time(nanoseconds(100));
    ASSERT_FALSE(decisions.release.empty());
    released.insert(released.end(), decisions.release.begin(), decisions.release.end());
  }
  ASSERT_EQ(released.size(), kDestinations);
  for (Port d = 0; d < kDestinations; ++d) EXPECT_EQ(released[d], d) << "in the order of use";
}

TEST(Timeout, TakesBackADestinationWithALaterUse) {
  const auto p = make(0, nanoseconds(100));
  expect_decisions(*p, {{0, 1, {}, {1}}, {40, 2, {}, {2}}, {100, kTimer, {1}, {}}});
  EXPECT_FALSE(p->take_back(nanoseconds(100), 1, nanoseconds(0)));
  EXPECT_TRUE(p->take_back(nanoseconds(100), 1, nanoseconds(30))) << "30 to 130";
  EXPECT_TRUE(p->holds(1));
  EXPECT_EQ(p->next_deadline(), nanoseconds(130)) << "before 2, which was sent to at 40";
  expect_decisions(*p, {{130, kTimer, {1}, {}}, {140, kTimer, {2}, {}}});
  EXPECT_TRUE(p->take_back(nanoseconds(150), 2, nanoseconds(150)));
  EXPECT_EQ(p->next_deadline(), nanoseconds(250));
}

TEST(Timeout, TakesNothingBackWithoutAFreePlace) {
  const auto p = make(1, nanoseconds(100));
  expect_decisions(*p, {{0, 1, {}, {1}}, {10, 2, {1}, {2}}});
  EXPECT_FALSE(p->take_back(nanoseconds(20), 1, nanoseconds(20)));
  EXPECT_TRUE(p->holds(2));
}

TEST(Timeout, TakesBackInTheOrderOfUseAmongMany) {
  constexpr std::uint32_t kDestinations = 40;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::uint32_t held = 1 + static_cast<std::uint32_t>(random.below(kDestinations - 1));
    const auto p = make(0, nanoseconds(1000), kDestinations);
    std::vector<std::int64_t> used(kDestinations, -1);
    for (Port d = 0; d < held; ++d) p->on_send(nanoseconds(10 * d), d, 8, 0);
    for (Port d = 0; d < held; ++d) used[d] = 10 * d;
    // Due destinations are released; half of them were in use until some time later.
    const std::int64_t now = 1000 + static_cast<std::int64_t>(random.below(10 * held));
    while (p->next_deadline() <= nanoseconds(now)) {
      const auto released = p->on_time(nanoseconds(now)).release;
      for (const Port d : std::vector<Port>(released.begin(), released.end())) {
        used[d] = -1;
        if (random.below(2) == 0) continue;
        const auto until = now - 999 + static_cast<std::int64_t>(random.below(999));
        ASSERT_TRUE(p->take_back(nanoseconds(now), d, nanoseconds(until)));
        used[d] = until;
      }
    }
    std::vector<std::int64_t> expected, found;
    for (const std::int64_t at : used)
      if (at >= 0) expected.push_back(at + 1000);
    std::sort(expected.begin(), expected.end());
    while (p->next_deadline() != Time::never()) {
      const Time at = p->next_deadline();
      for ([[maybe_unused]] const Port d : p->on_time(at).release) found.push_back(at.ps / 1000);
    }
    ASSERT_EQ(found, expected) << "seed " << seed;
  }
}

// D 5.2.2: "evicted if it is not used while other connections are being used, but ... not evicted if the
// application is in a computation phase".
TEST(Timeout, AComputationPhaseReleasesNothing) {
  const auto p = make(0, nanoseconds(100), 8, nanoseconds(30));
  expect_decisions(*p, {{0, 1, {}, {1}}, {10, 2, {}, {2}}});
  EXPECT_EQ(p->next_deadline(), Time::never()) << "90 left, of which at most 30 count without a send";
  EXPECT_TRUE(p->on_time(nanoseconds(5000)).release.empty());
  expect_decisions(*p, {
                           {9010, 2, {}, {}},  // 9 us without a send count as 30 ns: 1 is unused for 40
                           {9030, 2, {}, {}},  // 60
                           {9050, 2, {}, {}},  // 80
                       });
  EXPECT_EQ(p->next_deadline(), nanoseconds(9070));
  expect_decisions(*p, {{9069, kTimer, {}, {}}, {9070, kTimer, {1}, {}}});
  EXPECT_EQ(p->next_deadline(), Time::never());
  EXPECT_TRUE(p->holds(2));
  expect_decisions(*p, {{90'000, 2, {}, {}}, {90'030, 3, {}, {3}}, {90'060, 3, {}, {}}, {90'095, 3, {}, {}}});
  EXPECT_EQ(p->next_deadline(), nanoseconds(90'105)) << "2: 30 + 30 + 30, and 10 more";
}

TEST(Timeout, CountsAtMostThePauseOfAnyGap) {
  Random random(3);
  for (int run = 0; run < 50; ++run) {
    const Time timeout = picoseconds(static_cast<std::int64_t>(1 + random.below(200)));
    const Time pause = picoseconds(static_cast<std::int64_t>(1 + random.below(60)));
    const auto p = make(0, timeout, 8, pause);
    struct Use {
      Time at{};
      Port to = 0;
    };
    std::vector<Use> uses;
    // Counted again from the whole history.
    const auto unused = [&](Port d, Time now) {
      Time sum{}, until = now;
      for (std::size_t i = uses.size(); i-- > 0;) {
        sum += std::min(until - uses[i].at, pause);
        until = uses[i].at;
        if (uses[i].to == d) return sum;
      }
      return Time::never();
    };
    Time now{};
    for (int i = 0; i < 100; ++i) {
      now += picoseconds(static_cast<std::int64_t>(random.below(random.below(4) == 0 ? 500 : 40)));
      while (p->next_deadline() <= now) {
        const Time due = p->next_deadline();
        const auto released = test_steps::list(p->on_time(due).release);
        ASSERT_FALSE(released.empty());
        for (const Port d : released) EXPECT_EQ(unused(d, due), timeout);
      }
      for (Port d = 0; d < 8; ++d) EXPECT_EQ(p->holds(d), unused(d, now) < timeout);
      if (random.below(3) == 0) continue;
      const auto to = static_cast<Port>(random.below(8));
      p->on_send(now, to, 8, 0);
      uses.push_back({now, to});
    }
  }
}

TEST(Timeout, ReleasesNothingWithATimeoutOfNever) {
  const auto p = make(0, Time::never());
  expect_decisions(*p, {{0, 1, {}, {1}}, {1, 2, {}, {2}}});
  EXPECT_EQ(p->next_deadline(), Time::never());
}

TEST(Timeout, RejectsAnInvalidTimeout) {
  EXPECT_THROW(make(0, Time{}), UserError);
  EXPECT_THROW(make(0, nanoseconds(-1)), UserError);
  EXPECT_THROW(make(0, nanoseconds(1), 8, nanoseconds(-1)), UserError);
}

// A computation between two sends that is longer than the time-out. The counter, which depends on sends,
// keeps them.
TEST(Timeout, IsWeakOnComputationLongerThanTheTimeout) {
  const std::vector<Port> sends = test_steps::repeated({1, 2}, 30);  // 100 ns apart
  EXPECT_EQ(test_steps::score_of("timeout", sends, 0, 0, {}, {.timeout = nanoseconds(200)}).hits, 0u);
  EXPECT_EQ(test_steps::score_of("timeout", sends, 0, 0, {}, {.timeout = nanoseconds(201)}).hits, 58u);
  EXPECT_EQ(test_steps::score_of("counter", sends, 0).hits, 58u);
}

}  // namespace
}  // namespace hybrid
