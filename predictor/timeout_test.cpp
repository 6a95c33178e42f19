#include <gtest/gtest.h>

#include "core/error.h"
#include "predictor/predictor_test_steps.h"

namespace hybrid {
namespace {

using test_steps::expect_decisions;
using test_steps::kTimer;

std::unique_ptr<Predictor> make(std::uint32_t capacity, Time timeout, std::uint32_t destinations = 8) {
  return PredictorRegistration::make(
      "timeout", PredictorShape{.destinations = destinations, .capacity = capacity, .timeout = timeout});
}

TEST(Timeout, ReleasesExactlyWhenUnusedForTheTimeout) {
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

TEST(Timeout, MakesPlaceForARequestByTheLeastRecentlyUsed) {
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

TEST(Timeout, ReleasesTheOverdueInASendForCallersWithoutTimers) {
  const auto p = make(0, nanoseconds(100));
  expect_decisions(*p, {
                           {0, 1, {}, {1}},
                           {10, 2, {}, {2}},
                           {105, 4, {1}, {4}},
                           {110, 2, {}, {}},   // due now, but used now
                           {400, 4, {2}, {}},  // 4 is overdue too, and used now
                           {500, 2, {4}, {2}},
                       });
}

TEST(Timeout, ReleasesThoseWithTheSameDeadlineInPortions) {
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

TEST(Timeout, NeverReleasesWithATimeoutOfNever) {
  const auto p = make(0, Time::never());
  expect_decisions(*p, {{0, 1, {}, {1}}, {1, 2, {}, {2}}});
  EXPECT_EQ(p->next_deadline(), Time::never());
}

TEST(Timeout, RefusesATimeoutThatIsNoTime) {
  EXPECT_THROW(make(0, Time{}), UserError);
  EXPECT_THROW(make(0, nanoseconds(-1)), UserError);
}

}  // namespace
}  // namespace hybrid
