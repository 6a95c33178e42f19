#include <gtest/gtest.h>

#include <array>

#include "core/error.h"
#include "emulator/scheduler/delivery_cycles.h"
#include "emulator/scheduler/testing/delivery_cycles.h"
#include "emulator/scheduler/testing/greedy_delivery_reference.h"
#include "emulator/topology/channel_load.h"
#include "emulator/topology/message_sets.h"

namespace hybrid {
namespace {

TEST(GreedyDelivery, DeliversEveryMessageOnceWithinCapacities) {
  Random random(1);
  for (const BinaryFatTree& tree : test_trees())
    for (const MessageSetKind& kind : message_set_kinds())
      for (const std::uint32_t load_factor : {1U, 2U, 5U}) {
        const auto messages = kind.make(tree, load_factor, random);
        const DeliveryCycles delivered = greedy_delivery(tree, messages, random);
        SCOPED_TRACE(std::string(kind.name) + " on " + std::to_string(tree.processors()));
        expect_delivered(tree, messages, delivered);
        EXPECT_GE(delivered.cycles, ChannelLoads(tree, messages).fewest_cycles());
      }
}

TEST(GreedyDelivery, WithoutContentionOneCycleIsEnough) {
  // With a load factor of 1 there is no contention: no processor sends more than its channel takes.
  Random random(1);
  for (const BinaryFatTree& tree : test_trees())
    for (const MessageSetKind& kind : message_set_kinds()) {
      const auto messages = kind.make(tree, 1, random);
      EXPECT_EQ(greedy_delivery(tree, messages, random).cycles, messages.empty() ? 0U : 1U) << kind.name;
    }
}

TEST(GreedyDelivery, NoMessageTakesNoCycle) {
  Random random(1);
  EXPECT_EQ(greedy_delivery(BinaryFatTree::uniform(4, 1), {}, random).cycles, 0U);
}

TEST(GreedyDelivery, OneDestinationTakesACycleForEachPath) {
  // All send to processor 0, which receives two per cycle: each cycle delivers at least one message.
  const BinaryFatTree tree = BinaryFatTree::uniform(16, 2);
  std::vector<Connection> messages;
  for (Port p = 1; p < 16; ++p) messages.push_back({p, 0});
  Random random(1);
  const DeliveryCycles delivered = greedy_delivery(tree, messages, random);
  expect_delivered(tree, messages, delivered);
  EXPECT_GE(delivered.cycles, 8U);
  EXPECT_LE(delivered.cycles, 15U);
}

TEST(GreedyDelivery, ContendingMessagesHaveTheSameProbability) {
  // Three messages from the left half (processors 8 to 15) to the right half contend for a channel of two
  // paths.
  BinaryFatTree tree = BinaryFatTree::uniform(16, 4);
  tree.set_capacity(3, 2);  // above the left half
  const std::array messages{Connection{8, 0}, Connection{9, 1}, Connection{12, 2}};
  Random random(1);
  std::array<int, 3> first{};
  constexpr int kRuns = 6000;
  for (int run = 0; run < kRuns; ++run) {
    const DeliveryCycles delivered = greedy_delivery(tree, messages, random);
    ASSERT_EQ(delivered.cycles, 2U);
    for (std::size_t i = 0; i < 3; ++i) first[i] += delivered.cycle_of[i] == 0 ? 1 : 0;
  }
  EXPECT_EQ(first[0] + first[1] + first[2], 2 * kRuns);
  for (const int times : first) EXPECT_NEAR(times, kRuns * 2 / 3, 150);  // four standard deviations
}

TEST(GreedyDelivery, AProcessorDrawsTheMessagesThatItSends) {
  const BinaryFatTree tree = BinaryFatTree::uniform(8, 1);
  const std::array messages{Connection{0, 4}, Connection{0, 5}, Connection{0, 6}, Connection{0, 7}};
  Random random(1);
  std::array<int, 4> first{};
  constexpr int kRuns = 8000;
  for (int run = 0; run < kRuns; ++run) {
    const DeliveryCycles delivered = greedy_delivery(tree, messages, random);
    ASSERT_EQ(delivered.cycles, 4U);
    for (std::size_t i = 0; i < 4; ++i) first[i] += delivered.cycle_of[i] == 0 ? 1 : 0;
  }
  for (const int times : first) EXPECT_NEAR(times, kRuns / 4, 160);
}

TEST(GreedyDelivery, LostMessagesTakeNoPathFurtherOn) {
  // 0 and 2 contend for the only path above node 2, which has processors 0 to 3. The winner and the message
  // of 4 meet below the root, where there are two paths. If the loser still took a path there, 4 would lose
  // in a third of the runs.
  BinaryFatTree tree = BinaryFatTree::uniform(8, 2);
  tree.set_capacity(2, 1);
  const std::array messages{Connection{0, 6}, Connection{2, 7}, Connection{4, 6}};
  Random random(1);
  for (int run = 0; run < 100; ++run) {
    const DeliveryCycles delivered = greedy_delivery(tree, messages, random);
    EXPECT_EQ(delivered.cycles, 2U);
    EXPECT_EQ(delivered.cycle_of[2], 0U);
    EXPECT_NE(delivered.cycle_of[0], delivered.cycle_of[1]);
  }
}

TEST(GreedyDelivery, TakesAsManyCyclesAsTheListingOfTheMemo) {
  // The same distribution, not the same draws: means over many runs.
  for (const BinaryFatTree& tree : {BinaryFatTree::uniform(32, 1), BinaryFatTree::universal(64, 16)}) {
    Random random(1);
    const auto messages = filled_messages(tree, 6, random);
    constexpr int kRuns = 300;
    double fast = 0, listing = 0;
    for (int run = 0; run < kRuns; ++run) {
      fast += greedy_delivery(tree, messages, random).cycles;
      const DeliveryCycles reference = greedy_delivery_reference::deliver(tree, messages, random);
      if (run == 0) expect_delivered(tree, messages, reference);
      listing += reference.cycles;
    }
    EXPECT_NEAR(fast / kRuns, listing / kRuns, 0.02 * listing / kRuns);
  }
}

TEST(GreedyDelivery, SameSeedSameCycles) {
  const BinaryFatTree tree = BinaryFatTree::universal(64, 32);
  Random draw(1);
  const auto messages = random_messages(tree, 4, draw);
  Random one(1), again(1), other(2);
  const auto cycles = greedy_delivery(tree, messages, one).cycle_of;
  EXPECT_EQ(cycles, greedy_delivery(tree, messages, again).cycle_of);
  EXPECT_NE(cycles, greedy_delivery(tree, messages, other).cycle_of);
}

TEST(GreedyDelivery, RefusesMessagesThatDoNotEnterTheTree) {
  const std::array messages{Connection{0, 9}};
  Random random(1);
  EXPECT_THROW(greedy_delivery(BinaryFatTree::uniform(8, 1), messages, random), UserError);
}

}  // namespace
}  // namespace hybrid
