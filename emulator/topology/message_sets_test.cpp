#include "emulator/topology/message_sets.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>

#include "emulator/topology/channel_load.h"

namespace hybrid {
namespace {

TEST(ChannelLoads, OfAnExample) {
  // Processors 0 .. 3 below nodes 4 .. 7; 2 and 3 below the root.
  BinaryFatTree tree = BinaryFatTree::uniform(4, 1);
  tree.set_capacity(3, 2);
  const std::array messages{Connection{0, 2}, Connection{1, 2}, Connection{3, 2}, Connection{0, 1}};
  const ChannelLoads loads(tree, messages);
  EXPECT_EQ(loads.climbing(4), 2U);
  EXPECT_EQ(loads.climbing(5), 1U);
  EXPECT_EQ(loads.climbing(2), 2U);
  EXPECT_EQ(loads.climbing(3), 0U) << "3 to 2 turns at node 3";
  EXPECT_EQ(loads.falling(3), 2U);
  EXPECT_EQ(loads.falling(6), 3U);
  EXPECT_EQ(loads.falling(5), 1U);
  EXPECT_DOUBLE_EQ(loads.load_factor(), 3.0);
  EXPECT_EQ(loads.fewest_cycles(), 3U);
  EXPECT_FALSE(loads.fits({3, 2}, 3));
  EXPECT_TRUE(loads.fits({3, 2}, 4));
  EXPECT_FALSE(loads.fits({0, 3}, 2)) << "two messages already climb through channel 4";
  EXPECT_TRUE(loads.fits({3, 1}, 2));
  ChannelLoads less = loads;
  for (const Connection m : messages) less.remove(m);
  EXPECT_EQ(less.fewest_cycles(), 0U);
  EXPECT_DOUBLE_EQ(less.load_factor(), 0.0);
}

TEST(ChannelLoads, RoundUpToCycles) {
  const BinaryFatTree tree = BinaryFatTree::uniform(2, 4);
  ChannelLoads loads(tree);
  for (int i = 0; i < 5; ++i) loads.add({0, 1});
  EXPECT_DOUBLE_EQ(loads.load_factor(), 1.25);
  EXPECT_EQ(loads.fewest_cycles(), 2U);
}

std::vector<BinaryFatTree> trees() {
  return {BinaryFatTree::uniform(4, 1), BinaryFatTree::uniform(32, 2), BinaryFatTree::universal(64, 16),
          BinaryFatTree::universal(128, 128)};
}

TEST(MessageSets, HaveTheRequestedLoadFactor) {
  Random random(1);
  std::set<std::string_view> names;
  for (const MessageSetKind& kind : message_set_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second);
    for (const BinaryFatTree& tree : trees())
      for (const std::uint32_t load_factor : {1U, 3U, 8U}) {
        const auto messages = kind.make(tree, load_factor, random);
        require_messages(tree, messages);
        EXPECT_DOUBLE_EQ(ChannelLoads(tree, messages).load_factor(), load_factor)
            << kind.name << " on " << tree.processors();
      }
  }
}

TEST(MessageSets, FilledOnesUseMostOfTheChannels) {
  Random random(1);
  for (const BinaryFatTree& tree : {BinaryFatTree::uniform(32, 1), BinaryFatTree::universal(64, 16)}) {
    const ChannelLoads loads(tree, filled_messages(tree, 4, random));
    std::uint32_t load = 0, paths = 0;
    for (TreeNode c = 2; c < 2 * tree.processors(); ++c) {
      load += loads.climbing(c) + loads.falling(c);
      paths += 2 * tree.capacity(c);
    }
    EXPECT_GT(load, 0.75 * 4 * paths);
  }
}

TEST(MessageSets, StructuredOnesHaveTheDestinationsOfTheirPattern) {
  const BinaryFatTree tree = BinaryFatTree::universal(16, 16);
  const auto destination = [&](std::string_view name, Port source) {
    Random random(1);
    for (const MessageSetKind& kind : message_set_kinds())
      if (kind.name == name)
        for (const Connection m : kind.make(tree, 1, random))
          if (m.source == source) return m.destination;
    return kNoPort;
  };
  EXPECT_EQ(destination("bit-complement", 0b0010), 0b1101U);
  EXPECT_EQ(destination("bit-reversal", 0b0010), 0b0100U);
  EXPECT_EQ(destination("bit-reversal", 0b0110), kNoPort) << "it is its own reversal";
  EXPECT_EQ(destination("transpose", 0b0111), 0b1101U);
  EXPECT_EQ(destination("shift", 15), 0U);
}

TEST(MessageSets, APermutationIsRepeatedUpToTheLoadFactor) {
  const BinaryFatTree tree = BinaryFatTree::universal(32, 32);
  Random random(1);
  for (const MessageSetKind& kind : message_set_kinds()) {
    if (kind.name == "random" || kind.name == "filled") continue;
    std::map<Port, std::uint32_t> sent, received;
    for (const Connection m : kind.make(tree, 3, random)) {
      ++sent[m.source];
      ++received[m.destination];
    }
    EXPECT_EQ(sent, received) << kind.name;
    for (const auto& [port, times] : sent) EXPECT_EQ(times, 3U) << kind.name;
  }
}

}  // namespace
}  // namespace hybrid
