// Every algorithm that schedules fat trees, judged by the graph; and what the baselines are known for.
#include "emulator/scheduler/tree_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/testing/allocation_count.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/tree_requests_for_test.h"
#include "emulator/topology/tree_check.h"

namespace hybrid {
namespace {

using tree_test::random_permutation;
using tree_test::request_sets;
using tree_test::run;
using tree_test::Schedule;
using tree_test::Set;
using tree_test::tree_scheduler;

std::vector<std::string> tree_algorithms() {
  std::vector<std::string> names;
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind))
    if (tree_scheduler(name, {2, 2, 2})) names.emplace_back(name);
  return names;
}

std::vector<FatTreeShape> shapes() {
  return {{1, 8, 8}, {2, 1, 1}, {2, 4, 4}, {2, 3, 5}, {2, 8, 2}, {3, 3, 3},  {3, 4, 4},
          {3, 4, 2}, {3, 2, 5}, {4, 3, 3}, {5, 2, 2}, {7, 2, 2}, {2, 5, 70}, {2, 20, 129}};
}

TEST(TreeScheduler, AllAreRegistered) {
  const auto names = tree_algorithms();
  for (const char* name : {"d-mod-k", "level-wise", "level-wise-rearranged", "level-wise-request",
                           "local-greedy", "local-random", "optimal", "turn-back"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
}

TEST(TreeScheduler, WhatAnAlgorithmSaysOfItselfIsSo) {
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind)) {
    const auto algorithm = SchedulerRegistration::make(name);
    EXPECT_EQ(algorithm->schedules_fat_trees(), algorithm->fat_tree({2, 2, 2}, 1) != nullptr) << name;
    EXPECT_EQ(algorithm->fits_tree_slots(), algorithm->tree_slot_fitter({2, 2, 2}) != nullptr) << name;
  }
  Random random(12);
  std::vector<std::string> drawing;
  const Set set = random_permutation(64, random);
  for (const std::string& name : tree_algorithms())
    if (!(run(*tree_scheduler(name, {3, 4, 4}, 1), set) == run(*tree_scheduler(name, {3, 4, 4}, 2), set)))
      drawing.push_back(name);
  EXPECT_EQ(drawing, (std::vector<std::string>{"local-random", "turn-back"}));
  for (const std::string& name : tree_algorithms())
    EXPECT_EQ(SchedulerRegistration::make(name)->draws(),
              std::count(drawing.begin(), drawing.end(), name) != 0)
        << name;
}

TEST(TreeScheduler, TurnBackRefusesATopWithTooManyWires) {
  EXPECT_THROW(tree_scheduler("turn-back", {3, 2, 2048}), UserError);  // 8 nodes, 2^33 wires
  EXPECT_TRUE(tree_scheduler("level-wise", {3, 2, 2048}));
  EXPECT_TRUE(tree_scheduler("turn-back", {3, 2, 256}));  // 2^24
}

/// Every algorithm on all request sets: sound, the same from a second scheduler and from the same one again.
void check_soundness(const FatTreeShape& shape, std::uint64_t seed) {
  const TreeGraph graph(shape);
  const auto sets = request_sets(shape, seed);
  for (const std::string& name : tree_algorithms()) {
    const auto scheduler = tree_scheduler(name, shape, seed), again = tree_scheduler(name, shape, seed);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const Schedule result = run(*scheduler, sets[i]);
      ASSERT_EQ(tree_fault(graph, sets[i], result.paths, result.granted), "")
          << name << " on " << to_string(shape) << ", set " << i;
      ASSERT_TRUE(result == run(*again, sets[i])) << name << " on " << to_string(shape) << ", set " << i;
      ASSERT_TRUE(result == run(*scheduler, sets[i])) << name << " keeps something of the last call";
    }
  }
}

TEST(TreeScheduler, WhatIsGrantedIsSoundAndRepeats) {
  for (const FatTreeShape& shape : shapes())
    ASSERT_NO_FATAL_FAILURE(check_soundness(shape, shape.down * 100 + shape.up));
}

TEST(TreeScheduler, NightlyWhatIsGrantedIsSoundOnManyAndLargeTrees) {
  for (const FatTreeShape& shape : {FatTreeShape{2, 64, 64}, {2, 70, 128}, {3, 16, 16}, {4, 8, 8}, {5, 5, 4}})
    ASSERT_NO_FATAL_FAILURE(check_soundness(shape, 1));
  for (std::uint32_t levels = 1; levels <= 5; ++levels)
    for (std::uint32_t down = 1; down <= 5; ++down)
      for (std::uint32_t up = 1; up <= 5; ++up)
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          if (FatTree({levels, down, up}).nodes() > 300) continue;
          ASSERT_NO_FATAL_FAILURE(check_soundness({levels, down, up}, seed));
        }
}

TEST(TreeScheduler, WhatMeetsNobodyIsGranted) {
  for (const std::string& name : tree_algorithms()) {
    const auto scheduler = tree_scheduler(name, {3, 4, 4});
    for (const Connection c : {Connection{0, 63}, {63, 0}, {5, 5}, {1, 2}, {0, 17}})
      EXPECT_EQ(run(*scheduler, {c}).granted, 1u) << name;
    EXPECT_EQ(run(*scheduler, {{0, 63}, {0, 17}}).granted, 1u) << name;   // one source
    EXPECT_EQ(run(*scheduler, {{7, 63}, {40, 63}}).granted, 1u) << name;  // one destination
    EXPECT_EQ(run(*scheduler, {{0, 1}, {1, 0}, {2, 3}, {3, 3}}).granted, 3u) << name;
  }
}

TEST(TreeScheduler, NothingIsAllocatedOnceMade) {
  Random random(4);
  const Set set = random_permutation(512, random);
  Set shared = set;
  for (Connection& c : shared) c.destination /= 2;
  std::vector<TreePath> paths(set.size());
  for (const std::string& name : tree_algorithms()) {
    const auto scheduler = tree_scheduler(name, {3, 8, 8});
    const auto before = allocation_count().calls;
    scheduler->schedule(set, paths);
    scheduler->schedule(shared, paths);
    EXPECT_EQ(allocation_count().calls, before) << name;
  }
}

TEST(TreeScheduler, DModKFitsEveryShift) {
  for (const FatTreeShape& shape : {FatTreeShape{2, 4, 4}, {3, 3, 3}, {3, 4, 4}, {4, 2, 2}}) {
    const auto scheduler = tree_scheduler("d-mod-k", shape);
    const std::uint32_t n = FatTree(shape).nodes();
    for (std::uint32_t k = 0; k < n; ++k) {
      Set set;
      for (Port p = 0; p < n; ++p) set.push_back({p, (p + k) % n});
      ASSERT_EQ(run(*scheduler, set).granted, n) << to_string(shape) << " shift " << k;
    }
  }
}

TEST(TreeScheduler, TurnBackGrantsWhatLocalRandomLosesOnTheWayDown) {
  Random random(8);
  std::size_t local = 0, turned = 0, crossings = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Set set = random_permutation(64, random);
    local += run(*tree_scheduler("local-random", {3, 4, 4}, seed), set).granted;
    const Schedule s = run(*tree_scheduler("turn-back", {3, 4, 4}, seed), set);
    turned += s.granted;
    crossings += static_cast<std::size_t>(
        std::count_if(s.paths.begin(), s.paths.end(), [](const TreePath& p) { return p.turn == 3; }));
  }
  EXPECT_GT(turned, local + 64);
  EXPECT_GT(crossings, 64u);
}

TEST(TreeScheduler, SeedsDrawDifferently) {
  Random random(9);
  const Set set = random_permutation(64, random);
  for (const char* name : {"local-random", "turn-back"})
    EXPECT_FALSE(run(*tree_scheduler(name, {3, 4, 4}, 1), set) ==
                 run(*tree_scheduler(name, {3, 4, 4}, 2), set));
}

}  // namespace
}  // namespace hybrid
