#include "predictor/named_phases.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::repeated;

using Sends = std::vector<Port>;

Sends begun(NamedPhases& phases, std::uint32_t phase, const Sends& sends) {
  const auto set = phases.begin(phase);
  const Sends restored(set.begin(), set.end());
  for (const Port d : sends) phases.send(d);
  return restored;
}

TEST(NamedPhases, RestoresTheDestinationsOfTheLastOccurrence) {
  NamedPhases phases;
  phases.send(7);  // outside all phases
  EXPECT_EQ(begun(phases, 1, {4, 1, 4, 8}), Sends{});
  EXPECT_EQ(begun(phases, 2, {9}), Sends{});
  EXPECT_EQ(begun(phases, 1, {}), (Sends{4, 1, 8}));
  EXPECT_EQ(begun(phases, 1, {4}), (Sends{4, 1, 8})) << "an occurrence without sends has no effect";
  EXPECT_EQ(begun(phases, 1, {8, 1}), (Sends{4, 1, 8})) << "interrupted";
  EXPECT_EQ(begun(phases, 1, {}), (Sends{8, 1}));
  EXPECT_EQ(begun(phases, 2, {}), Sends{9});
}

TEST(NamedPhases, KnowsTheRestoredSet) {
  NamedPhases phases;
  begun(phases, 1, {4, 1});
  EXPECT_FALSE(phases.is_restored(4)) << "the first time";
  phases.begin(1);
  EXPECT_TRUE(phases.is_restored(4));
  EXPECT_FALSE(phases.is_restored(5));
}

TEST(NamedPhases, DoesNotRestoreASetThatWasWrongTwice) {
  NamedPhases phases;
  begun(phases, 1, {0, 1});
  EXPECT_EQ(begun(phases, 1, {2, 3}), (Sends{0, 1}));
  EXPECT_EQ(begun(phases, 1, {4, 5}), (Sends{2, 3}));
  EXPECT_EQ(begun(phases, 1, {6, 7}), Sends{});
  EXPECT_EQ(begun(phases, 1, {6, 7}), Sends{}) << "never correct";
  EXPECT_EQ(begun(phases, 1, {6, 7}), Sends{}) << "correct once";
  EXPECT_EQ(begun(phases, 1, {6, 7}), (Sends{6, 7})) << "correct twice";
}

TEST(NamedPhases, ForgetsThePhaseThatBeganLongestAgo) {
  NamedPhases phases;
  for (std::uint32_t i = 0; i < NamedPhases::kRemembered; ++i) begun(phases, i, {i});
  EXPECT_EQ(begun(phases, 0, {0}), Sends{0});
  EXPECT_EQ(begun(phases, 100, {50}), Sends{}) << "in the place of 1";
  EXPECT_EQ(begun(phases, 0, {0}), Sends{0});
  EXPECT_EQ(begun(phases, 1, {1}), Sends{});
  EXPECT_EQ(begun(phases, 100, {50}), Sends{50});
}

TEST(NamedPhases, RemembersTheFirstSixteenMembers) {
  NamedPhases phases;
  Sends sends = test_steps::round_of(20);
  begun(phases, 1, sends);
  sends.resize(16);
  EXPECT_EQ(begun(phases, 1, {}), sends);
}

// The number of misses in `turns` rounds over phases with different sets.
std::uint64_t misses(const char* predictor, const std::vector<Sends>& phases, int turns, bool named,
                     std::uint32_t capacity) {
  PredictorEvaluation evaluation(predictor, {.destinations = 64, .capacity = capacity});
  Time at{};
  for (int turn = 0; turn < turns; ++turn)
    for (std::uint32_t phase = 0; phase < phases.size(); ++phase) {
      at += microseconds(1);
      if (named) evaluation.phase(at, phase + 1);
      for (const Port d : phases[phase]) evaluation.send(at += nanoseconds(100), d, 8, 0);
    }
  const PredictorScore score = evaluation.finish(at);
  return score.sends - score.hits;
}

// The sets have four members each, which miss in the first occurrence only.
TEST(NamedPhases, EveryMessageOfARecurringPhaseIsAHit) {
  const std::vector<Sends> phases = {repeated({1, 4, 8, 12}, 6), repeated({2, 9, 3, 7}, 6),
                                     repeated({30, 31, 32, 33}, 6)};
  EXPECT_EQ(misses("working-set", phases, 20, true, 4), 12u);
  EXPECT_EQ(misses("working-set", phases, 20, false, 4), 12u + 19u * 3u) << "the first message hits, too";
}

// The tournament learns the order of the sends in a phase. The first message of a phase does not follow from
// the sends before it.
TEST(NamedPhases, TheTournamentHitsTheFirstMessageOfARecurringPhase) {
  const auto shuffled = [](std::uint64_t seed) {
    std::vector<Sends> phases;
    for (std::uint64_t i = 0; i < 6; ++i)
      phases.push_back(repeated({static_cast<Port>(8 * i + seed % 5), static_cast<Port>(8 * i + 6)}, 4));
    return phases;
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    // In a different order every time, so that the next phase is not predictable.
    PredictorEvaluation named("tournament", {.destinations = 64, .capacity = 2});
    PredictorEvaluation unnamed("tournament", {.destinations = 64, .capacity = 2});
    const std::vector<Sends> phases = shuffled(seed);
    std::uint64_t state = 88172645463325252ULL + seed;
    Time at{};
    constexpr int kBegins = 500;
    for (int i = 0; i < kBegins; ++i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      const auto phase = static_cast<std::uint32_t>(state % phases.size());
      named.phase(at += microseconds(1), phase + 1);
      for (const Port d : phases[phase]) {
        named.send(at += nanoseconds(100), d, 8, 0);
        unnamed.send(at, d, 8, 0);
      }
    }
    const PredictorScore with = named.finish(at), without = unnamed.finish(at);
    EXPECT_LE(with.sends - with.hits, 40u) << "first occurrences, and sends for learning";
    EXPECT_GE(without.sends - without.hits, 300u) << "five of six phases begin with a miss";
  }
}

// Names without meaning cost at most this fraction of the hits of lru.
TEST(NamedPhases, NamesWithoutMeaningCostLittle) {
  for (const char* predictor : {"working-set", "tournament"}) {
    std::vector<Sends> phases;
    for (Port i = 0; i < 60; ++i) phases.push_back({i % 3, 10 + i % 7, i % 3, 20 + i % 11});
    for (Sends& sends : phases) sends = repeated(sends, 3);
    PredictorEvaluation named(predictor, {.destinations = 64, .capacity = 4});
    PredictorEvaluation unnamed(predictor, {.destinations = 64, .capacity = 4});
    Time at{};
    for (int turn = 0; turn < 10; ++turn)
      for (const Sends& sends : phases) {
        named.phase(at += microseconds(1), 1);
        for (const Port d : sends) {
          named.send(at += nanoseconds(100), d, 8, 0);
          unnamed.send(at, d, 8, 0);
        }
      }
    EXPECT_GT(named.finish(at).hit_rate(), unnamed.finish(at).hit_rate() - 0.05) << predictor;
  }
}

TEST(NamedPhases, APhaseAfterAFlushIsRestored) {
  for (const char* predictor : {"working-set", "tournament"}) {
    const auto p = PredictorRegistration::make(predictor, {.destinations = 64, .capacity = 4});
    Time at{};
    p->on_phase(at, 1);
    for (const Port d : repeated({5, 6}, 20)) p->on_send(at += nanoseconds(100), d, 8, 0);
    p->on_flush();
    EXPECT_FALSE(p->holds(5));
    p->on_phase(at, 1);
    EXPECT_TRUE(p->holds(5)) << predictor;
    EXPECT_TRUE(p->holds(6)) << predictor;
  }
}

}  // namespace
}  // namespace hybrid
