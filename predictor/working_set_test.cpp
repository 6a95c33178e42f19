#include "predictor/working_set.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/random.h"
#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::list;
using test_steps::repeated;
using test_steps::score_of;

using Sends = std::vector<Port>;

Sends operator+(Sends a, const Sends& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Sends members(std::span<const std::uint16_t> set) { return {set.begin(), set.end()}; }

// The set restored at the last of the sends.
Sends restored_after(WorkingSets& sets, const Sends& sends) {
  Sends restored;
  for (Port d : sends) restored = members(sets.send(d));
  return restored;
}

TEST(WorkingSets, ARecurringPhaseIsRestoredWithItsFirstMessage) {
  WorkingSets sets;
  const Sends mesh = repeated({1, 4, 8, 12}, 10), ring = repeated({2, 9, 3}, 10);
  EXPECT_EQ(restored_after(sets, mesh + ring), Sends{});
  EXPECT_EQ(sets.phases(), 2u);
  EXPECT_EQ(restored_after(sets, {1}), (Sends{1, 4, 8, 12}));
  EXPECT_EQ(restored_after(sets, repeated({4, 8, 12, 1}, 10)), Sends{});
  EXPECT_EQ(restored_after(sets, {2}), (Sends{2, 9, 3}));
  EXPECT_EQ(sets.phases(), 4u);
  EXPECT_EQ(sets.recurrences(), 2u);
}

TEST(WorkingSets, StraySendsEndNoPhase) {
  WorkingSets sets;
  Sends sends;
  for (int i = 0; i < 50; ++i) sends = sends + repeated({1, 4, 8, 12}, 2) + Sends{static_cast<Port>(20 + i)};
  restored_after(sets, sends);
  EXPECT_EQ(sets.phases(), 1u);
}

TEST(WorkingSets, ThreeForeignSendsInARowBeginAnotherPhase) {
  WorkingSets sets;
  restored_after(sets, repeated({1, 4, 8, 12}, 10) + Sends{2, 9});
  EXPECT_EQ(sets.phases(), 1u);
  restored_after(sets, {3});
  EXPECT_EQ(sets.phases(), 2u);
}

// The second time it begins with 9, which is not an entry. It is detected by evidence, with the complete set.
TEST(WorkingSets, APhaseIsRecognisedWithADifferentBegin) {
  WorkingSets sets;
  const Sends mesh = repeated({1, 4, 8, 12}, 10), ring = repeated({2, 9, 3, 7, 5}, 10);
  restored_after(sets, mesh + ring + mesh);
  EXPECT_EQ(restored_after(sets, {9, 3}), Sends{});
  EXPECT_EQ(restored_after(sets, {7}), (Sends{2, 9, 3, 7, 5}));
  EXPECT_EQ(sets.recurrences(), 2u);  // the mesh, and this
}

// 2 begins one phase after the mesh, and another after the tree.
TEST(WorkingSets, OfTwoWithOneEntryTheLastSuccessorIsRestored) {
  WorkingSets sets;
  const Sends mesh = repeated({1, 4, 8, 12}, 10), tree = repeated({20, 21, 22}, 10);
  const Sends ring = repeated({2, 9, 3}, 10), star = repeated({2, 30, 31, 32}, 10);
  Sends round = mesh + ring + tree + star;
  restored_after(sets, round + round);
  EXPECT_EQ(restored_after(sets, mesh + Sends{2}), (Sends{2, 9, 3}));
  restored_after(sets, ring);
  EXPECT_EQ(restored_after(sets, tree + Sends{2}), (Sends{2, 30, 31, 32}));
}

// Occasionally 2 is a stray in the mesh, where it does not begin the ring.
TEST(WorkingSets, AMisleadingEntryIsIgnored) {
  WorkingSets sets;
  const Sends mesh = repeated({1, 4, 8, 12}, 10), ring = repeated({2, 9, 3}, 10);
  restored_after(sets, mesh + ring);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(restored_after(sets, mesh + Sends{2}), (Sends{2, 9, 3})) << i;
    EXPECT_EQ(restored_after(sets, {1}), (Sends{1, 4, 8, 12})) << "the mesh again";
  }
  EXPECT_EQ(restored_after(sets, mesh + Sends{2}), Sends{});
}

// Thirty sets, of which the last sixteen are remembered.
TEST(WorkingSets, RemembersTheLastSixteen) {
  WorkingSets sets;
  const auto phase = [](Port i) { return repeated({10 * i, 10 * i + 1, 10 * i + 2}, 5); };
  for (Port i = 0; i < 30; ++i) restored_after(sets, phase(i));
  EXPECT_EQ(restored_after(sets, {150}), (Sends{150, 151, 152})) << "the sixteenth from the last";
  restored_after(sets, phase(15));
  EXPECT_EQ(restored_after(sets, {100}), Sends{}) << "forgotten";
}

TEST(WorkingSets, AFlushEndsAPhase) {
  WorkingSets sets;
  restored_after(sets, repeated({1, 4, 8, 12}, 10));
  sets.end_phase();
  restored_after(sets, repeated({4, 5}, 10));
  EXPECT_EQ(sets.phases(), 2u);
  sets.end_phase();
  EXPECT_EQ(restored_after(sets, {1}), (Sends{1, 4, 8, 12}));
}

// The predictor hits all but the first message of each occurrence, after learning.
TEST(WorkingSet, MissesOnlyTheFirstMessageOfARecurringPhase) {
  Sends sends;
  for (int i = 0; i < 20; ++i) sends = sends + repeated({1, 4, 8, 12}, 6) + repeated({2, 9, 3, 7}, 6);
  const auto score = score_of("working-set", sends, 4);
  EXPECT_EQ(score.hits, score.sends - 8 - 19 * 2);
  EXPECT_EQ(score_of("lru", sends, 4).hits, score.sends - 8 - 19 * 8);
}

TEST(WorkingSet, IsWeakOnSetsThatNeverRecur) {
  Sends sends;
  for (Port i = 0; i < 16; ++i) sends = sends + repeated({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3}, 6);
  EXPECT_EQ(score_of("working-set", sends, 4).hits, score_of("lru", sends, 4).hits);
}

// Random phases with strays: never much below lru.
TEST(WorkingSet, CostsLittleIfItIsWrong) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    Sends sends;
    while (sends.size() < 20'000) {
      Sends cycle;
      for (std::uint64_t n = 2 + random.below(6); n > 0; --n)
        cycle.push_back(static_cast<Port>(random.below(12)));
      for (std::uint64_t n = 1 + random.below(60); n > 0; --n) {
        sends.push_back(cycle[n % cycle.size()]);
        if (random.below(10) == 0) sends.push_back(static_cast<Port>(random.below(60)));
      }
    }
    for (const std::uint32_t capacity : {2u, 4u, 8u})
      EXPECT_GT(score_of("working-set", sends, capacity).hit_rate(),
                score_of("lru", sends, capacity).hit_rate() - 0.05)
          << "seed " << seed << ", capacity " << capacity;
  }
}

}  // namespace
}  // namespace hybrid
