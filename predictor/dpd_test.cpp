#include <gtest/gtest.h>

#include "core/random.h"
#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::expect_decisions;
using test_steps::repeated;
using test_steps::score_of;

TEST(Dpd, DetectsAPeriodAfterItOccurredTwice) {
  const auto p = PredictorRegistration::make("dpd", PredictorShape{.destinations = 8, .capacity = 2});
  expect_decisions(
      *p, {{0, 1, {}, {1}},
           {1, 2, {}, {2}},
           {2, 3, {1}, {3}},
           {3, 1, {2}, {1}},
           {4, 2, {3}, {2}},
           {5, 3, {2}, {3}},  // the third send that equals the one three earlier; 1, the next one, is held
           {6, 1, {3}, {2}}});
}

// A period over few destinations: contexts of a few sends are ambiguous, the period is not.
TEST(Dpd, IsBestIfShortHistoriesAreAmbiguous) {
  Random random(8);
  std::vector<Port> cycle(200);
  for (Port& d : cycle) d = static_cast<Port>(random.below(3));
  const std::vector<Port> sends = repeated(cycle, 6);
  const PredictorScore s = score_of("dpd", sends, 2, 403);
  EXPECT_EQ(s.hits, s.sends);
  EXPECT_LT(score_of("markov", sends, 2, 403).hit_rate(), 0.9);
}

TEST(Dpd, TakesTheSmallestPeriod) {
  // After 0 0 0 the period is 1. The 1 ends it, and 0 0 0 1 is found as a period of 4.
  const PredictorScore s = score_of("dpd", repeated({0, 0, 0, 1}, 10), 2, 8);
  EXPECT_EQ(s.hits, s.sends);
}

TEST(Dpd, IsWeakOnAPeriodAbove256) {
  Random random(9);
  std::vector<Port> cycle(257);
  for (Port& d : cycle) d = static_cast<Port>(random.below(60));
  const std::vector<Port> sends = repeated(cycle, 6);
  EXPECT_LT(score_of("dpd", sends, 2, 600).hit_rate(), 0.1);
  cycle.pop_back();
  const std::vector<Port> shorter = repeated(cycle, 6);
  EXPECT_EQ(score_of("dpd", shorter, 2, 600).hit_rate(), 1.0);
}

TEST(Dpd, IsWeakOnAStraySendInEveryPeriod) {
  std::vector<Port> sends;
  for (Port stray = 0; stray < 40; ++stray) {
    for (Port d : {0, 1, 2, 3, 4}) sends.push_back(d);
    sends.push_back(20 + stray);
  }
  EXPECT_EQ(score_of("dpd", sends, 2).hits, 0u);
}

}  // namespace
}  // namespace hybrid
