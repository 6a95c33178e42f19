// Level-wise scheduling: the figures and the pseudo-code of the paper (L), and the difference of request by
// request.
#include <gtest/gtest.h>

#include <vector>

#include "core/random.h"
#include "emulator/scheduler/testing/level_wise_reference.h"
#include "emulator/scheduler/testing/tree_requests.h"

namespace hybrid {
namespace {

using tree_test::random_permutation;
using tree_test::run;
using tree_test::Schedule;
using tree_test::Set;
using tree_test::tree_scheduler;

// L figure 4: SW(0,0) and SW(0,1) both send to SW(0,8).
TEST(TreeScheduler, Figure4LocalLosesOneLevelWiseTakesAnotherPort) {
  const FatTreeShape shape{3, 4, 4};
  const Set set{{0, 32}, {4, 33}};
  const Schedule local = run(*tree_scheduler("local-greedy", shape), set);
  EXPECT_EQ(local.granted, 1u);
  EXPECT_TRUE(local.paths[0].granted);
  const Schedule level_wise = run(*tree_scheduler("level-wise", shape), set);
  EXPECT_EQ(level_wise.granted, 2u);
  EXPECT_EQ(level_wise.paths[0].up[0], 0);
  EXPECT_EQ(level_wise.paths[1].up[0], 1);
}

// L figure 8: node 3 to node 95, where Ulink(1, 000)[0] is taken: P = 0, 1, 0.
TEST(TreeScheduler, Figure8) {
  const Schedule s = run(*tree_scheduler("level-wise", {4, 4, 4}), {{4, 64}, {3, 95}});
  EXPECT_EQ(s.paths[0], (TreePath{true, 3, {0, 0, 0}}));
  EXPECT_EQ(s.paths[1], (TreePath{true, 3, {0, 1, 0}}));
}

TEST(TreeScheduler, LevelWiseEqualsThePseudoCodeOfThePaper) {
  Random random(1);
  for (const FatTreeShape& shape :
       {FatTreeShape{2, 4, 4}, {2, 70, 70}, {3, 5, 5}, {3, 8, 8}, {4, 4, 4}, {5, 3, 3}}) {
    const auto scheduler = tree_scheduler("level-wise", shape);
    LevelWiseReference reference(shape);
    for (int trial = 0; trial < 5; ++trial) {
      const Set set = random_permutation(FatTree(shape).nodes(), random);
      Schedule expected;
      expected.paths.resize(set.size());
      expected.granted = reference.schedule(set, expected.paths);
      for (TreePath& path : expected.paths)
        if (!path.granted) path = {};
      ASSERT_TRUE(run(*scheduler, set) == expected) << to_string(shape);
    }
  }
}

// FT(3, 3, 2). The first three requests take P_0 = 0 and, at level 1, Ulink 0 in subtree 0 and Dlink 1 in
// subtree 2 of the switches that P_0 = 0 leads to. So 3 -> 21 gets P_0 = 0 at leaf 1 and then fails. Two more
// connections of leaf 1 need its two links up.
TEST(TreeScheduler, OnlyRequestByRequestReturnsPartialPaths) {
  const FatTreeShape shape{3, 3, 2};
  const Set set{{0, 9}, {9, 3}, {12, 18}, {3, 21}, {5, 1}, {4, 2}};
  const Schedule by_level = run(*tree_scheduler("level-wise", shape), set);
  EXPECT_EQ(by_level.paths,
            (std::vector<TreePath>{
                {true, 2, {0, 0}}, {true, 2, {0, 0}}, {true, 2, {0, 1}}, {}, {true, 1, {1}}, {}}));
  const Schedule by_request = run(*tree_scheduler("level-wise-request", shape), set);
  EXPECT_EQ(
      by_request.paths,
      (std::vector<TreePath>{
          {true, 2, {0, 0}}, {true, 2, {0, 0}}, {true, 2, {0, 1}}, {}, {true, 1, {0}}, {true, 1, {1}}}));
}

}  // namespace
}  // namespace hybrid
