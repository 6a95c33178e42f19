#include "predictor/tage.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::expected_of;
using test_steps::repeated;
using test_steps::round_of;
using test_steps::score_of;

TEST(Tage, ExpectsASuccessorAfterTwoOccurrencesAndLooksAheadAfterThree) {
  Tage tage(64);
  const auto round = [&tage] {
    for (Port d : {4, 5, 6}) tage.learn(d, 3, 0);
  };
  round();
  tage.learn(4, 3, 0);
  EXPECT_TRUE(expected_of(tage, 5).empty()) << "5 occurred once";
  for (Port d : {5, 6, 4}) tage.learn(d, 3, 0);
  EXPECT_EQ(expected_of(tage, 5), (std::vector<Port>{5})) << "twice: expected, not sure";
  for (Port d : {5, 6, 4}) tage.learn(d, 3, 0);
  EXPECT_EQ(expected_of(tage, 5), (std::vector<Port>{5, 6, 4, 5})) << "three times; four steps";
  tage.forget_position();
  EXPECT_TRUE(expected_of(tage, 5).empty());
  tage.learn(4, 3, 0);
  EXPECT_EQ(expected_of(tage, 5), (std::vector<Port>{5, 6, 4, 5})) << "what was learnt is kept";
}

// The successor of ten sends to 0 depends on the send before them.
TEST(Tage, UsesAsLongAHistoryAsNecessary) {
  std::vector<Port> cycle;
  for (Port d : {1, 2, 3}) {
    cycle.push_back(d);
    cycle.insert(cycle.end(), 10, 0);
    cycle.push_back(d + 10);
  }
  const std::vector<Port> sends = repeated(cycle, 40);
  const PredictorScore s = score_of("tage", sends, 2, 20 * cycle.size());
  EXPECT_EQ(s.hits, s.sends);
  EXPECT_LT(score_of("markov", sends, 2, 20 * cycle.size(), {}, {.order = 8}).hits, s.hits);
}

TEST(Tage, DistinguishesCallSites) {
  std::vector<Port> sends;
  std::vector<std::uint64_t> sites;
  Random random(2);
  for (int i = 0; i < 1'500; ++i) {
    const auto which = static_cast<Port>(random.below(3));
    sends.insert(sends.end(), {0, 1 + which});
    sites.insert(sites.end(), {100 + which, 9});
  }
  const PredictorScore s = score_of("tage", sends, 2, 1'000, sites);
  EXPECT_GT(s.hit_rate(), 0.95);
  EXPECT_LT(score_of("markov2", sends, 2, 1'000, sites).hit_rate(), 0.8);
}

// Two histories with the same entry must not replace each other forever. A round has one history for each
// destination.
TEST(Tage, LearnsACompleteRound) {
  for (std::uint32_t n : {3u, 17u, 40u, 64u}) {
    const PredictorScore s = score_of("tage", repeated(round_of(n), 30), 2, 15 * n);
    EXPECT_EQ(s.hits, s.sends) << n;
  }
}

// Sixteen varying sends hide the send that determines the next one.
TEST(Tage, IsWeakOnADependencyOverManyVaryingSends) {
  std::vector<Port> sends;
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    const auto which = static_cast<Port>(random.below(2));
    sends.push_back(which);
    for (int j = 0; j < 17; ++j) sends.push_back(2 + static_cast<Port>(random.below(6)));
    sends.push_back(20 + which);
  }
  // Of every 19 sends the hits at the last two are random: the draw of `which`, and the send that depends on
  // it.
  EXPECT_LT(score_of("tage", sends, 2, 3'800).hit_rate(), 0.35);
}

}  // namespace
}  // namespace hybrid
