#include <gtest/gtest.h>

#include "core/error.h"
#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::expect_decisions;

std::unique_ptr<Predictor> make(std::uint32_t capacity, std::uint32_t threshold) {
  return PredictorRegistration::make(
      "counter", PredictorShape{.destinations = 8, .capacity = capacity, .threshold = threshold});
}

TEST(Counter, EvictsWhenTheCounterReachesTheThreshold) {
  const auto p = make(0, 3);
  expect_decisions(*p, {
                           // counters after the step
                           {0, 1, {}, {1}},   // 1:0
                           {1, 2, {}, {2}},   // 1:1 2:0
                           {2, 2, {}, {}},    // 1:2 2:0
                           {3, 1, {}, {}},    // 1:0 2:1
                           {4, 3, {}, {3}},   // 1:1 2:2 3:0
                           {5, 3, {2}, {}},   // 1:2 2:3 3:0
                           {6, 3, {1}, {}},   // 1:3 3:0
                           {7, 2, {}, {2}},   // 3:1 2:0
                           {8, 1, {}, {1}},   // 3:2 2:1 1:0
                           {9, 1, {3}, {}},   // 3:3 2:2 1:0
                           {10, 1, {2}, {}},  // 2:3 1:0
                       });
}

TEST(Counter, EvictsNothingInAComputationPhase) {
  const auto p = make(0, 2);
  expect_decisions(*p, {{0, 1, {}, {1}}, {1, 2, {}, {2}}});
  EXPECT_EQ(p->next_deadline(), Time::never());
  EXPECT_TRUE(p->on_time(milliseconds(10'000)).release.empty());
  EXPECT_TRUE(p->holds(1) && p->holds(2));
  expect_decisions(*p, {{20'000'000'000, 2, {1}, {}}});
}

TEST(Counter, WithoutAFreePlaceTheHighestCounterIsDropped) {
  const auto p = make(2, 10);
  expect_decisions(*p, {
                           {0, 1, {}, {1}},
                           {1, 2, {}, {2}},
                           {2, 1, {}, {}},
                           {3, 3, {2}, {3}},
                           {4, 2, {1}, {2}},
                       });
}

TEST(Counter, HoldsOneDestinationAtAThresholdOfOne) {
  const auto p = make(0, 1);
  expect_decisions(*p, {{0, 1, {}, {1}}, {1, 2, {1}, {2}}, {2, 2, {}, {}}, {3, 1, {2}, {1}}});
}

TEST(Counter, IsExactAtTheLargestThresholdAndBeyondIt) {
  constexpr std::uint32_t kThreshold = 65'535;
  const auto p = make(0, kThreshold);
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(p->on_send({}, 1, 8, 0).request.size(), 1u);
    for (std::uint32_t i = 1; i < kThreshold; ++i) ASSERT_TRUE(p->on_send({}, 2, 8, 0).release.empty()) << i;
    ASSERT_TRUE(p->holds(1));
    const auto decisions = p->on_send({}, 2, 8, 0);
    ASSERT_EQ(decisions.release.size(), 1u);
    EXPECT_EQ(decisions.release[0], 1u);
  }
}

TEST(Counter, RejectsAnInvalidThreshold) {
  EXPECT_THROW(make(0, 0), UserError);
  EXPECT_THROW(make(0, 65'536), UserError);
}

// A loop over one destination more than the threshold loses each of them just before its next use. The
// time-out, which depends on time, keeps them.
TEST(Counter, IsWeakOnALoopLongerThanItsThreshold) {
  const std::vector<Port> sends = test_steps::repeated(test_steps::round_of(17), 30);
  EXPECT_EQ(test_steps::score_of("counter", sends, 0).hits, 0u);
  EXPECT_EQ(test_steps::score_of("timeout", sends, 0).hits, sends.size() - 17);
  EXPECT_EQ(test_steps::score_of("counter", sends, 0, 0, {}, {.threshold = 18}).hits, sends.size() - 17);
}

}  // namespace
}  // namespace hybrid
