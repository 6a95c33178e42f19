#include "emulator/scheduler/tree_slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/topology/testing/tree_paths.h"

namespace hybrid {
namespace {

RequestSet random_set(std::uint32_t nodes, std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::set<Connection> connections;
  while (connections.size() < size) {
    const Connection c{static_cast<Port>(random.below(nodes)), static_cast<Port>(random.below(nodes))};
    if (c.source != c.destination) connections.insert(c);
  }
  RequestSet set{nodes, {}};
  for (const Connection c : connections) set.requests.push_back({c, 0});
  for (std::size_t i = set.requests.size(); i > 1; --i)
    std::swap(set.requests[i - 1], set.requests[random.below(i)]);
  return set;
}

/// Returns a description of the first fault of a fit, checked slot by slot; "" if there is none.
std::string fault_of(const FatTreeShape& shape, const RequestSet& set, const TreeSlotFit& fit) {
  const TreeGraph graph(shape);
  std::vector<TreePathChecker> checkers(fit.slots, TreePathChecker(graph));
  for (std::size_t i = 0; i < set.requests.size(); ++i) {
    if (fit.slot_of[i] == kNoSlot) continue;
    if (!fit.path_of[i].granted || fit.slot_of[i] >= fit.slots) return "a slot without a path";
    if (auto fault = checkers[fit.slot_of[i]].hold_path(set.requests[i].connection, fit.path_of[i]);
        !fault.empty())
      return fault;
  }
  return {};
}

TEST(TreeSlots, FitsEveryWorkingSetValidlyAndNotBelowTheBound) {
  for (const FatTreeShape& shape :
       {FatTreeShape{1, 8, 8}, {2, 4, 4}, {2, 8, 2}, {3, 3, 3}, {3, 4, 2}, {4, 2, 2}}) {
    const std::uint32_t nodes = FatTree(shape).nodes();
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const RequestSet set = random_set(nodes, nodes * 3, seed);
      const TreeSlotFit all = fit_tree_slots(shape, set, 0);
      ASSERT_EQ(fault_of(shape, set, all), "") << to_string(shape);
      ASSERT_EQ(std::count(all.slot_of.begin(), all.slot_of.end(), kNoSlot), 0);
      ASSERT_GE(all.slots, least_tree_slots(shape, set));
      // With fewer slots the same requests are in these slots, the others are left out.
      const TreeSlotFit some = fit_tree_slots(shape, set, 2);
      ASSERT_EQ(fault_of(shape, set, some), "");
      for (std::size_t i = 0; i < set.requests.size(); ++i)
        ASSERT_EQ(some.slot_of[i], all.slot_of[i] < 2 ? all.slot_of[i] : kNoSlot);
    }
  }
}

TEST(TreeSlots, TheBoundCountsNodesAndSubtrees) {
  const FatTreeShape shape{2, 4, 2};  // 4 leaves of 4 nodes, 2 links up each
  EXPECT_EQ(least_tree_slots(shape, {16, {}}), 0u);
  EXPECT_EQ(least_tree_slots(shape, {16, {{{0, 1}, 0}, {{0, 2}, 0}, {{0, 3}, 0}}}), 3u);
  const RequestSet out{16, {{{0, 4}, 0}, {{1, 5}, 0}, {{2, 8}, 0}, {{3, 9}, 0}}};
  EXPECT_EQ(least_tree_slots(shape, out), 2u);
  EXPECT_EQ(fit_tree_slots(shape, out, 0).slots, 2u);
  FatTreeShape over_the_top = shape;
  over_the_top.turns_at_top = true;
  const RequestSet inside{16, {{{0, 1}, 0}, {{1, 2}, 0}, {{2, 0}, 0}}};  // three circuits of one leaf
  EXPECT_EQ(least_tree_slots(shape, inside), 1u);
  EXPECT_EQ(least_tree_slots(over_the_top, inside), 2u);
  EXPECT_EQ(fit_tree_slots(over_the_top, inside, 0).slots, 2u);
}

std::vector<std::string> slot_fitters() {
  std::vector<std::string> names;
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind))
    if (SchedulerRegistration::make(name)->fits_tree_slots()) names.emplace_back(name);
  return names;
}

std::uint32_t busiest_node(const RequestSet& set) {
  std::vector<std::uint32_t> sends(set.ports), receives(set.ports);
  std::uint32_t most = 0;
  for (const Request& r : set.requests)
    most = std::max({most, ++sends[r.connection.source], ++receives[r.connection.destination]});
  return most;
}

Bytes served(const RequestSet& set, const TreeSlotFit& fit) {
  Bytes bytes = 0;
  for (std::size_t i = 0; i < set.requests.size(); ++i)
    if (fit.slot_of[i] != kNoSlot) bytes += set.requests[i].bytes;
  return bytes;
}

TEST(TreeSlots, EveryFitterOnSeveralTrees) {
  ASSERT_FALSE(slot_fitters().empty());
  for (const FatTreeShape& shape : {FatTreeShape{1, 8, 8}, {2, 4, 4}, {2, 8, 2}, {3, 3, 4}, {3, 4, 2}}) {
    const std::uint32_t nodes = FatTree(shape).nodes();
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      RequestSet set = random_set(nodes, nodes * 2, seed);
      Random random(seed);
      for (Request& r : set.requests) r.bytes = 1 + random.below(100);
      for (const std::uint32_t slots : {0U, 1U, 2U, 5U}) {
        Bytes by_optimal = 0, most_by_others = 0;
        for (const std::string& name : slot_fitters()) {
          const TreeSlotFit fit = SchedulerRegistration::make(name)->tree_slot_fitter(shape)->fit(set, slots);
          ASSERT_EQ(fault_of(shape, set, fit), "") << name << " on " << to_string(shape);
          const std::set<std::uint32_t> used(fit.slot_of.begin(), fit.slot_of.end());
          ASSERT_EQ(used.size() - used.count(kNoSlot), fit.slots) << name;
          if (slots == 0) {
            ASSERT_EQ(used.count(kNoSlot), 0u) << name;
            ASSERT_GE(fit.slots, least_tree_slots(shape, set)) << name;
          } else {
            ASSERT_LE(fit.slots, slots) << name;
          }
          Bytes& bytes = name == "optimal" ? by_optimal : most_by_others;
          bytes = std::max(bytes, served(set, fit));
          if (name == "optimal" && slots == 0 && shape.down <= shape.up) {
            ASSERT_EQ(fit.slots, busiest_node(set)) << to_string(shape);
          }
        }
        ASSERT_GE(by_optimal, most_by_others) << to_string(shape);
      }
    }
  }
}

TEST(TreeSlots, EverySchedulerOfOneSlotFitsSlotBySlot) {
  for (const FatTreeShape& shape : {FatTreeShape{2, 4, 4}, {2, 8, 2}, {3, 3, 3}}) {
    const RequestSet set = random_set(FatTree(shape).nodes(), FatTree(shape).nodes() * 3, 1);
    for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind)) {
      const auto scheduler = SchedulerRegistration::make(name)->fat_tree(shape, 1);
      if (!scheduler) continue;
      const TreeSlotFit all = fit_slot_by_slot(*scheduler, set, 0),
                        some = fit_slot_by_slot(*scheduler, set, 2);
      ASSERT_EQ(fault_of(shape, set, all), "") << name;
      ASSERT_EQ(std::count(all.slot_of.begin(), all.slot_of.end(), kNoSlot), 0);
      ASSERT_GE(all.slots, least_tree_slots(shape, set));
      for (std::size_t i = 0; i < set.requests.size(); ++i)
        ASSERT_EQ(some.slot_of[i], all.slot_of[i] < 2 ? all.slot_of[i] : kNoSlot);
    }
  }
}

TEST(TreeSlots, RefusesTooManySlots) {
  EXPECT_NO_THROW(check_tree_slots(64, 1U << 20));
  EXPECT_THROW(check_tree_slots(65, 1U << 20), UserError);
  EXPECT_THROW(check_tree_slots(~std::uint32_t{0}, 1U << 20), UserError);
}

TEST(TreeSlots, RequestsAndReleases) {
  TreeSlots slots({2, 2, 2}, 2);
  EXPECT_EQ(slots.request({0, 2})->slot, 0u);
  EXPECT_EQ(slots.request({0, 3})->slot, 1u);
  EXPECT_EQ(slots.request({0, 2})->slot, 0u);
  EXPECT_FALSE(slots.request({0, 1}));
  EXPECT_TRUE(slots.release({0, 2}));
  EXPECT_FALSE(slots.release({0, 2}));
  EXPECT_FALSE(slots.find({0, 2}));
  EXPECT_EQ(slots.request({0, 1})->slot, 0u);
  EXPECT_EQ(slots.find({0, 3})->slot, 1u);
}

TEST(TreeSlots, RefusesNodesThatAreNotInTheTree) {
  EXPECT_THROW(fit_tree_slots({2, 2, 2}, {8, {{{0, 4}, 0}}}, 0), UserError);
  EXPECT_THROW(fit_tree_slots({0, 2, 2}, {8, {}}, 0), UserError);
}

}  // namespace
}  // namespace hybrid
