#include "emulator/topology/stream_walk.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "emulator/topology/testing/port_tree.h"

namespace hybrid {
namespace {

constexpr auto kTurns = RoutingBitEncoding::left_right;

StreamWalk walk(std::uint32_t height, Connection m, Buffering buffering, RoutingBitEncoding encoding = kTurns,
                std::uint64_t seed = 1) {
  Random random(seed);
  return walk_stream(height, m.source, wire_bits(routing_stream(height, m, encoding), buffering, random),
                     encoding, buffering);
}

template <class Visit>
void for_all_pairs(std::uint32_t height, Visit&& visit) {
  for (Port s = 0; s < 1U << height; ++s)
    for (Port d = 0; d < 1U << height; ++d)
      if (s != d) visit(Connection{s, d});
}

/// The clocks in which messages leave a node through a port: one clock per (node, port) if all contend at
/// once.
std::map<std::pair<TreeNode, NodePort>, std::set<std::uint32_t>> leaving_clocks(std::uint32_t height,
                                                                                Buffering buffering) {
  std::map<std::pair<TreeNode, NodePort>, std::set<std::uint32_t>> clocks;
  for_all_pairs(height, [&](Connection m) {
    for (const NodePassage& p : walk(height, m, buffering).nodes) clocks[{p.node, p.left}].insert(p.leaves);
  });
  return clocks;
}

TEST(StreamWalk, OfExamples) {
  // H = 2, 0 to 1: both are attached to node 2. Its routing bit arrives in clock 1, it removes 4 buffering
  // bits in clocks 2 to 5, and the message bit arrives in clock 6 = 4 H - 2.
  const StreamWalk near = walk(2, {0, 1}, Buffering::mid_stream);
  EXPECT_EQ(near.processor, 1U);
  EXPECT_EQ(near.arrives, 6U);
  EXPECT_EQ(near.nodes, (std::vector<NodePassage>{{2, NodePort::right, NodePort::left, 5}}));
  // 0 to 3: over nodes 2, 1 and 3, two clocks each.
  const StreamWalk far = walk(2, {0, 3}, Buffering::mid_stream);
  EXPECT_EQ(far.processor, 3U);
  EXPECT_EQ(far.arrives, 6U);
  EXPECT_EQ(far.nodes, (std::vector<NodePassage>{{2, NodePort::right, NodePort::trunk, 1},
                                                 {1, NodePort::right, NodePort::left, 3},
                                                 {3, NodePort::trunk, NodePort::left, 5}}));
}

TEST(StreamWalk, EndsAtTheDestinationOnThePathOfTheTree) {
  for (std::uint32_t height = 1; height <= 5; ++height) {
    PortTree tree(height);
    for_all_pairs(height, [&](Connection m) {
      for (const auto encoding : {kTurns, RoutingBitEncoding::trunk_branch})
        for (const auto buffering : {Buffering::none, Buffering::prefix, Buffering::mid_stream}) {
          const StreamWalk w = walk(height, m, buffering, encoding);
          ASSERT_EQ(w.processor, m.destination);
          // PortTree has one path between two processors: up to their lowest common node, then down.
          const PortTree::Node *up = tree.processor(m.source), *down = tree.processor(m.destination);
          std::size_t nodes = 0;
          while (up != down) {
            up = up->around[PortTree::kTrunk];
            down = down->around[PortTree::kTrunk];
            nodes += up == down ? 1 : 2;
          }
          EXPECT_EQ(w.nodes.size(), nodes);
        }
    });
  }
}

TEST(StreamWalk, WithMidStreamBufferingAllArriveTogether) {
  for (std::uint32_t height = 1; height <= 6; ++height)
    for_all_pairs(height, [&](Connection m) {
      EXPECT_EQ(walk(height, m, Buffering::mid_stream).arrives, arrival_clock(height));
    });
}

TEST(StreamWalk, WithMidStreamBufferingAllLeaveANodesPortTogether) {
  for (const auto& [port, clocks] : leaving_clocks(5, Buffering::mid_stream)) EXPECT_EQ(clocks.size(), 1U);
}

TEST(StreamWalk, PrefixBufferingClaimsPortsAtDifferentTimes) {
  // I 2.1.3: a message that climbs one level reaches a low node long after one that passes through the root.
  std::size_t together = 0;
  const auto all = leaving_clocks(4, Buffering::prefix);
  for (const auto& [port, clocks] : all) together += clocks.size() == 1 ? 1 : 0;
  EXPECT_LT(together, all.size());
  for_all_pairs(4, [](Connection m) {
    EXPECT_EQ(walk(4, m, Buffering::prefix).arrives, arrival_clock(4)) << "all messages arrive together";
  });
}

TEST(StreamWalk, WithoutBufferingTheNearArriveFirst) {
  for_all_pairs(
      4, [](Connection m) { EXPECT_EQ(walk(4, m, Buffering::none).arrives, 2 * (2 * turn_height(m) - 1)); });
}

TEST(StreamWalk, BufferingBitsMayHaveAnyValue) {
  for_all_pairs(3, [](Connection m) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const StreamWalk w = walk(3, m, Buffering::mid_stream, kTurns, seed);
      EXPECT_EQ(w.processor, m.destination);
      EXPECT_EQ(w.arrives, arrival_clock(3));
    }
  });
}

TEST(StreamWalk, AnInvalidStreamEndsOutsideOrNowhere) {
  // Bit 1 at a right branch, at both nodes: up and out through the root's trunk.
  const StreamWalk out = walk_stream(2, 0, {true, true, true}, kTurns, Buffering::mid_stream);
  EXPECT_EQ(out.processor, kNoPort);
  ASSERT_EQ(out.nodes.size(), 2U);
  EXPECT_EQ(out.nodes.back().left, NodePort::trunk);
  // A quiet wire.
  EXPECT_EQ(walk_stream(2, 0, {false, false}, kTurns, Buffering::mid_stream).processor, kNoPort);
  EXPECT_EQ(walk_stream(2, 0, {}, kTurns, Buffering::none).processor, kNoPort);
}

}  // namespace
}  // namespace hybrid
