#include "predictor/tournament.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::repeated;
using test_steps::round_of;
using test_steps::score_of;

constexpr std::uint32_t kCapacities[] = {1, 2, 4, 8, 16};

TEST(Tournament, BeginsWithTheFastestLearner) {
  EXPECT_EQ(Tournament({.destinations = 8, .capacity = 2}).leader(), Tournament::kSites);
  // The stream ends after three duels. The order is known after the first round and predicted in the other
  // two.
  EXPECT_GE(score_of("tournament", repeated(round_of(16), 3), 2).hits, 2 * 15u);
}

TEST(Tournament, IsNotBelowLeastRecentlyUsedOnUnpredictableStreams) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Random random(seed);
    std::vector<Port> even(6'000), uneven(6'000);
    for (Port& d : even) d = static_cast<Port>(random.below(64));
    for (Port& d : uneven) d = static_cast<Port>(random.below(1 + random.below(1 + random.below(30))));
    for (std::uint32_t capacity : kCapacities)
      for (const auto& sends : {even, uneven})
        EXPECT_GE(score_of("tournament", sends, capacity).hits + 20, score_of("lru", sends, capacity).hits)
            << "seed " << seed << ", capacity " << capacity;
  }
}

// For every contestant a stream on which it is the best; the tournament is as good.
struct Case {
  const char* name;
  std::vector<Port> sends;
};
std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"round", repeated(round_of(40), 200)});
  all.push_back({"ambiguous", repeated({0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6}, 700)});
  Random random(8);
  std::vector<Port> cycle(150);
  for (Port& d : cycle) d = static_cast<Port>(random.below(6));
  all.push_back({"long", repeated(cycle, 60)});
  std::vector<Port> two;
  for (int turn = 0; turn < 60; ++turn)
    for (Port d : repeated(turn % 2 == 0 ? round_of(7) : std::vector<Port>{19, 18, 17, 16, 15}, 20))
      two.push_back(d);
  all.push_back({"two loops", std::move(two)});
  std::vector<Port> shuffled;
  for (int round = 0; round < 1'500; ++round) {
    std::vector<Port> order = round_of(6);
    for (std::size_t i = 5; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
    shuffled.insert(shuffled.end(), order.begin(), order.end());
  }
  all.push_back({"shuffled", std::move(shuffled)});
  return all;
}

TEST(Tournament, IsAsGoodAsTheBestOfItsContestants) {
  for (const Case& c : cases())
    for (std::uint32_t capacity : {2u, 4u, 8u}) {
      double best = 0;
      for (const char* name : {"lru", "markov1", "markov2", "better-cycle", "tage"})
        best = std::max(best, score_of(name, c.sends, capacity, 4'000).hit_rate());
      EXPECT_GT(score_of("tournament", c.sends, capacity, 4'000).hit_rate(), best - 0.03)
          << c.name << ", capacity " << capacity;
    }
}

// A round over all destinations after every 16 sends to four neighbours in random order. The successor of a
// neighbour depends on the call site: one for the round, one for the others.
TEST(Tournament, DistinguishesCallSites) {
  std::vector<Port> sends;
  std::vector<std::uint64_t> sites;
  Random random(5);
  const auto send = [&](Port d, std::uint64_t site) {
    sends.push_back(d);
    sites.push_back(site);
  };
  for (int turn = 0; turn < 6; ++turn) {
    for (Port d : round_of(15)) send(d, 1);
    for (int i = 0; i < 16; ++i) send(3 * static_cast<Port>(random.below(4)), 2);
  }
  const auto hits = score_of("tournament", sends, 4, 0, sites).hits;
  EXPECT_GT(hits, sends.size() * 85 / 100);
  EXPECT_GT(hits, score_of("tournament", sends, 4).hits + 5);
}

TEST(Tournament, FollowsTheProgramFromPhaseToPhase) {
  Tournament p({.destinations = 64, .capacity = 2});
  for (Port d : repeated(round_of(20), 30)) p.on_send({}, d, 8, 0);
  EXPECT_NE(p.leader(), Tournament::kNothing);
  std::size_t hits = 0;
  const std::vector<Port> next = repeated({0, 30, 0, 31, 0, 32}, 200);
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (i >= 600 && p.holds(next[i])) ++hits;
    p.on_send({}, next[i], 8, 0);
  }
  EXPECT_GT(hits, 590u);
}

TEST(Tournament, IsLeastRecentlyUsedWithOnePlace) {
  const std::vector<Port> sends = repeated({0, 0, 1, 1, 1, 2}, 50);
  EXPECT_EQ(score_of("tournament", sends, 1).hits, score_of("lru", sends, 1).hits);
  EXPECT_EQ(score_of("tournament", sends, 1).requests, score_of("lru", sends, 1).requests);
}

// Without a capacity, a destination neither used nor requested is released after the threshold.
TEST(Tournament, ReleasesUnusedDestinationsWithoutACapacity) {
  Tournament p({.destinations = 64, .threshold = 5});
  for (Port d : {9, 1, 2, 3, 1, 2}) p.on_send({}, d, 8, 0);
  EXPECT_FALSE(p.holds(9));
  EXPECT_TRUE(p.holds(1) && p.holds(2) && p.holds(3));
}

TEST(Tournament, PredictsTheFirstRoundOfALoopOverTheRanks) {
  // Misses: the first send, and the second and third, before two steps were equal.
  EXPECT_EQ(score_of("tournament", round_of(30), 4).hits, 27u);
  std::vector<Port> downwards, pairs;
  for (Port i = 0; i < 30; ++i) {
    downwards.push_back(29 - i);
    pairs.push_back(i / 2 * 2 + 1 - i % 2);
  }
  EXPECT_EQ(score_of("tournament", downwards, 4).hits, 27u);
  EXPECT_EQ(score_of("tournament", pairs, 4).hits, 0u);
}

// The sends of a farmer: the first task to each worker, further tasks to workers that are ready, the end to
// each worker. The stream is short, so that chance decides which contestant is the best. The tournament is as
// good as the best one.
TEST(Tournament, IsAsGoodAsTheBestContestantOnAShortFarm) {
  constexpr Port kWorkers = 15;
  constexpr int kTasks = 200, kFarms = 60;
  std::uint64_t best = 0, tournament = 0;
  for (std::uint64_t seed = 1; seed <= kFarms; ++seed) {
    Random random(seed);
    std::vector<Port> sends;
    for (Port worker = 1; worker <= kWorkers; ++worker) sends.push_back(worker);
    while (sends.size() < kTasks) sends.push_back(1 + static_cast<Port>(random.below(kWorkers)));
    for (Port worker = 1; worker <= kWorkers; ++worker) sends.push_back(worker);
    std::uint64_t most = 0;
    for (const char* name : {"lru", "markov1", "markov2", "markov", "single-cycle", "better-cycle", "tagging",
                             "linear", "dpd", "grammar", "tage", "working-set"})
      most = std::max(most, score_of(name, sends, 4).hits);
    best += most;
    tournament += score_of("tournament", sends, 4).hits;
  }
  EXPECT_GE(tournament, best);
}

// Weak on: phases that are shorter than the time to find their best contestant.
TEST(Tournament, IsWeakOnPhasesTooShortToJudge) {
  std::vector<Port> sends;
  Random random(9);
  for (int phase = 0; phase < 200; ++phase) {
    std::vector<Port> cycle(6);
    for (Port& d : cycle) d = static_cast<Port>(random.below(60));
    for (Port d : repeated(cycle, 4)) sends.push_back(d);
  }
  const double tournament = score_of("tournament", sends, 4).hit_rate();
  EXPECT_LT(tournament, 0.6);
}

std::optional<Port> after(std::initializer_list<Port> sends, std::uint32_t destinations = 10) {
  DestinationLine line(destinations);
  for (const Port d : sends) line.send(d);
  return line.next();
}

TEST(DestinationLine, NeedsTwoEqualSteps) {
  EXPECT_EQ(after({}), std::nullopt);
  EXPECT_EQ(after({3}), std::nullopt);
  EXPECT_EQ(after({3, 5}), std::nullopt);
  EXPECT_EQ(after({1, 2}), std::nullopt) << "no send to 0 before";
  EXPECT_EQ(after({3, 5, 7}), 9u);
  EXPECT_EQ(after({3, 5, 7, 8}), std::nullopt);
  EXPECT_EQ(after({3, 5, 7, 8, 9}), 0u);
}

TEST(DestinationLine, FollowsBothDirectionsAndWrapsAround) {
  EXPECT_EQ(after({2, 1, 0}), 9u);
  EXPECT_EQ(after({8, 9, 0}), 1u);
  EXPECT_EQ(after({1, 8, 5}), 2u);
  EXPECT_EQ(after({4, 4, 4}), std::nullopt) << "a step of 0 is no line";
  EXPECT_EQ(after({0, 0, 0}, 1), std::nullopt);
}

}  // namespace
}  // namespace hybrid
