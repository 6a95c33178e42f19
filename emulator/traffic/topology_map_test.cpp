#include "emulator/traffic/topology_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

std::unique_ptr<FixedTopology> make_topology(std::string_view name, std::uint32_t nodes) {
  return FixedTopologyRegistration::make(name, nodes);
}

std::set<Connection> connections(const FixedTopology& t) {
  std::set<Connection> all;
  for (Port p = 0; p < t.nodes(); ++p)
    for (const Port q : t.neighbors(p))
      EXPECT_TRUE(all.insert({p, q}).second) << p << " to " << q << " twice";
  return all;
}

TEST(FixedTopology, NeighboursAreSymmetricAndConnected) {
  for (const std::string_view name : registered_names("topology-map"))
    for (const std::uint32_t nodes : {2u, 3u, 4u, 5u, 8u, 12u, 16u, 27u, 30u, 64u}) {
      if (name == "hypercube" && (nodes & (nodes - 1)) != 0) continue;
      SCOPED_TRACE(std::string(name) + " of " + std::to_string(nodes));
      const auto t = make_topology(name, nodes);
      const auto all = connections(*t);
      std::vector<Port> reached{0};
      std::vector<char> seen(nodes, 0);
      seen[0] = 1;
      for (std::size_t i = 0; i < reached.size(); ++i)
        for (const Port q : t->neighbors(reached[i])) {
          EXPECT_LT(q, nodes);
          EXPECT_NE(q, reached[i]);
          EXPECT_TRUE(all.contains({q, reached[i]}));
          if (std::exchange(seen[q], 1) == 0) reached.push_back(q);
        }
      EXPECT_EQ(reached.size(), nodes);
    }
}

TEST(FixedTopology, ConnectionsAndSlotsByHand) {
  const auto expect = [](const char* name, std::uint32_t nodes, std::size_t count, std::uint32_t slots) {
    const auto t = make_topology(name, nodes);
    EXPECT_EQ(connections(*t).size(), count) << name;
    EXPECT_EQ(t->slots_needed(), slots) << name;
  };
  expect("ring", 8, 16, 2);
  expect("ring", 2, 2, 1);
  expect("mesh2d", 12, 2 * (3 * 3 + 2 * 4), 4);  // 4 x 3
  expect("torus2d", 12, 2 * (4 * 3 + 3 * 4), 4);
  expect("mesh3d", 27, 2 * 3 * 18, 6);
  expect("torus3d", 27, 2 * 3 * 27, 6);
  expect("hypercube", 16, 64, 4);
  expect("tree", 15, 28, 3);
  EXPECT_EQ(make_topology("tree", 6)->neighbors(2), (std::vector<Port>{0, 5}));
  EXPECT_THROW(make_topology("hypercube", 12), UserError);
}

std::vector<Port> shuffled(std::uint32_t nodes, std::uint64_t seed) {
  std::vector<Port> order(nodes);
  std::iota(order.begin(), order.end(), Port{0});
  Random random(seed);
  for (std::uint32_t i = nodes; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

/// Returns the traffic of a program with the topology's neighbours, its ranks on random nodes.
TrafficMatrix permuted(const FixedTopology& t, const std::vector<Port>& node_at, Bytes bytes = 1000) {
  TrafficMatrix traffic;
  for (const Connection& c : connections(t)) traffic[{node_at[c.source], node_at[c.destination]}] = bytes;
  return traffic;
}

/// Checks the counts of a plan.
void check_plan(const FixedTopology& t, const TrafficMatrix& traffic, const TopologyPlan& plan) {
  EXPECT_EQ(std::set<Port>(plan.node_at.begin(), plan.node_at.end()).size(), t.nodes());
  std::set<Connection> mapped;
  for (const Connection& c : connections(t))
    mapped.insert({plan.node_at[c.source], plan.node_at[c.destination]});
  std::set<Connection> held;
  for (const Configuration& slot : plan.slots)
    for (const Connection& c : slot.connections()) {
      EXPECT_TRUE(held.insert(c).second) << "held twice";
      EXPECT_TRUE(mapped.contains(c)) << "not of the topology";
    }
  if (plan.slots.size() >= plan.slots_needed) {
    EXPECT_EQ(held, mapped);
  }
  Bytes all = 0, covered = 0, on_topology = 0;
  for (const auto& [c, bytes] : traffic) {
    all += bytes;
    covered += held.contains(c) ? bytes : 0;
    on_topology += mapped.contains(c) ? bytes : 0;
  }
  EXPECT_EQ(plan.all, all);
  EXPECT_EQ(plan.covered, covered);
  EXPECT_EQ(plan.on_topology, on_topology);
}

TEST(TopologyMap, FindsATopologyUnderOtherNumbers) {
  for (const std::string_view name : registered_names("topology-map"))
    for (const std::uint32_t nodes : {2u, 4u, 8u, 15u, 16u, 24u, 25u, 32u, 64u, 128u}) {
      if (name == "hypercube" && (nodes & (nodes - 1)) != 0) continue;
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(std::string(name) + " of " + std::to_string(nodes) + ", seed " + std::to_string(seed));
        const auto t = make_topology(name, nodes);
        const TrafficMatrix traffic = permuted(*t, shuffled(nodes, seed));
        const TopologyPlan plan = plan_topology(*t, traffic, t->slots_needed());
        check_plan(*t, traffic, plan);
        EXPECT_EQ(plan.share(), 1);
      }
    }
}

TEST(TopologyMap, APermutedRingByHand) {
  // 0 -> 3 -> 1 -> 4 -> 2 -> 0, in one direction: one of the two slots of the ring carries all of it.
  const TrafficMatrix traffic{{{0, 3}, 10}, {{3, 1}, 20}, {{1, 4}, 30}, {{4, 2}, 40}, {{2, 0}, 50}};
  const auto ring = make_topology("ring", 5);
  const TopologyPlan plan = plan_topology(*ring, traffic, 1);
  check_plan(*ring, traffic, plan);
  EXPECT_EQ(plan.share(), 1);
  EXPECT_EQ(plan.all, 150u);
  Configuration expected(5);
  for (const auto& [c, bytes] : traffic) expected.add(c);
  EXPECT_EQ(plan.slots[0], expected);
}

TEST(TopologyMap, TheHeaviestConnectionsComeFirst) {
  // A star: its centre has three neighbours in a tree of 4, and each slot takes one in each direction.
  const TrafficMatrix traffic{{{0, 1}, 5}, {{0, 2}, 7}, {{0, 3}, 9}, {{1, 0}, 3}};
  const auto tree = make_topology("tree", 7);
  const TopologyPlan one = plan_topology(*tree, traffic, 1), three = plan_topology(*tree, traffic, 3);
  EXPECT_EQ(one.on_topology, 24u);
  EXPECT_EQ(one.covered, 12u);  // 0 -> 3 and 1 -> 0
  EXPECT_EQ(plan_topology(*tree, traffic, 2).covered, 19u);
  EXPECT_EQ(three.covered, 24u);
  check_plan(*tree, traffic, one);
  check_plan(*tree, traffic, three);
}

TEST(TopologyMap, ConnectionsOutsideTheTopologyAreNotCovered) {
  // All-to-all of 8: a ring has 16 of its 56 connections.
  TrafficMatrix traffic;
  for (Port a = 0; a < 8; ++a)
    for (Port b = 0; b < 8; ++b)
      if (a != b) traffic[{a, b}] = 3;
  const auto ring = make_topology("ring", 8);
  const TopologyPlan plan = plan_topology(*ring, traffic, 2);
  check_plan(*ring, traffic, plan);
  EXPECT_EQ(plan.covered, 48u);
  EXPECT_DOUBLE_EQ(plan.share(), 16.0 / 56);
}

TEST(TopologyMap, NoPlacementIsWorseThanTheIdentity) {
  int runs = 0, better = 0;
  for (const std::string_view name : registered_names("topology-map"))
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Random random(seed);
      const std::uint32_t nodes = 16;
      TrafficMatrix traffic;
      for (int k = 0; k < 60; ++k) {
        const auto a = static_cast<Port>(random.below(nodes)), b = static_cast<Port>(random.below(nodes));
        if (a != b) traffic[{a, b}] += random.below(1000);
      }
      const auto t = make_topology(name, nodes);
      Bytes by_number = 0;
      const auto own = connections(*t);
      for (const auto& [c, bytes] : traffic) by_number += own.contains(c) ? bytes : 0;
      const TopologyPlan plan = plan_topology(*t, traffic, 2);
      check_plan(*t, traffic, plan);
      EXPECT_GE(plan.on_topology, by_number) << name << ", seed " << seed;
      better += plan.on_topology > by_number ? 1 : 0;
      ++runs;
      EXPECT_EQ(plan.node_at, place(*t, traffic)) << "not reproducible";
    }
  EXPECT_GT(better, runs / 2) << "of random traffic";
}

TEST(TopologyMap, EmptyTrafficIsAccepted) {
  const auto mesh = make_topology("mesh2d", 6);
  const TopologyPlan none = plan_topology(*mesh, {}, 4);
  check_plan(*mesh, {}, none);
  EXPECT_EQ(none.share(), 1);
  check_plan(*mesh, {{{0, 5}, 0}}, plan_topology(*mesh, {{{0, 5}, 0}}, 4));
  EXPECT_TRUE(plan_topology(*mesh, {}, 0).slots.empty());
}

Measures run(const char* technique, const char* pattern, const char* topology, std::uint32_t preload) {
  SwitchParameters p;
  p.technique = technique;
  p.slots = 4;
  p.preload = preload;
  TrafficOptions o;
  o.pattern = pattern;
  o.preload_topology = topology;
  return simulate(p, o);
}

TEST(TopologyMap, ASimulationPreloadsTheTopologyAndReportsItsShare) {
  const Measures mesh = run("hybrid", "random-mesh", "mesh2d", 4);
  ASSERT_TRUE(mesh.topology_share.has_value());
  EXPECT_EQ(*mesh.topology_share, 1);
  EXPECT_EQ(mesh.hit_rate, 1);
  EXPECT_EQ(mesh.statistics.preloads, 4u);

  // A 4 x 4 mesh in a ring of 16: at most 16 of 24 edges; the rest goes without preloaded circuits.
  const Measures ring = run("hybrid", "ordered-mesh", "ring", 2);
  EXPECT_LT(*ring.topology_share, 1);
  EXPECT_GE(*ring.topology_share, 0.5);
  EXPECT_LE(*ring.topology_share, 16.0 / 24);
  EXPECT_EQ(ring.messages, run("hybrid", "ordered-mesh", "", 2).messages);
  EXPECT_EQ(ring.statistics.preloads, 2u);
  EXPECT_GT(ring.statistics.wormhole_messages, 0u);
  EXPECT_FALSE(run("hybrid", "ordered-mesh", "", 2).topology_share.has_value());
}

TEST(TopologyMap, InvalidOptionsAreRefused) {
  EXPECT_THROW(run("hybrid", "uniform", "ring", 0), UserError);
  EXPECT_THROW(run("hybrid", "uniform", "rings", 2), UserError);
}

}  // namespace
}  // namespace hybrid
