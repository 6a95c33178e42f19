#include "predictor/transition_table.h"

#include <gtest/gtest.h>

#include <map>

#include "core/random.h"

namespace hybrid {
namespace {

TEST(TransitionTable, CountsSuccessors) {
  TransitionTable table(16);
  EXPECT_EQ(table.find(3), nullptr);
  for (Port next : {5, 6, 6, 7, 6, 5}) table.learn(3, next);
  const auto* entry = table.find(3);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->total, 6);
  EXPECT_EQ(entry->successor[0], 6);
  EXPECT_EQ(entry->count[0], 3);
  EXPECT_EQ(entry->successor[1], 5);
  EXPECT_EQ(entry->count[1], 2);
  EXPECT_EQ(entry->successor[2], 7);
  EXPECT_EQ(entry->count[2], 1);
  EXPECT_EQ(entry->count[3], 0);
}

TEST(TransitionTable, KeepsTheMostFrequentSuccessors) {
  TransitionTable table(16);
  for (Port i = 0; i < 40; ++i) {
    table.learn(1, 100);
    if (i % 2 == 0) table.learn(1, 101);
    table.learn(1, 200 + i);  // each once
  }
  const auto* entry = table.find(1);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->successor[0], 100);
  EXPECT_EQ(entry->successor[1], 101);
  EXPECT_NEAR(static_cast<double>(entry->count[0]) / entry->total, 0.4, 0.06);
  EXPECT_NEAR(static_cast<double>(entry->count[1]) / entry->total, 0.2, 0.06);
}

TEST(TransitionTable, CountsStayDescendingAndBelowTheirTotal) {
  Random random(7);
  TransitionTable table(64);
  for (int i = 0; i < 100'000; ++i) {
    const auto context = static_cast<std::uint32_t>(random.below(50));
    table.learn(context, static_cast<Port>(random.below(1 + random.below(12))));
    const auto* entry = table.find(context);
    if (entry == nullptr) continue;
    unsigned sum = 0;
    for (std::size_t k = 0; k < TransitionTable::kSuccessors; ++k) {
      sum += entry->count[k];
      if (k > 0) {
        ASSERT_LE(entry->count[k], entry->count[k - 1]);
      }
      for (std::size_t m = 0; m < k; ++m)
        ASSERT_TRUE(entry->count[k] == 0 || entry->successor[m] != entry->successor[k]);
    }
    ASSERT_LE(sum, entry->total);
    ASSERT_LT(entry->total, TransitionTable::kAgeAt);
  }
}

TEST(TransitionTable, OldSuccessorsLoseWeight) {
  TransitionTable table(16);
  for (int i = 0; i < 10'000; ++i) table.learn(1, 5);
  for (int i = 0; i < 100; ++i) table.learn(1, 6);
  EXPECT_EQ(table.find(1)->successor[0], 6);
  EXPECT_GT(table.find(1)->count[0], 3 * table.find(1)->count[1]);
}

TEST(TransitionTable, KeepsAPartOfACycleOverMoreContextsThanEntries) {
  TransitionTable table(1 << 20);
  constexpr std::uint32_t kContexts = 3 * TransitionTable::kMostEntries;
  for (int round = 0; round < 6; ++round)
    for (std::uint32_t c = 0; c < kContexts; ++c) table.learn(c, c % 1000);
  std::uint32_t known = 0;
  for (std::uint32_t c = 0; c < kContexts; ++c) {
    const auto* entry = table.find(c);
    known += entry != nullptr && entry->successor[0] == c % 1000 && entry->count[0] >= 2 ? 1 : 0;
  }
  EXPECT_GT(known, TransitionTable::kMostEntries * 9 / 10);
}

TEST(TransitionTable, OldContextsAreReplaced) {
  TransitionTable table(1 << 20);
  for (std::uint32_t c = 0; c < 100'000; ++c) table.learn(c, 1);  // fills every entry
  for (int round = 0; round < 8; ++round)
    for (std::uint32_t c = 200'000; c < 200'100; ++c) table.learn(c, 2);
  std::uint32_t known = 0;
  for (std::uint32_t c = 200'000; c < 200'100; ++c) known += table.find(c) != nullptr ? 1 : 0;
  EXPECT_GT(known, 90u);
}

}  // namespace
}  // namespace hybrid
