#include "predictor/grammar.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::expected_of;
using test_steps::repeated;
using test_steps::round_of;
using test_steps::score_of;

void send(Grammar& grammar, const std::vector<Port>& sends) {
  for (Port d : sends) grammar.learn(d, 0, 0);
}

// Examples of Nevill-Manning and Witten: S -> a A d A, A -> b c; and S -> A A, A -> a B d B, B -> b c.
TEST(Grammar, IsThatOfSequitur) {
  Grammar grammar;
  send(grammar, {1, 2, 3, 4, 2, 3});
  EXPECT_EQ(grammar.rules(), 1u);
  EXPECT_EQ(grammar.symbols(), 6u);
  send(grammar, {1, 2, 3, 4, 2, 3});
  EXPECT_EQ(grammar.rules(), 2u);
  EXPECT_EQ(grammar.symbols(), 2u + 4u + 2u);
  EXPECT_EQ(grammar.text(), (std::vector<Port>{1, 2, 3, 4, 2, 3, 1, 2, 3, 4, 2, 3}));
}

TEST(Grammar, ExpectsTheRestOfTheRuleAndItsSuccessors) {
  Grammar grammar;
  send(grammar, {1, 2, 3, 4, 9, 1, 2, 3, 4, 8, 7});
  EXPECT_TRUE(expected_of(grammar, 4).empty()) << "7 occurred once";
  send(grammar, {1});
  EXPECT_EQ(expected_of(grammar, 3), (std::vector<Port>{2, 3, 4}));
  send(grammar, {2, 3});
  EXPECT_EQ(expected_of(grammar, 2), (std::vector<Port>{4, 8})) << "as the last time";
  grammar.forget_position();
  EXPECT_TRUE(expected_of(grammar, 4).empty());
  send(grammar, {1});
  EXPECT_EQ(expected_of(grammar, 3), (std::vector<Port>{2, 3, 4})) << "what was learnt is kept";
}

TEST(Grammar, ContainsTheStreamAndNoPairTwice) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    Grammar grammar;
    std::vector<Port> stream;
    const std::uint64_t letters = 1 + random.below(6);
    const std::uint64_t length = 1 + random.below(400);
    while (stream.size() < length) {
      const auto d = static_cast<Port>(random.below(letters));
      for (std::uint64_t i = random.below(4) + 1; i > 0; --i) {
        stream.push_back(d);
        grammar.learn(d, 0, 0);
        const Grammar::Flaws flaws = grammar.flaws();
        ASSERT_EQ(flaws.pairs + flaws.counts + flaws.single_uses, 0u)
            << "seed " << seed << ", " << stream.size();
      }
      ASSERT_EQ(grammar.text(), stream) << "seed " << seed;
    }
  }
}

// More sends than there is room for: the end of the stream remains.
TEST(Grammar, ForgetsTheOldestWhenItIsFull) {
  for (std::uint64_t letters : {3u, 40u, 2'000u}) {
    Random random(letters);
    Grammar grammar;
    std::vector<Port> stream;
    for (int i = 0; i < 30'000; ++i) {
      if (i % 5'000 == 4'999) grammar.forget_position();
      stream.push_back(static_cast<Port>(random.below(letters)));
      grammar.learn(stream.back(), 0, 0);
    }
    const std::vector<Port> text = grammar.text();
    ASSERT_GE(text.size(), 1'000u);
    ASSERT_LT(text.size(), stream.size());
    EXPECT_TRUE(std::equal(text.rbegin(), text.rend(), stream.rbegin())) << letters;
    EXPECT_EQ(grammar.flaws().counts, 0u) << letters;
  }
}

TEST(Grammar, NeedsLogarithmicSpaceForALoop) {
  Grammar grammar;
  send(grammar, repeated(round_of(50), 1'000));
  EXPECT_LT(grammar.symbols(), 200u);
  EXPECT_EQ(grammar.text().size(), 50'000u);
}

// Nested loops: the period detector learns the inner loop again in every round of the outer loop.
TEST(Grammar, IsBestOnNestedLoops) {
  std::vector<Port> sends;
  for (int outer = 0; outer < 20; ++outer) {
    for (int middle = 0; middle < 5; ++middle) {
      for (Port d : repeated({0, 1, 2}, 3)) sends.push_back(d);
      for (Port d : repeated({0, 1, 3}, 3)) sends.push_back(d);
    }
    for (Port d : repeated({5, 4, 5, 6, 7}, 40)) sends.push_back(d);
  }
  const std::size_t skip = sends.size() / 2;
  const PredictorScore s = score_of("grammar", sends, 2, skip);
  EXPECT_GT(s.hit_rate(), 0.98);
  EXPECT_LT(score_of("dpd", sends, 2, skip).hit_rate(), s.hit_rate() - 0.05);
}

TEST(Grammar, IsWeakOnAStraySendInEveryRound) {
  std::vector<Port> sends;
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    for (Port d = 0; d < 4; ++d) sends.push_back(d);
    sends.push_back(static_cast<Port>(8 + random.below(56)));
  }
  EXPECT_LT(score_of("grammar", sends, 2, 400).hits, score_of("markov1", sends, 2, 400).hits);
}

}  // namespace
}  // namespace hybrid
