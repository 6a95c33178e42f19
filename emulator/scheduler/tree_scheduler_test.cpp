// Every algorithm that schedules fat trees, judged by the graph; and what each of them is known for.
#include "emulator/scheduler/tree_scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/testing/allocation_count.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/level_wise_reference.h"
#include "emulator/scheduler/tree_colouring.h"
#include "emulator/topology/tree_check.h"

namespace hybrid {
namespace {

using Set = std::vector<Connection>;

std::unique_ptr<TreeScheduler> tree_scheduler(std::string_view name, const FatTreeShape& shape,
                                              std::uint64_t seed = 1) {
  return SchedulerRegistration::make(name)->fat_tree(shape, seed);
}

std::vector<std::string> tree_algorithms() {
  std::vector<std::string> names;
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind))
    if (tree_scheduler(name, {2, 2, 2})) names.emplace_back(name);
  return names;
}

struct Schedule {
  std::size_t granted = 0;
  std::vector<TreePath> paths;
  bool operator==(const Schedule&) const = default;
};

Schedule run(TreeScheduler& scheduler, const Set& set) {
  Schedule s;
  s.paths.resize(set.size());
  s.granted = scheduler.schedule(set, s.paths);
  for (TreePath& path : s.paths)
    if (!path.granted) path = {};
  return s;
}

Set random_permutation(std::uint32_t nodes, Random& random) {
  Set set(nodes);
  for (Port p = 0; p < nodes; ++p) set[p] = {p, p};
  for (Port p = nodes; p > 1; --p) std::swap(set[p - 1].destination, set[random.below(p)].destination);
  return set;
}

/// Permutations, whole and in part; sets in which nodes are shared; and the empty one.
std::vector<Set> request_sets(const FatTreeShape& shape, std::uint64_t seed) {
  const FatTree tree(shape);
  const std::uint32_t n = tree.nodes(), m = shape.down;
  Random random(seed);
  const auto any = [&] { return static_cast<Port>(random.below(n)); };
  std::vector<Set> sets{{}};
  sets.push_back(random_permutation(n, random));
  Set shuffled = random_permutation(n, random);
  for (std::size_t i = n; i > 1; --i) std::swap(shuffled[i - 1], shuffled[random.below(i)]);
  sets.push_back(shuffled);
  shuffled.resize(n / 2 + 1);
  sets.push_back(shuffled);
  Set uniform, from_one, to_one, to_one_leaf, same, itself, twice;
  for (std::uint32_t i = 0; i < 2 * n; ++i) uniform.push_back({any(), any()});
  for (Port p = 0; p < n; ++p) {
    from_one.push_back({0, p});
    to_one.push_back({n - 1 - p, 0});
    to_one_leaf.push_back({p, static_cast<Port>(random.below(m))});
    same.push_back({n - 1, n / 2});
    itself.push_back({p, p});
  }
  for (Port p = 0; p < n; ++p) twice.insert(twice.end(), 2, {p, (p + 1) % n});
  for (Set* set : {&uniform, &from_one, &to_one, &to_one_leaf, &same, &itself, &twice}) sets.push_back(*set);
  // Whole leaves change places, by the nodes' order and against it; the reversal; a shift by half.
  Set leaves, against, reversed, half;
  for (Port p = 0; p < n; ++p) {
    const std::uint32_t leaf = n / m - 1 - p / m;
    leaves.push_back({p, leaf * m + p % m});
    against.push_back({p, leaf * m + m - 1 - p % m});
    reversed.push_back({p, n - 1 - p});
    half.push_back({p, (p + n / 2) % n});
  }
  for (Set* set : {&leaves, &against, &reversed, &half}) sets.push_back(*set);
  return sets;
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

// L figure 4: SW(0,0) and SW(0,1) both want SW(0,8).
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

TEST(TreeScheduler, LevelWiseIsThePapersPseudoCode) {
  Random random(2);
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

// FT(3, 3, 2). The first three take P_0 = 0 and at level 1, of the switches that it leads to, Ulink 0 in
// subtree 0 and Dlink 1 in subtree 2. So 3 -> 21 gets P_0 = 0 at leaf 1 and then fails. Two more connections
// of leaf 1 want its two links up.
TEST(TreeScheduler, OnlyRequestByRequestArePartialPathsGivenBack) {
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

TEST(TreeScheduler, OptimalGrantsEveryPermutationWhereNothingIsOversubscribed) {
  Random random(5);
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
  Random random(9);
  for (const FatTreeShape& shape : {FatTreeShape{2, 256, 256}, {2, 257, 257}, {3, 41, 41}}) {
    const Set set = random_permutation(FatTree(shape).nodes(), random);
    const Schedule result = run(*tree_scheduler("optimal", shape), set);
    EXPECT_EQ(result.granted, set.size()) << to_string(shape);
    EXPECT_EQ(tree_fault(TreeGraph(shape), set, result.paths, result.granted), "") << to_string(shape);
  }
}

/// The size of a maximum matching, by trying every destination of a source in depth.
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

TEST(TreeScheduler, OptimalGrantsAMaximumMatchingWhereNodesAreShared) {
  Random random(10);
  for (const FatTreeShape& shape : {FatTreeShape{1, 8, 1}, {2, 4, 4}, {2, 3, 5}, {3, 3, 3}, {3, 4, 4}}) {
    const auto optimal = tree_scheduler("optimal", shape);
    const std::uint32_t nodes = FatTree(shape).nodes();
    auto sets = request_sets(shape, 11);
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

TEST(TreeScheduler, OptimalIsNeverBelowTheOthersWhereLinksAreShort) {
  Random random(13);
  std::size_t better = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const auto up = static_cast<std::uint32_t>(1 + random.below(4));
    const FatTreeShape shape{static_cast<std::uint32_t>(2 + random.below(3)),
                             static_cast<std::uint32_t>(up + 1 + random.below(4)), up};
    const TreeGraph graph(shape);
    const std::uint32_t nodes = FatTree(shape).nodes();
    if (nodes > 1000) continue;
    auto sets = request_sets(shape, static_cast<std::uint64_t>(trial));
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
      // Nothing that would still fit is left out.
      TreeJudge judge(graph);
      for (std::size_t k = 0; k < sets[i].size(); ++k)
        if (best.paths[k].granted) judge.take(sets[i][k], best.paths[k]);
      for (std::size_t k = 0; k < std::min<std::size_t>(sets[i].size(), 100); ++k)
        ASSERT_TRUE(best.paths[k].granted || !judge.some_path(sets[i][k])) << to_string(shape);
    }
  }
  EXPECT_GT(better, 100u);
}

TEST(TreeScheduler, RearrangementsReachNinetyNineInAHundred) {
  Random random(6);
  for (const FatTreeShape& shape : {FatTreeShape{2, 16, 16}, {3, 8, 8}, {4, 4, 4}, {4, 6, 6}, {5, 4, 4}}) {
    const auto scheduler = tree_scheduler("level-wise-rearranged", shape);
    const auto plain = tree_scheduler("level-wise", shape);
    std::size_t granted = 0, without = 0, asked = 0;
    for (int trial = 0; trial < 20; ++trial) {
      const Set set = random_permutation(FatTree(shape).nodes(), random);
      granted += run(*scheduler, set).granted;
      without += run(*plain, set).granted;
      asked += set.size();
    }
    EXPECT_GE(static_cast<double>(granted), 0.99 * static_cast<double>(asked)) << to_string(shape);
    EXPECT_GT(granted, without);
  }
}

// On two levels one level is coloured, request by request: what one more request moves is the difference.
TEST(TreeScheduler, ARequestMovesNoMoreThanTheBound) {
  Random random(14);
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
    EXPECT_GE(most, std::min(bound, 3U)) << "the bound is never felt";
  }
}

// On two levels, request by request: where no port is free at both ends but one move mends that, one is
// moved.
TEST(TreeScheduler, WhereOneMoveIsEnoughNoMoreAreMoved) {
  Random random(15);
  constexpr std::uint32_t kPorts = 8;
  const FatTree tree({2, kPorts, kPorts});
  const auto colouring = make_tree_colouring(tree, kAnyMoves);
  std::size_t enough = 0;
  for (int trial = 0; trial < 5; ++trial) {
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
      bool one_mends = false;
      for (std::size_t k = 0; k < n; ++k) {
        if (!held(k)) continue;
        const std::uint32_t from = tree.leaf(set[k].source), to = tree.leaf(set[k].destination);
        const std::uint32_t free_at_other = from == source      ? down[destination]
                                            : to == destination ? up[source]
                                                                : 0;
        one_mends |= (free_at_other >> paths[k].up[0] & 1U) != 0 && (up[from] & down[to]) != 0;
      }
      colouring->schedule(std::span(set).first(n + 1), std::span(paths).first(n + 1));
      if (!fits && one_mends) {
        ASSERT_EQ(colouring->moved() - before, 1u) << "request " << n;
        ++enough;
      }
      before = colouring->moved();
    }
  }
  EXPECT_GT(enough, 5u);
}

TEST(TreeScheduler, NoMovesIsLevelWise) {
  Random random(7);
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
