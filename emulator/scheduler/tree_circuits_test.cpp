#include "emulator/scheduler/tree_circuits.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/random.h"
#include "core/testing/allocation_count.h"
#include "emulator/topology/testing/tree_paths.h"

namespace hybrid {
namespace {

TEST(TreeCircuits, AnySequenceGrantsRequestsWithAPathAndFreesReleasedLinks) {
  for (const FatTreeShape& shape : {FatTreeShape{1, 6, 2},
                                    {2, 4, 4},
                                    {2, 6, 3},
                                    {2, 3, 70},
                                    {3, 3, 3},
                                    {3, 4, 2},
                                    {4, 2, 2},
                                    {4, 3, 2}}) {
    Random random(shape.levels * 10 + shape.up);
    const TreeGraph graph(shape);
    TreeCircuits circuits(shape);
    TreePathChecker checker(graph);
    std::vector<Connection> held;
    for (int step = 0; step < 1500; ++step) {
      // Alternates between mostly requests and mostly releases.
      const bool fill = random.below(10) < (step / 250 % 2 == 0 ? 8U : 3U);
      if (fill || held.empty()) {
        const Connection c{static_cast<Port>(random.below(graph.nodes())),
                           static_cast<Port>(random.below(graph.nodes()))};
        if (circuits.holds(c)) {
          ASSERT_EQ(circuits.request(c), circuits.path_of(c.source));
          continue;
        }
        const bool possible = checker.has_free_path(c);
        const TreePath path = circuits.request(c);
        ASSERT_EQ(path.granted, possible) << to_string(shape) << " step " << step;
        if (!path.granted) continue;
        ASSERT_EQ(checker.hold_path(c, path), "");
        held.push_back(c);
      } else {
        const std::size_t i = random.below(held.size());
        checker.release_path(held[i], circuits.path_of(held[i].source));
        ASSERT_TRUE(circuits.release(held[i]));
        ASSERT_FALSE(circuits.release(held[i]));
        held[i] = held.back();
        held.pop_back();
      }
      ASSERT_EQ(circuits.size(), held.size());
    }
    for (const Connection c : held) circuits.release(c);
    ASSERT_EQ(circuits.size(), 0u);
  }
}

TEST(TreeCircuits, ReleasedLinksAreGrantedAgain) {
  TreeCircuits circuits({2, 2, 2});
  EXPECT_EQ(circuits.request({0, 2}), (TreePath{true, 1, {0}}));
  EXPECT_EQ(circuits.request({1, 3}), (TreePath{true, 1, {1}}));
  EXPECT_FALSE(circuits.request({0, 3}).granted);  // both nodes are busy
  EXPECT_EQ(circuits.destination_of(0), 2u);
  EXPECT_EQ(circuits.source_of(2), 0u);
  EXPECT_FALSE(circuits.release({0, 3}));
  EXPECT_TRUE(circuits.release({0, 2}));
  EXPECT_EQ(circuits.destination_of(0), kNoPort);
  EXPECT_EQ(circuits.source_of(2), kNoPort);
  EXPECT_EQ(circuits.request({0, 2}), (TreePath{true, 1, {0}}));
  circuits.clear();
  EXPECT_EQ(circuits.size(), 0u);
  EXPECT_EQ(circuits.request({1, 2}), (TreePath{true, 1, {0}}));
}

// FT(3, 3, 2). For 3 -> 21 port 0 is free at both leaves, but above it Ulink 0 of the one switch and Dlink 1
// of the other are taken, so that no common port is left.
TEST(TreeCircuits, TriesAnotherPortIfThereIsNoPathAbove) {
  TreeCircuits circuits({3, 3, 2});
  EXPECT_EQ(circuits.request({0, 9}), (TreePath{true, 2, {0, 0}}));
  EXPECT_EQ(circuits.request({9, 3}), (TreePath{true, 2, {0, 0}}));
  EXPECT_EQ(circuits.request({12, 18}), (TreePath{true, 2, {0, 1}}));
  EXPECT_EQ(circuits.request({3, 21}), (TreePath{true, 2, {1, 0}}));
}

TEST(TreeCircuits, AllocatesOnlyInTheConstructor) {
  TreeCircuits circuits({3, 4, 4});
  const auto before = allocation_count().calls;
  for (Port p = 0; p < 64; ++p) circuits.request({p, 63 - p});
  for (Port p = 0; p < 64; ++p) circuits.release({p, 63 - p});
  circuits.clear();
  EXPECT_EQ(allocation_count().calls, before);
}

}  // namespace
}  // namespace hybrid
