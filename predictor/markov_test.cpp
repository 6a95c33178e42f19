#include "predictor/markov.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "predictor/evaluation.h"
#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::expect_decisions;
using test_steps::list;
using test_steps::repeated;
using test_steps::score_of;

std::unique_ptr<Predictor> make(const char* name, std::uint32_t capacity, std::uint32_t threshold = 16,
                                std::uint32_t destinations = 64) {
  return PredictorRegistration::make(
      name, PredictorShape{.destinations = destinations, .capacity = capacity, .threshold = threshold});
}

// Hits and requests over `rounds` rounds of `cycle`, after `warm_up` rounds that do not count.
PredictorScore score(const char* name, std::uint32_t capacity, const std::vector<Port>& cycle, int rounds,
                     int warm_up = 0) {
  return score_of(name, repeated(cycle, rounds + warm_up), capacity,
                  static_cast<std::size_t>(warm_up) * cycle.size());
}

TEST(Markov1, RequestsASuccessorAfterOneOccurrence) {
  const auto p = make("markov1", 2);
  expect_decisions(*p, {
                           {0, 0, {}, {0}},
                           {1, 1, {}, {1}},   // 0 -> 1
                           {2, 2, {0}, {2}},  // 1 -> 2
                           {3, 0, {2}, {0}},  // 2 -> 0; expects 1, which is held
                           {4, 1, {0}, {2}},  // held; expects 2
                           {5, 2, {1}, {0}},  // held; expects 0
                           {6, 0, {2}, {1}},
                           {7, 1, {0}, {2}},
                       });
}

TEST(Markov1, RequestsEachSuccessorThatOccurredOnce) {
  const auto p = make("markov1", 0);
  for (Port d : {0, 1, 0, 2}) p->on_send({}, d, 8, 0);
  p->on_flush();
  EXPECT_EQ(list(p->on_send({}, 0, 8, 0).request), (std::vector<Port>{0, 1, 2}));
}

TEST(Markov1, LooksFurtherOnlyAfterTwoOccurrences) {
  const auto p = make("markov1", 0);
  const auto round = [&] {
    for (Port d : {0, 1, 2, 3}) p->on_send({}, d, 8, 0);
    p->on_flush();
  };
  round();
  EXPECT_EQ(list(p->on_send({}, 0, 8, 0).request), (std::vector<Port>{0, 1}));
  p->on_flush();
  round();
  EXPECT_EQ(list(p->on_send({}, 0, 8, 0).request), (std::vector<Port>{0, 1, 2, 3}));
}

TEST(Markov2, DistinguishesSuccessorsByTheSendBefore) {
  // 0 is followed by 1 after 2 and by 2 after 1.
  const std::vector<Port> cycle{0, 1, 0, 2};
  const PredictorScore second = score("markov2", 2, cycle, 20, 4);
  EXPECT_EQ(second.hits, second.sends);
  const PredictorScore first = score("markov1", 2, cycle, 20, 4);
  EXPECT_LT(first.hits, first.sends)
      << "one place in addition to the destination, and two equally likely successors";
}

TEST(Markov1, RequestsEveryLikelySuccessor) {
  const auto p = make("markov1", 5, 2);  // with a threshold of 2 only the last send and its plan are held
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

TEST(Markov2, LearnsTheFirstSendsAfterAFlush) {
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

// Six neighbours in a fixed order and four places: the least recently used destination is always the next
// one.
TEST(Markov, HitsACycleLongerThanItsCapacity) {
  const std::vector<Port> cycle{0, 1, 2, 3, 4, 5};
  for (const char* name : {"markov1", "markov2"}) {
    const PredictorScore s = score(name, 4, cycle, 100, 3);
    EXPECT_EQ(s.hits, s.sends) << name;
    EXPECT_EQ(s.requests, s.sends) << name << ": each destination is requested once a round";
  }
  for (const char* name : {"timeout", "counter"}) EXPECT_EQ(score(name, 4, cycle, 100, 3).hits, 0u) << name;
}

TEST(Markov, RequestsNothingAheadInTrafficWithoutRepetition) {
  for (const char* name : {"markov1", "markov2"}) {
    const auto p = make(name, 0, 16, 4096);
    for (Port d = 0; d < 4096; ++d) {
      const auto decisions = p->on_send({}, d, 8, 0);
      ASSERT_EQ(list(decisions.request), std::vector<Port>{d}) << name;
    }
  }
}

TEST(Markov, ReleasesDestinationsNeitherUsedNorExpectedForTheThreshold) {
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

TEST(Markov, HoldsOnlyTheDestinationAtACapacityOfOne) {
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

TEST(Markov, LearnsANewOrderWithinTensOfSends) {
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

TEST(Markov, RejectsInvalidShapes) {
  for (const char* name : {"markov1", "markov2"}) {
    EXPECT_THROW(make(name, 0, 0), UserError);
    EXPECT_THROW(make(name, 0, 16, 65'535), UserError);
    EXPECT_NO_THROW(make(name, 0, 16, 65'534));
  }
}

// The successor of 0 depends on the send before the last two.
TEST(MarkovK, UsesAsManySendsAsItsOrder) {
  const std::vector<Port> cycle = test_steps::repeated({1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0}, 60);
  const auto score = [&cycle](std::uint32_t order) {
    return test_steps::score_of("markov", cycle, 2, 240, {}, {.order = order});
  };
  EXPECT_LT(score(2).hit_rate(), 0.8);
  for (std::uint32_t order : {3u, 4u, 5u, 8u}) EXPECT_EQ(score(order).hits, score(order).sends) << order;
}

// A stray send affects as many histories as they are long.
TEST(MarkovK, IsWeakOnAStraySendForAsManySendsAsItsOrder) {
  std::vector<Port> sends;
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    for (Port d = 0; d < 8; ++d) sends.push_back(d);
    sends.push_back(static_cast<Port>(8 + random.below(56)));
  }
  const auto hits = [&sends](std::uint32_t order) {
    return test_steps::score_of("markov", sends, 2, 400, {}, {.order = order}).hits;
  };
  EXPECT_GT(hits(1), hits(3));
  EXPECT_GT(hits(3), hits(6));
}

TEST(MarkovK, IsTheSameAsMarkov1AndMarkov2AtTheirOrders) {
  Random random(6);
  std::vector<Port> sends(4'000);
  for (Port& d : sends) d = static_cast<Port>(random.below(1 + random.below(12)));
  for (std::uint32_t order : {1u, 2u}) {
    const PredictorScore general = test_steps::score_of("markov", sends, 3, 0, {}, {.order = order});
    const PredictorScore special = test_steps::score_of(order == 1 ? "markov1" : "markov2", sends, 3);
    EXPECT_EQ(general.hits, special.hits);
    EXPECT_EQ(general.requests, special.requests);
  }
}

TEST(MarkovK, RejectsAnInvalidOrder) {
  for (std::uint32_t order : {0u, 9u}) try {
      PredictorRegistration::make("markov", PredictorShape{.destinations = 8, .order = order});
      FAIL();
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("markov: order " + std::to_string(order)), std::string::npos);
    }
}

// expect() caches entries. The cache must be valid after a stray send, after an entry is replaced by another
// context, in a loop that returns to its context, and after several sends without a call of expect().
TEST(MarkovK, ExpectsTheSameAfterAnyNumberOfCalls) {
  for (unsigned order = 1; order <= 5; ++order) {
    Markov often(order, 40, 64), seldom(order, 40, 64);
    Random random(order);
    std::vector<Port> cycle;
    std::array<Expected, 5> first, second;
    const auto expect = [&random](Markov& markov, std::span<Expected> out) {
      return markov.expect(out.first(random.below(out.size() + 1)));
    };
    std::size_t total = 0;
    for (int i = 0; i < 30'000; ++i) {
      if (i % 200 == 0) {
        cycle.resize(1 + random.below(9));
        for (Port& d : cycle) d = static_cast<Port>(random.below(40));
      }
      const Port d = random.below(10) == 0 ? static_cast<Port>(random.below(40))
                                           : cycle[static_cast<std::size_t>(i) % cycle.size()];
      often.learn(d, 0, 0);
      seldom.learn(d, 0, 0);
      if (random.below(300) == 0) {
        often.forget_position();
        seldom.forget_position();
      }
      expect(often, first);
      if (random.below(3) != 0) continue;
      const std::size_t count = often.expect(first);
      ASSERT_EQ(count, seldom.expect(second));
      for (std::size_t k = 0; k < count; ++k) {
        ASSERT_EQ(first[k].destination, second[k].destination) << "order " << order << ", send " << i;
        ASSERT_EQ(first[k].confidence, second[k].confidence);
        ASSERT_EQ(first[k].sends, second[k].sends);
      }
      total += count;
    }
    ASSERT_GT(total, 10'000u) << "order " << order;
  }
}

TEST(Markov1, ConfidenceIsTheProbability) {
  const auto p = make("markov1", 4);
  for (int round = 0; round < 8; ++round)
    for (Port d : {0, 1, 0, 1, 0, 2}) p->on_send(nanoseconds(100), d, 100, 0);
  p->on_send(nanoseconds(100), 0, 100, 0);
  std::array<Predictor::Expectation, 4> out;
  const std::size_t count = p->expect(out);
  ASSERT_GE(count, 2u);
  EXPECT_EQ(out[0].destination, 1u);
  EXPECT_EQ(out[1].destination, 2u);
  EXPECT_NEAR(out[0].confidence, 170, 3);  // 16 of 24
  EXPECT_NEAR(out[1].confidence, 85, 3);
  EXPECT_EQ(out[0].sends, 1);
  EXPECT_EQ(out[0].size_class, 7);
}

// There are sends to 0 from two call sites, with different successors. An order of 1 is enough if it
// distinguishes the sites. The expected values are still destinations.
TEST(MarkovBySite, DistinguishesSuccessorsByCallSite) {
  for (std::uint32_t destinations : {8u, 4096u, 65'534u}) {
    Markov alike(1, destinations), apart(1, destinations, 512, Markov::Sites::kApart);
    const auto send = [&](Port d, std::uint64_t site) {
      alike.learn(d, 4, site);
      apart.learn(d, 4, site);
    };
    for (int round = 0; round < 20; ++round)
      for (auto [d, site] : {std::pair{0u, 7u}, {1u, 7u}, {0u, 9u}, {destinations - 1, 9u}}) send(d, site);
    send(0, 9);
    std::array<Expected, 4> out;
    const bool has_room = destinations < 65'534;  // for sites, in 16 bits
    ASSERT_EQ(apart.expect(out), has_room ? 4u : 2u);
    EXPECT_EQ(out[0].destination, has_room ? destinations - 1 : 1) << destinations;
    if (has_room) {
      EXPECT_EQ(out[1].destination, 0u);
      EXPECT_EQ(out[2].destination, 1u);
      EXPECT_EQ(out[3].destination, 0u);
    }
    EXPECT_GE(alike.expect(out), 2u);
    EXPECT_EQ(out[0].confidence, 127) << "either of two";
  }
}

}  // namespace
}  // namespace hybrid
