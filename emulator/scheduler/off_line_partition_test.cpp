// The off-line solutions of the routing problem: off_line_partition and first_fit_delivery.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/error.h"
#include "emulator/scheduler/delivery_cycles.h"
#include "emulator/scheduler/testing/delivery_cycles.h"
#include "emulator/topology/channel_load.h"
#include "emulator/topology/message_sets.h"

namespace hybrid {
namespace {

template <class Check>
void for_all_sets(Check&& check) {
  Random random(1);
  for (const BinaryFatTree& tree : test_trees())
    for (const MessageSetKind& kind : message_set_kinds())
      for (const std::uint32_t load_factor : {1U, 2U, 5U, 8U}) {
        const auto messages = kind.make(tree, load_factor, random);
        SCOPED_TRACE(std::string(kind.name) + " on " + std::to_string(tree.processors()));
        check(tree, messages, load_factor);
      }
}

/// Random messages without a load factor to reach; many are repeated.
std::vector<Connection> random_multiset(const BinaryFatTree& tree, std::size_t many, Random& random) {
  std::vector<Connection> messages;
  while (messages.size() < many) {
    const Connection m{static_cast<Port>(random.below(tree.processors())),
                       static_cast<Port>(random.below(1 + random.below(tree.processors())))};
    if (m.source != m.destination) messages.insert(messages.end(), 1 + random.below(3), m);
  }
  return messages;
}

TEST(OffLinePartition, DeliversWithinCapacitiesAndWithinItsBound) {
  for_all_sets([](const BinaryFatTree& tree, const std::vector<Connection>& messages, std::uint32_t lambda) {
    const DeliveryCycles delivered = off_line_partition(tree, messages);
    expect_delivered(tree, messages, delivered);
    EXPECT_GE(delivered.cycles, ChannelLoads(tree, messages).fewest_cycles());
    EXPECT_LE(delivered.cycles, off_line_bound(tree, messages));
    EXPECT_LE(off_line_bound(tree, messages), 2 * lambda * tree.height()) << "2 lambda lg n";
  });
  Random random(1);
  for (const BinaryFatTree& tree : test_trees())
    for (int run = 0; run < 20; ++run) {
      const auto messages = random_multiset(tree, 1 + random.below(300), random);
      const DeliveryCycles delivered = off_line_partition(tree, messages);
      expect_delivered(tree, messages, delivered);
      EXPECT_LE(delivered.cycles, off_line_bound(tree, messages));
    }
}

TEST(OffLinePartition, OneHeightTakesItsLoadFactorRoundedUpToAPowerOfTwo) {
  // Messages through the root only, with load factor 4 = 2^2: four cycles, the smallest possible number.
  const BinaryFatTree tree = BinaryFatTree::universal(64, 64);
  Random random(1);
  std::vector<Connection> messages;
  for (const Connection m : filled_messages(tree, 4, random))
    if (turn_height(m) == tree.height()) messages.push_back(m);
  ASSERT_EQ(ChannelLoads(tree, messages).fewest_cycles(), 4U);
  EXPECT_EQ(off_line_partition(tree, messages).cycles, 4U);
}

TEST(OffLinePartition, BoundOfAnExample) {
  // Root: 3 messages over channels of one path, so 4; neighbours: 2 on one channel.
  const BinaryFatTree tree = BinaryFatTree::uniform(4, 1);
  const std::array messages{Connection{0, 2}, Connection{1, 3}, Connection{0, 3}, Connection{0, 1},
                            Connection{0, 1}};
  EXPECT_EQ(off_line_bound(tree, messages), 6U);
  const DeliveryCycles delivered = off_line_partition(tree, messages);
  expect_delivered(tree, messages, delivered);
  EXPECT_EQ(off_line_bound(tree, {}), 0U);
}

TEST(FirstFitDelivery, DeliversWithinCapacities) {
  for_all_sets([](const BinaryFatTree& tree, const std::vector<Connection>& messages, std::uint32_t) {
    const DeliveryCycles delivered = first_fit_delivery(tree, messages);
    expect_delivered(tree, messages, delivered);
    EXPECT_GE(delivered.cycles, ChannelLoads(tree, messages).fewest_cycles());
  });
}

TEST(FirstFitDelivery, OnEqualCapacitiesTwiceTheLoadFactorIsEnough) {
  Random random(1);
  for (const std::uint32_t capacity : {1U, 2U, 5U})
    for (int run = 0; run < 60; ++run) {
      const BinaryFatTree tree = BinaryFatTree::uniform(2U << random.below(6), capacity);
      const auto messages = random_multiset(tree, 1 + random.below(200), random);
      const DeliveryCycles delivered = first_fit_delivery(tree, messages);
      expect_delivered(tree, messages, delivered);
      EXPECT_LE(delivered.cycles, 2 * ChannelLoads(tree, messages).fewest_cycles() - 1);
    }
}

TEST(OffLineDelivery, RefusesMessagesThatDoNotEnterTheTree) {
  const BinaryFatTree tree = BinaryFatTree::uniform(8, 1);
  const std::array messages{Connection{3, 3}};
  EXPECT_THROW(off_line_partition(tree, messages), UserError);
  EXPECT_THROW(first_fit_delivery(tree, messages), UserError);
  EXPECT_EQ(off_line_partition(tree, {}).cycles, 0U);
  EXPECT_EQ(first_fit_delivery(tree, {}).cycles, 0U);
}

}  // namespace
}  // namespace hybrid
