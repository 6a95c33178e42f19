// Every algorithm that schedules fat trees, checked with the graph; and known properties of the baselines.
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

TEST(TreeScheduler, SomeAreRegistered) { EXPECT_FALSE(tree_algorithms().empty()); }

TEST(TreeScheduler, ThePropertiesOfAnAlgorithmAreCorrect) {
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind)) {
    const auto algorithm = SchedulerRegistration::make(name);
    EXPECT_EQ(algorithm->schedules_fat_trees(), algorithm->fat_tree({2, 2, 2}, 1) != nullptr) << name;
    EXPECT_EQ(algorithm->fits_tree_slots(), algorithm->tree_slot_fitter({2, 2, 2}) != nullptr) << name;
  }
  // An algorithm draws if and only if two seeds give different schedules of some set.
  Random random(1);
  std::vector<Set> sets;
  for (int i = 0; i < 5; ++i) sets.push_back(random_permutation(64, random));
  const FatTreeShape shape{3, 4, 4};
  for (const std::string& name : tree_algorithms()) {
    const auto one = tree_scheduler(name, shape, 1), other = tree_scheduler(name, shape, 2);
    const bool differ = std::any_of(sets.begin(), sets.end(),
                                    [&](const Set& set) { return !(run(*one, set) == run(*other, set)); });
    EXPECT_EQ(SchedulerRegistration::make(name)->draws(), differ) << name;
  }
}

TEST(TreeScheduler, TurnBackRefusesATopWithTooManyWires) {
  EXPECT_THROW(tree_scheduler("turn-back", {3, 2, 2048}), UserError);  // 8 nodes, 2^33 wires
  EXPECT_TRUE(tree_scheduler("level-wise", {3, 2, 2048}));
  EXPECT_TRUE(tree_scheduler("turn-back", {3, 2, 256}));  // 2^24
}

/// Checks every algorithm on all request sets: valid, and the same result from a second scheduler and in a
/// second call.
void check_grants(const FatTreeShape& shape, std::uint64_t seed) {
  const TreeGraph graph(shape);
  const auto sets = request_sets(shape, seed);
  for (const std::string& name : tree_algorithms()) {
    const auto scheduler = tree_scheduler(name, shape, seed), again = tree_scheduler(name, shape, seed);
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const Schedule result = run(*scheduler, sets[i]);
      ASSERT_EQ(tree_fault(graph, sets[i], result.paths, result.granted), "")
          << name << " on " << to_string(shape) << ", set " << i;
      ASSERT_TRUE(result == run(*again, sets[i])) << name << " on " << to_string(shape) << ", set " << i;
      ASSERT_TRUE(result == run(*scheduler, sets[i])) << name << " keeps state of the last call";
    }
  }
}

TEST(TreeScheduler, GrantsAreValidAndReproducible) {
  for (const FatTreeShape& shape : shapes())
    ASSERT_NO_FATAL_FAILURE(check_grants(shape, shape.down * 100 + shape.up));
}

TEST(TreeScheduler, CircuitsCanAllTurnAtTheTop) {
  for (FatTreeShape shape : shapes()) {
    shape.turns_at_top = true;
    ASSERT_NO_FATAL_FAILURE(check_grants(shape, shape.down * 100 + shape.up));
    for (const std::string& name : tree_algorithms()) {
      const auto scheduler = tree_scheduler(name, shape);
      for (const Set& set : request_sets(shape, 1))
        for (const TreePath& path : run(*scheduler, set).paths)
          if (path.granted) {
            ASSERT_GE(path.turn, shape.levels - 1) << name << " on " << to_string(shape);
          }
    }
  }
}

/// Konig: also if all climb to the top, a symmetric tree holds every permutation.
TEST(TreeScheduler, OptimalGrantsEveryPermutationOverTheTop) {
  Random random(7);
  for (FatTreeShape shape : {FatTreeShape{2, 8, 8}, {3, 4, 4}, {4, 3, 3}, {3, 3, 5}}) {
    shape.turns_at_top = true;
    const Set set = random_permutation(FatTree(shape).nodes(), random);
    EXPECT_EQ(run(*tree_scheduler("optimal", shape), set).granted, set.size()) << to_string(shape);
  }
}

TEST(TreeScheduler, NightlyGrantsAreValidOnManyAndLargeTrees) {
  for (const FatTreeShape& shape : {FatTreeShape{2, 64, 64}, {2, 70, 128}, {3, 16, 16}, {4, 8, 8}, {5, 5, 4}})
    ASSERT_NO_FATAL_FAILURE(check_grants(shape, 1));
  for (std::uint32_t levels = 1; levels <= 5; ++levels)
    for (std::uint32_t down = 1; down <= 5; ++down)
      for (std::uint32_t up = 1; up <= 5; ++up)
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          if (FatTree({levels, down, up}).nodes() > 300) continue;
          ASSERT_NO_FATAL_FAILURE(check_grants({levels, down, up}, seed));
        }
}

TEST(TreeScheduler, RequestsWithoutConflictsAreGranted) {
  for (const std::string& name : tree_algorithms()) {
    const auto scheduler = tree_scheduler(name, {3, 4, 4});
    for (const Connection c : {Connection{0, 63}, {63, 0}, {5, 5}, {1, 2}, {0, 17}})
      EXPECT_EQ(run(*scheduler, {c}).granted, 1u) << name;
    EXPECT_EQ(run(*scheduler, {{0, 63}, {0, 17}}).granted, 1u) << name;   // one source
    EXPECT_EQ(run(*scheduler, {{7, 63}, {40, 63}}).granted, 1u) << name;  // one destination
    EXPECT_EQ(run(*scheduler, {{0, 1}, {1, 0}, {2, 3}, {3, 3}}).granted, 3u) << name;
  }
}

TEST(TreeScheduler, AllocatesOnlyInTheConstructor) {
  Random random(1);
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

TEST(TreeScheduler, TurnBackGrantsRequestsThatLocalRandomLosesOnThePathDown) {
  Random random(1);
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

}  // namespace
}  // namespace hybrid
