// The predictors of Sakr, which learn weights: linear and tdnn.
#include <gtest/gtest.h>

#include "core/random.h"
#include "predictor/testing/steps.h"
#include "predictor/vocabulary.h"

namespace hybrid {
namespace {

using test_steps::list;
using test_steps::repeated;
using test_steps::round_of;
using test_steps::score_of;

TEST(Vocabulary, NumbersTheLastDestinations) {
  Vocabulary words(200);
  for (Port d = 0; d < 64; ++d) {
    const Vocabulary::Use use = words.use(d + 100);
    EXPECT_TRUE(use.is_new);
    EXPECT_EQ(use.word, d);
  }
  EXPECT_FALSE(words.use(100).is_new);
  const Vocabulary::Use use = words.use(7);  // gets the number of 101, the least recently used
  EXPECT_TRUE(use.is_new);
  EXPECT_EQ(use.word, 1);
  EXPECT_EQ(words.destination(1), 7u);
  EXPECT_EQ(words.use(101).word, 2) << "the number of 102";
  EXPECT_EQ(words.size(), 64u);
}

// After one send 0 -> 1 the weight is an eighth of the error of 1: an eighth of 1 is expected after the next
// 0, and that is requested.
TEST(Linear, ExpectsASumOverTheLastSends) {
  const auto p = PredictorRegistration::make("linear", PredictorShape{.destinations = 8, .capacity = 3});
  const auto send = [&p](Port d) { return list(p->on_send({}, d, 8, 0).request); };
  send(0);
  send(1);
  p->on_flush();
  EXPECT_EQ(send(0), (std::vector<Port>{0, 1}));
  std::array<Predictor::Expectation, 2> out;
  ASSERT_EQ(p->expect(out), 1u);
  EXPECT_EQ(out[0].destination, 1u);
  EXPECT_EQ(out[0].confidence, 255 / 8);
}

TEST(Linear, LearnsARoundInTwoRounds) {
  const PredictorScore s = score_of("linear", repeated(round_of(60), 10), 4, 120);
  EXPECT_EQ(s.hits, s.sends);
}

// A stray send changes one of four terms of the sum; the other three are still correct.
TEST(Linear, IsBestIfStraySendsInterruptHistories) {
  std::vector<Port> sends;
  Random random(5);
  for (int i = 0; i < 400; ++i)
    for (Port d = 0; d < 6; ++d) {
      sends.push_back(d);
      if (random.below(5) == 0) sends.push_back(10 + static_cast<Port>(random.below(50)));
    }
  const double linear = score_of("linear", sends, 3, 500).hit_rate();
  EXPECT_GT(linear, score_of("markov", sends, 3, 500).hit_rate() + 0.1);
  EXPECT_GT(linear, score_of("markov2", sends, 3, 500).hit_rate());
}

// The third send is 2 if the first two are equal, and 3 if not. No sum of separate terms represents that.
std::vector<Port> exclusive_or(int rounds) {
  std::vector<Port> sends;
  Random random(6);
  for (int i = 0; i < rounds; ++i) {
    const auto a = static_cast<Port>(random.below(2)), b = static_cast<Port>(random.below(2));
    sends.insert(sends.end(), {a, b, 2 + (a ^ b), 4});
  }
  return sends;
}
// Hits at the third of every four sends, with one place in addition to the last destination.
double hits_of_third(const char* name, const std::vector<Port>& sends) {
  const auto p = PredictorRegistration::make(name, PredictorShape{.destinations = 8, .capacity = 2});
  std::size_t hits = 0;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    if (i % 4 == 2 && i >= sends.size() / 2 && p->holds(sends[i])) ++hits;
    p->on_send({}, sends[i], 8, 0);
  }
  return static_cast<double>(hits) / static_cast<double>(sends.size() / 8);
}

TEST(Linear, IsWeakOnAnExclusiveOr) {
  const std::vector<Port> sends = exclusive_or(4'000);
  EXPECT_LT(hits_of_third("linear", sends), 0.65);
  EXPECT_GT(hits_of_third("markov2", sends), 0.98);
}
TEST(Tdnn, LearnsAnExclusiveOr) { EXPECT_GT(hits_of_third("tdnn", exclusive_or(4'000)), 0.95); }

TEST(Tdnn, LearnsACycle) {
  const PredictorScore s = score_of("tdnn", repeated({0, 1, 0, 2, 5, 0, 3}, 200), 2, 700);
  EXPECT_EQ(s.hits, s.sends);
}

// Sixteen hidden units cannot distinguish sixty destinations.
TEST(Tdnn, IsWeakOnManyDestinations) {
  const std::vector<Port> sends = repeated(round_of(60), 40);
  EXPECT_LT(score_of("tdnn", sends, 2, 1'200).hit_rate(), 0.7);
  EXPECT_EQ(score_of("linear", sends, 2, 1'200).hit_rate(), 1.0);
}

// The same decisions with every compiler and optimisation: the expected digest was recorded from one run.
TEST(Tdnn, DecidesTheSameOnEveryMachine) {
  std::vector<Port> sends(3'000);
  Random random(7);
  for (Port& d : sends) d = static_cast<Port>(random.below(1 + random.below(70)) % 64);
  const auto digest = [&sends](const char* name, std::uint64_t seed) {
    const auto p =
        PredictorRegistration::make(name, PredictorShape{.destinations = 64, .capacity = 5, .seed = seed});
    std::uint64_t sum = 0;
    for (Port d : sends)
      for (Port requested : p->on_send({}, d, 8, 0).request) sum = sum * 1'000'003 + requested;
    return sum;
  };
  EXPECT_EQ(digest("tdnn", 1), 5320716006737548206u);
  EXPECT_EQ(digest("linear", 1), 12105677074316337183u);
  EXPECT_NE(digest("tdnn", 1), digest("tdnn", 2)) << "the seed";
}

}  // namespace
}  // namespace hybrid
