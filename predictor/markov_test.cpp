#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"
#include "predictor/evaluation.h"
#include "predictor/predictor_test_steps.h"

namespace hybrid {
namespace {

using test_steps::expect_decisions;
using test_steps::list;

std::unique_ptr<Predictor> make(const char* name, std::uint32_t capacity, std::uint32_t threshold = 16,
                                std::uint32_t destinations = 64) {
  return PredictorRegistration::make(
      name, PredictorShape{.destinations = destinations, .capacity = capacity, .threshold = threshold});
}

// Hits and requests over `cycle` sent `rounds` times, after `warm_up` rounds that do not count.
PredictorScore score(const char* name, std::uint32_t capacity, const std::vector<Port>& cycle, int rounds,
                     int warm_up = 0) {
  const PredictorShape shape{.destinations = 64, .capacity = capacity};
  PredictorEvaluation all(name, shape), before(name, shape);
  Time at{};
  for (int round = 0; round < rounds + warm_up; ++round)
    for (Port d : cycle) {
      at += nanoseconds(10);
      all.send(at, d, 8, 0);
      if (round < warm_up) before.send(at, d, 8, 0);
    }
  PredictorScore result = all.finish(at);
  const PredictorScore skipped = before.finish(at);
  result.hits -= skipped.hits;
  result.sends -= skipped.sends;
  result.requests -= skipped.requests;
  return result;
}

TEST(Markov1, RequestsTheNextOnceItFollowedTwice) {
  const auto p = make("markov1", 2);
  expect_decisions(*p, {
                           {0, 0, {}, {0}},
                           {1, 1, {}, {1}},   // 0 -> 1 once
                           {2, 2, {0}, {2}},  // 1 -> 2 once
                           {3, 0, {1}, {0}},  // 2 -> 0 once; 1 is expected, but followed only once
                           {4, 1, {2}, {1}},  // 0 -> 1 twice
                           {5, 2, {0}, {2}},  // 1 -> 2 twice
                           {6, 0, {2}, {0}},  // 2 -> 0 twice; expects 1, which is held
                           {7, 1, {0}, {2}},  // held; expects 2
                           {8, 2, {1}, {0}},  // held; expects 0
                           {9, 0, {2}, {1}},
                           {10, 1, {0}, {2}},
                       });
}

TEST(Markov2, TellsApartWhatFollowsTheSameDestination) {
  // 0 is followed by 1 after 2 and by 2 after 1.
  const std::vector<Port> cycle{0, 1, 0, 2};
  const PredictorScore second = score("markov2", 2, cycle, 20, 4);
  EXPECT_EQ(second.hits, second.sends);
  const PredictorScore first = score("markov1", 2, cycle, 20, 4);
  EXPECT_LT(first.hits, first.sends) << "one place beside the destination, two equally likely successors";
}

TEST(Markov1, RequestsEveryLikelySuccessor) {
  const auto p = make("markov1", 5, 2);  // a threshold of 2 forgets all but the last send and its plan
  for (int round = 0; round < 3; ++round)
    for (Port d : {10, 1, 10, 2, 10, 3}) p->on_send({}, d, 8, 0);
  p->on_flush();
  EXPECT_EQ(list(p->on_send({}, 10, 8, 0).request), (std::vector<Port>{10, 1, 2, 3}));
}

TEST(Markov1, LooksAheadAlongTheLikelyPath) {
  const auto p = make("markov1", 0);
  for (int round = 0; round < 3; ++round)
    for (Port d : {0, 1, 2, 3, 4, 5, 6}) p->on_send({}, d, 8, 0);
  p->on_flush();
  EXPECT_EQ(list(p->on_send({}, 0, 8, 0).request), (std::vector<Port>{0, 1, 2, 3, 4}));
  EXPECT_EQ(list(p->on_send({}, 1, 8, 0).request), (std::vector<Port>{5}));
}

TEST(Markov2, LearnsTheFirstSendsAfterAFlushToo) {
  const auto p = make("markov2", 0);
  for (int round = 0; round < 3; ++round) {
    p->on_flush();
    for (Port d : {7, 8, 9}) p->on_send({}, d, 8, 0);
  }
  p->on_flush();
  EXPECT_FALSE(p->holds(7) || p->holds(8) || p->holds(9));
  EXPECT_EQ(list(p->on_send({}, 7, 8, 0).request), (std::vector<Port>{7, 8, 9}));
}

TEST(Markov1, DoesNotLearnAcrossAFlush) {
  const auto p = make("markov1", 0);
  for (int round = 0; round < 3; ++round) {
    p->on_flush();
    p->on_send({}, 1, 8, 0);
    p->on_flush();
    p->on_send({}, 2, 8, 0);
  }
  p->on_flush();
  EXPECT_EQ(list(p->on_send({}, 1, 8, 0).request), (std::vector<Port>{1}));
}

// Six neighbours in a fixed order over four places: the case in which the least recently used is always the
// one that comes next.
TEST(Markov, HitsACycleLongerThanItsCapacity) {
  const std::vector<Port> cycle{0, 1, 2, 3, 4, 5};
  for (const char* name : {"markov1", "markov2"}) {
    const PredictorScore s = score(name, 4, cycle, 100, 3);
    EXPECT_EQ(s.hits, s.sends) << name;
    EXPECT_EQ(s.requests, s.sends) << name << ": each destination is requested once a round";
  }
  for (const char* name : {"timeout", "counter"}) EXPECT_EQ(score(name, 4, cycle, 100, 3).hits, 0u) << name;
}

TEST(Markov, RequestsNothingAheadInTrafficThatNeverRepeats) {
  for (const char* name : {"markov1", "markov2"}) {
    const auto p = make(name, 0, 16, 4096);
    for (Port d = 0; d < 4096; ++d) {
      const auto decisions = p->on_send({}, d, 8, 0);
      ASSERT_EQ(list(decisions.request), std::vector<Port>{d}) << name;
    }
  }
}

TEST(Markov, ReleasesWhatIsNeitherUsedNorExpectedForTheThreshold) {
  for (const char* name : {"markov1", "markov2"}) {
    const auto p = make(name, 0, 3);
    expect_decisions(*p, {
                             {0, 1, {}, {1}},
                             {1, 2, {}, {2}},
                             {2, 2, {}, {}},
                             {3, 2, {1}, {}},
                             {4, 2, {}, {}},
                         });
  }
}

TEST(Markov, HoldsTheDemandAloneAtACapacityOfOne) {
  for (const char* name : {"markov1", "markov2"}) {
    const auto p = make(name, 1);
    for (int round = 0; round < 5; ++round)
      for (Port d : {1, 2, 3}) {
        const auto decisions = p->on_send({}, d, 8, 0);
        EXPECT_EQ(list(decisions.request), std::vector<Port>{d});
        EXPECT_TRUE(p->holds(d));
      }
  }
}

TEST(Markov, LearnsANewHabitWithinTensOfSends) {
  for (const char* name : {"markov1", "markov2"}) {
    PredictorEvaluation e(name, {.destinations = 64, .capacity = 3});
    Time at{};
    const auto run = [&](std::vector<Port> cycle, int rounds) {
      for (int round = 0; round < rounds; ++round)
        for (Port d : cycle) e.send(at += nanoseconds(1), d, 8, 0);
    };
    run({0, 1, 2, 3}, 10'000);
    run({0, 2, 1, 3}, 1'000);  // another order over the same destinations
    const PredictorScore s = e.finish(at);
    EXPECT_GT(s.hits, s.sends - 150) << name;
  }
}

TEST(Markov, RefusesImpossibleShapes) {
  for (const char* name : {"markov1", "markov2"}) {
    EXPECT_THROW(make(name, 0, 0), UserError);
    EXPECT_THROW(make(name, 0, 16, 65'535), UserError);
    EXPECT_NO_THROW(make(name, 0, 16, 65'534));
  }
}

}  // namespace
}  // namespace hybrid
