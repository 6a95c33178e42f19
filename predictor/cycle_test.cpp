#include "predictor/cycle.h"

#include <gtest/gtest.h>

#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::expect_decisions;
using test_steps::expected_of;
using test_steps::repeated;
using test_steps::round_of;
using test_steps::score_of;

TEST(SingleCycle, ExpectsTheCycleFromTheSecondSendToItsHead) {
  const auto p =
      PredictorRegistration::make("single-cycle", PredictorShape{.destinations = 8, .capacity = 2});
  expect_decisions(*p, {{0, 3, {}, {3}},   // the head
                        {1, 5, {}, {5}},   // logged
                        {2, 6, {3}, {6}},  // logged
                        {3, 3, {6}, {3}},  // the head again: 3 5 6 is expected; 5, the next one, is held
                        {4, 5, {3}, {6}}});
}

TEST(SingleCycle, FollowsAHandWorkedExample) {
  Cycle cycle(0);
  const auto send = [&cycle](std::vector<Port> sends) {
    for (Port d : sends) cycle.learn(d, 0, 0);
    return expected_of(cycle, 4);
  };
  using Ports = std::vector<Port>;
  EXPECT_EQ(send({3, 5, 6}), Ports{});
  EXPECT_EQ(send({3}), (Ports{5, 6, 3}));
  EXPECT_EQ(send({5, 6}), (Ports{3, 5, 6}));  // one round; the next round is unknown
  EXPECT_EQ(send({3, 5}), (Ports{6, 3, 5}));
  EXPECT_EQ(send({7}), Ports{}) << "7 ended the cycle and is the head of a new one";
  EXPECT_EQ(send({5, 5}), Ports{});
  EXPECT_EQ(send({7}), (Ports{5, 5, 7}));
  cycle.forget_position();
  EXPECT_EQ(send({5}), Ports{});
  EXPECT_EQ(send({5}), (Ports{5})) << "a cycle of one";
}

TEST(SingleCycle, HitsALongRoundInTwoPlaces) {
  const std::vector<Port> sends = repeated(round_of(60), 10);
  const PredictorScore s = score_of("single-cycle", sends, 2, 61);
  EXPECT_EQ(s.hits, s.sends);
  EXPECT_EQ(s.requests, s.sends);
}

// A round that contains the head twice is first taken for a shorter cycle.
TEST(SingleCycle, FindsACycleWithARepeatedDestination) {
  const PredictorScore s = score_of("single-cycle", repeated({1, 2, 1, 3}, 20), 2, 12);
  EXPECT_EQ(s.hits, s.sends);
}

TEST(Cycle, IsWeakOnAHeadThatDoesNotRecur) {
  std::vector<Port> sends{50};
  for (Port d : repeated(round_of(6), 300)) sends.push_back(d);
  for (const char* name : {"single-cycle", "better-cycle"}) {
    EXPECT_EQ(score_of(name, sends, 3).hits, 0u) << name;
    EXPECT_GT(score_of("markov1", sends, 3).hit_rate(), 0.98);
  }
}
TEST(Cycle, GivesUpAHeadAfterTheLongestPeriod) {
  std::vector<Port> sends{50};
  for (Port d : repeated(round_of(6), 600)) sends.push_back(d);
  const PredictorScore s = score_of("single-cycle", sends, 3, Cycle::kMostPeriod + 8);
  EXPECT_EQ(s.hits, s.sends);
}

TEST(Cycle, IsWeakOnAStraySendInEveryRound) {
  std::vector<Port> sends;
  for (Port stray = 0; stray < 40; ++stray) {
    for (Port d : {0, 1, 2, 3, 4}) sends.push_back(d);
    sends.push_back(20 + stray);
  }
  EXPECT_EQ(score_of("single-cycle", sends, 2, 12).hits, 0u);
  EXPECT_GT(score_of("markov1", sends, 2, 20).hit_rate(), 0.6);
}

// Two alternating loops: better-cycle recognises each loop at its first send.
TEST(BetterCycle, RemembersTheCycleOfEveryHead) {
  std::vector<Port> sends;
  for (int turn = 0; turn < 20; ++turn)
    for (Port d :
         repeated(turn % 2 == 0 ? std::vector<Port>{0, 1, 2, 3} : std::vector<Port>{9, 8, 7, 6, 5}, 4))
      sends.push_back(d);
  const PredictorScore better = score_of("better-cycle", sends, 2, 72),
                       single = score_of("single-cycle", sends, 2, 72);
  EXPECT_EQ(better.sends, 288u);
  EXPECT_EQ(better.hits, better.sends - 16) << "all but the first send of each turn";
  EXPECT_LT(single.hits, better.hits - 16 * 2);
}

TEST(BetterCycle, HasALimitOnItsMemory) {
  EXPECT_EQ(Cycle(4'096).state_bytes(), Cycle(65'000).state_bytes());
  EXPECT_LT(Cycle(64).state_bytes(), Cycle(4'096).state_bytes());
}

}  // namespace
}  // namespace hybrid
