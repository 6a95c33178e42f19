// Level-wise scheduling with rearrangements: its grants, and the number of connections moved for a request.
#include "emulator/scheduler/tree_colouring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/random.h"
#include "emulator/scheduler/testing/tree_requests.h"

namespace hybrid {
namespace {

using tree_test::random_permutation;
using tree_test::run;
using tree_test::Schedule;
using tree_test::Set;
using tree_test::tree_scheduler;

TEST(TreeScheduler, RearrangementsReachNinetyNineInAHundred) {
  Random random(1);
  for (const FatTreeShape& shape : {FatTreeShape{2, 16, 16}, {3, 8, 8}, {4, 4, 4}, {4, 6, 6}, {5, 4, 4}}) {
    const auto scheduler = tree_scheduler("level-wise-rearranged", shape);
    const auto plain = tree_scheduler("level-wise", shape);
    std::size_t granted = 0, without = 0, requested = 0;
    for (int trial = 0; trial < 20; ++trial) {
      const Set set = random_permutation(FatTree(shape).nodes(), random);
      granted += run(*scheduler, set).granted;
      without += run(*plain, set).granted;
      requested += set.size();
    }
    EXPECT_GE(static_cast<double>(granted), 0.99 * static_cast<double>(requested)) << to_string(shape);
    EXPECT_GT(granted, without);
  }
}

// On two levels only one level is coloured, request by request: the difference is the number of moves for one
// more request.
TEST(TreeScheduler, ARequestMovesNoMoreThanTheBound) {
  Random random(1);
  const FatTreeShape shape{2, 10, 10};
  const FatTree tree(shape);
  for (const std::uint32_t bound : {1U, 2U, 3U, 5U, 24U}) {
    const auto colouring = make_tree_colouring(tree, bound);
    std::size_t most = 0;
    for (int trial = 0; trial < 25; ++trial) {
      const Set set = random_permutation(tree.nodes(), random);
      std::vector<TreePath> paths(set.size());
      std::size_t before = 0;
      for (std::size_t n = 1; n <= set.size(); ++n) {
        colouring->schedule(std::span(set).first(n), std::span(paths).first(n));
        ASSERT_GE(colouring->moved(), before);
        ASSERT_LE(colouring->moved() - before, bound) << "request " << n;
        most = std::max(most, colouring->moved() - before);
        before = colouring->moved();
      }
    }
    EXPECT_GE(most, std::min(bound, 3U)) << "no request needs so many moves";
  }
}

// On two levels, request by request: if no port is free at both ends, but one move frees one, exactly one
// connection is moved.
TEST(TreeScheduler, IfOneMoveIsEnoughNoMoreAreMade) {
  Random random(1);
  constexpr std::uint32_t kPorts = 8;
  const FatTree tree({2, kPorts, kPorts});
  const auto colouring = make_tree_colouring(tree, kAnyMoves);
  std::size_t enough = 0;
  // Few requests are such cases; draws sets until there are enough.
  for (int trial = 0; enough < 20; ++trial) {
    ASSERT_LT(trial, 1000);
    const Set set = random_permutation(tree.nodes(), random);
    std::vector<TreePath> paths(set.size());
    std::size_t before = 0;
    for (std::size_t n = 0; n < set.size(); ++n) {
      // By leaf: its free ports up, and down to it, with the first n requests held.
      std::vector<std::uint32_t> up(kPorts, (1U << kPorts) - 1), down = up;
      const auto held = [&](std::size_t k) { return paths[k].granted && paths[k].turn == 1; };
      for (std::size_t k = 0; k < n; ++k)
        if (held(k)) {
          up[tree.leaf(set[k].source)] &= ~(1U << paths[k].up[0]);
          down[tree.leaf(set[k].destination)] &= ~(1U << paths[k].up[0]);
        }
      const std::uint32_t source = tree.leaf(set[n].source), destination = tree.leaf(set[n].destination);
      const bool fits = source == destination || (up[source] & down[destination]) != 0;
      bool one_is_enough = false;
      for (std::size_t k = 0; k < n; ++k) {
        if (!held(k)) continue;
        const std::uint32_t from = tree.leaf(set[k].source), to = tree.leaf(set[k].destination);
        const std::uint32_t free_at_other = from == source      ? down[destination]
                                            : to == destination ? up[source]
                                                                : 0;
        one_is_enough |= (free_at_other >> paths[k].up[0] & 1U) != 0 && (up[from] & down[to]) != 0;
      }
      colouring->schedule(std::span(set).first(n + 1), std::span(paths).first(n + 1));
      if (!fits && one_is_enough) {
        ASSERT_EQ(colouring->moved() - before, 1u) << "request " << n;
        ++enough;
      }
      before = colouring->moved();
    }
  }
}

TEST(TreeScheduler, NoMovesIsLevelWise) {
  Random random(1);
  const FatTreeShape shape{3, 6, 6};
  const FatTree tree(shape);
  const auto plain = tree_scheduler("level-wise", shape);
  for (int trial = 0; trial < 20; ++trial) {
    const Set set = random_permutation(tree.nodes(), random);
    Schedule none;
    none.paths.resize(set.size());
    const auto still = make_tree_colouring(tree, 0);
    none.granted = still->schedule(set, none.paths);
    EXPECT_EQ(still->moved(), 0u);
    const std::size_t level_wise = run(*plain, set).granted;
    EXPECT_EQ(none.granted, level_wise);
    const auto one = make_tree_colouring(tree, 1);
    EXPECT_GE(one->schedule(set, none.paths), level_wise);
    EXPECT_GT(one->moved(), 0u);
  }
}

}  // namespace
}  // namespace hybrid
