// `optimal` on fat trees: grants a maximum matching of the nodes, and never less than the other schedulers.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/random.h"
#include "core/testing/random_cases.h"
#include "emulator/scheduler/testing/tree_requests.h"
#include "emulator/topology/testing/tree_paths.h"

namespace hybrid {
namespace {

using tree_test::random_permutation;
using tree_test::request_sets;
using tree_test::run;
using tree_test::Schedule;
using tree_test::Set;
using tree_test::tree_scheduler;

TEST(TreeScheduler, OptimalGrantsEveryPermutationWithoutOversubscription) {
  Random random(1);
  for (const FatTreeShape& shape : {FatTreeShape{1, 9, 1},
                                    {2, 2, 2},
                                    {2, 8, 8},
                                    {2, 64, 64},
                                    {2, 65, 65},
                                    {2, 3, 7},
                                    {3, 4, 4},
                                    {3, 7, 7},
                                    {3, 3, 4},
                                    {4, 5, 5},
                                    {5, 3, 3},
                                    {6, 2, 2},
                                    {7, 2, 3},
                                    {7, 2, 9}}) {
    const auto scheduler = tree_scheduler("optimal", shape);
    const std::uint32_t nodes = FatTree(shape).nodes();
    for (int trial = 0; trial < 10; ++trial) {
      Set set = random_permutation(nodes, random);
      EXPECT_EQ(run(*scheduler, set).granted, nodes) << to_string(shape);
      set.resize(nodes / 3);
      EXPECT_EQ(run(*scheduler, set).granted, nodes / 3) << to_string(shape);
    }
  }
}

// The tables of edge colouring number links and requests with 16 bits where that is enough: up to 65,536.
TEST(TreeScheduler, OptimalGrantsPermutationsOfTreesOf65536NodesAndMore) {
  Random random(1);
  const std::vector<FatTreeShape> shapes{{2, 257, 257}, {2, 256, 256}, {3, 41, 41}};
  for (const FatTreeShape& shape : std::span(shapes).first(random_cases(shapes.size()))) {
    const Set set = random_permutation(FatTree(shape).nodes(), random);
    const Schedule result = run(*tree_scheduler("optimal", shape), set);
    EXPECT_EQ(result.granted, set.size()) << to_string(shape);
    EXPECT_EQ(tree_fault(TreeGraph(shape), set, result.paths, result.granted), "") << to_string(shape);
  }
}

/// Returns the size of a maximum matching, by depth-first search from every source.
std::size_t maximum_matching(std::uint32_t nodes, const Set& set) {
  std::vector<Port> source_of(nodes, kNoPort);
  std::vector<bool> tried;
  std::size_t size = 0;
  const auto place = [&](const auto& self, Port source) -> bool {
    for (const Connection c : set) {
      if (c.source != source || tried[c.destination]) continue;
      tried[c.destination] = true;
      if (source_of[c.destination] != kNoPort && !self(self, source_of[c.destination])) continue;
      source_of[c.destination] = source;
      return true;
    }
    return false;
  };
  for (Port source = 0; source < nodes; ++source) {
    tried.assign(nodes, false);
    size += place(place, source);
  }
  return size;
}

TEST(TreeScheduler, OptimalGrantsAMaximumMatchingIfNodesAreShared) {
  Random random(1);
  for (const FatTreeShape& shape : {FatTreeShape{1, 8, 1}, {2, 4, 4}, {2, 3, 5}, {3, 3, 3}, {3, 4, 4}}) {
    const auto optimal = tree_scheduler("optimal", shape);
    const std::uint32_t nodes = FatTree(shape).nodes();
    auto sets = request_sets(shape, 1);
    for (const std::uint32_t share : {2U, 1U})
      for (int trial = 0; trial < 10; ++trial) {
        Set& set = sets.emplace_back();
        for (std::uint32_t i = 0; i < nodes / share; ++i)
          set.push_back({static_cast<Port>(random.below(nodes)), static_cast<Port>(random.below(nodes))});
      }
    for (std::size_t i = 0; i < sets.size(); ++i)
      ASSERT_EQ(run(*optimal, sets[i]).granted, maximum_matching(nodes, sets[i]))
          << to_string(shape) << ", set " << i;
  }
}

TEST(TreeScheduler, OptimalNeverGrantsLessThanTheOthersWithFewerLinks) {
  Random random(1);
  std::size_t better = 0;
  for (std::uint64_t trial = 0; trial < random_cases(150); ++trial) {
    const auto up = static_cast<std::uint32_t>(1 + random.below(4));
    const FatTreeShape shape{static_cast<std::uint32_t>(2 + random.below(3)),
                             static_cast<std::uint32_t>(up + 1 + random.below(4)), up};
    const TreeGraph graph(shape);
    const std::uint32_t nodes = FatTree(shape).nodes();
    if (nodes > 1000) continue;
    auto sets = request_sets(shape, trial);
    Set& few = sets.emplace_back(random_permutation(nodes, random));
    few.resize(nodes / 2);
    const auto optimal = tree_scheduler("optimal", shape);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const Schedule best = run(*optimal, sets[i]);
      ASSERT_EQ(tree_fault(graph, sets[i], best.paths, best.granted), "") << to_string(shape);
      for (const char* name : {"level-wise", "level-wise-request", "level-wise-rearranged"}) {
        const std::size_t granted = run(*tree_scheduler(name, shape), sets[i]).granted;
        ASSERT_GE(best.granted, granted) << name << " on " << to_string(shape) << ", set " << i;
        better += best.granted > granted;
      }
      // No refused request still fits.
      TreePathChecker checker(graph);
      for (std::size_t k = 0; k < sets[i].size(); ++k)
        if (best.paths[k].granted) checker.hold_path(sets[i][k], best.paths[k]);
      for (std::size_t k = 0; k < std::min<std::size_t>(sets[i].size(), 100); ++k)
        ASSERT_TRUE(best.paths[k].granted || !checker.has_free_path(sets[i][k])) << to_string(shape);
    }
  }
  EXPECT_GT(better, random_cases(100));
}

}  // namespace
}  // namespace hybrid
