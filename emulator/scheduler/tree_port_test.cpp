// The scheduler port over fat trees: it keeps the contract of the port over a crossbar, and no link of a slot
// carries two circuits, checked in the graph (emulator/topology/testing/tree_paths.h).
#include "emulator/scheduler/tree_port.h"

#include "core/testing/random_cases.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/testing/port_contract.h"
#include "emulator/topology/testing/tree_paths.h"

namespace hybrid {
namespace {

struct TreePort {
  TreePort(const FatTreeShape& shape, std::uint32_t slots, std::uint32_t latency,
           std::string_view scheduler = "greedy") {
    parameters = port_parameters(FatTree(shape).nodes(), slots, latency);
    parameters.scheduler_name = scheduler;
    parameters.tree = shape;
    auto slot_network = std::make_unique<TreeSlotNetwork>(parameters);
    network = slot_network.get();
    port = make_model_port(parameters, std::move(slot_network));
  }
  SwitchParameters parameters;
  TreeSlotNetwork* network;
  std::unique_ptr<SchedulerPort> port;
};

std::vector<Connection> held(const TreeCircuits& circuits) {
  std::vector<Connection> all;
  for (Port source = 0; source < circuits.tree().nodes(); ++source)
    if (circuits.destination_of(source) != kNoPort) all.push_back({source, circuits.destination_of(source)});
  return all;
}

/// Returns a checker that holds the slot's circuits; sets `fault` to the first fault in them.
TreePathChecker checker_of(const TreeGraph& graph, const TreeCircuits& circuits, std::string& fault) {
  TreePathChecker checker(graph);
  for (const Connection c : held(circuits))
    if (fault.empty()) fault = checker.hold_path(c, circuits.path_of(c.source));
  return checker;
}

constexpr FatTreeShape kShapes[] = {{1, 5, 1}, {2, 2, 2}, {2, 3, 3}, {3, 2, 2}, {2, 4, 4}, {2, 2, 3},
                                    {3, 3, 3}, {2, 4, 2}, {3, 2, 1}, {2, 3, 1}};  // the last three: w < m

TEST(TreePort, RandomCallsKeepTheContract) {
  std::uint64_t shared_links = 0, waiting = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(200); ++seed) {
    Random random(seed);
    const FatTreeShape shape = kShapes[seed % std::size(kShapes)];
    const auto k = static_cast<std::uint32_t>(1 + random.below(4));
    const auto latency = static_cast<std::uint32_t>(random.below(4));
    SCOPED_TRACE("seed " + std::to_string(seed) + " " + to_string(shape));
    const TreeGraph graph(shape);
    TreePort tree(shape, k, latency);
    const std::uint32_t n = graph.nodes();
    GrantReplay replay(n, k);
    ExpectedRequests expected(n, k);
    const auto see = [&](Time until) {
      std::vector<Grant> grants;
      const Time bound = tree.port->next_change();
      tree.port->advance(until, grants);
      for (const Grant& g : grants) {
        ASSERT_LE(g.at, until);
        ASSERT_GE(g.at, bound);
        ASSERT_NO_FATAL_FAILURE(replay.apply(g));
        const Time edge = g.at - kPortCycle * latency;
        if (expected.all_may_change(edge)) continue;
        ASSERT_EQ(expected.was_requested(g.connection, edge), g.kind == Grant::Kind::established);
      }
      for (std::uint32_t s = 0; s < k; ++s) {
        std::string fault;
        checker_of(graph, tree.network->slot(s), fault);
        ASSERT_EQ(fault, "");
      }
    };
    Time now{};
    for (const PortCall& call : random_port_calls(seed, n, k)) {
      // A narrow tree cannot hold every configuration; that has its own test below.
      if (call.kind == PortCall::Kind::preload && shape.up < shape.down) continue;
      if (call.at > now) {
        ASSERT_NO_FATAL_FAILURE(see(call.at - picoseconds(1)));
      }
      now = call.at;
      make_call(*tree.port, call);
      expected.apply_call(call);
    }
    for (Time t = tree.port->next_change(); t != Time::never(); t = tree.port->next_change())
      ASSERT_NO_FATAL_FAILURE(see(t));
    for (std::uint32_t s = 0; s < k; ++s) {
      ASSERT_EQ(held(tree.network->slot(s)), replay.slots()[s].connections());
      if (!expected.preloaded()[s].empty()) {
        ASSERT_EQ(replay.slots()[s], expected.preloaded()[s]);
        continue;
      }
      std::string fault;
      const TreePathChecker checker = checker_of(graph, tree.network->slot(s), fault);
      for (const Connection c : replay.slots()[s].connections()) ASSERT_TRUE(expected.is_requested(c));
      for (const Connection c : expected.all_requested()) {
        if (replay.holds(c)) continue;
        ++waiting;
        shared_links += replay.slots()[s].fits(c) ? 1 : 0;
        ASSERT_FALSE(checker.has_free_path(c)) << c.source << " -> " << c.destination;
      }
    }
  }
  EXPECT_GT(waiting, random_cases(500));
  EXPECT_GT(shared_links, random_cases(20)) << "some wait for a path, not for a port";
}

TEST(TreePort, OfOneLevelGivesTheGrantsOfTheCrossbar) {
  for (std::uint64_t seed = 1; seed <= random_cases(60); ++seed) {
    const auto n = static_cast<std::uint32_t>(seed % 9 == 0 ? 130 : 2 + seed % 17);
    TreePort tree({1, n, 1}, 3, 1);
    SwitchParameters p = tree.parameters;
    p.tree = {};
    const auto crossbar = make_scheduler_port(p);
    for (const PortCall& call : random_port_calls(seed, n, 3)) {
      make_call(*crossbar, call);
      make_call(*tree.port, call);
    }
    std::vector<Grant> expected, grants;
    crossbar->advance(milliseconds(1), expected);
    tree.port->advance(milliseconds(1), grants);
    ASSERT_EQ(grants, expected) << "seed " << seed;
  }
}

TEST(TreePort, ANarrowTreePreloadsWhatFitsAndTakesRequestsForTheRest) {
  // FT(2, 4, 1): one link up from each leaf. Of 0 -> 4, 1 -> 5, 4 -> 0 two fit, one each way.
  TreePort tree({2, 4, 1}, 2, 1);
  Configuration wanted(16);
  for (const Connection c : {Connection{0, 4}, {1, 5}, {4, 0}, {8, 9}}) wanted.add(c);
  tree.port->preload(Time{}, 0, wanted);
  std::vector<Grant> grants;
  tree.port->advance(kPortCycle, grants);
  EXPECT_EQ(grants.size(), 3U);
  const Connection left = tree.network->slot(0).holds({0, 4}) ? Connection{1, 5} : Connection{0, 4};
  EXPECT_FALSE(tree.network->slot(0).holds(left));
  tree.port->request(kPortCycle, left);
  tree.port->advance(kPortCycle * 10, grants);
  ASSERT_EQ(grants.size(), 4U);
  EXPECT_EQ(grants.back().connection, left);
  EXPECT_EQ(grants.back().slot, 1U);
}

TEST(TreePort, ReleasingTheBlockingCircuitsMakesRoom) {
  std::uint64_t blocked = 0;
  for (std::uint64_t seed = 1; seed <= random_cases(300); ++seed) {
    Random random(seed);
    const bool fixed = seed % 3 == 0;  // a scheduler with fixed paths, which are often blocked
    TreePort tree(kShapes[seed % std::size(kShapes)], 1, 1, fixed ? "d-mod-k" : "greedy");
    const std::uint64_t n = tree.parameters.nodes;
    for (std::uint64_t i = 0; i < n * n; ++i)
      tree.port->request(Time{}, {static_cast<Port>(random.below(n)), static_cast<Port>(random.below(n))});
    std::vector<Grant> grants;
    tree.port->advance(microseconds(10), grants);
    const Connection c{static_cast<Port>(random.below(n)), static_cast<Port>(random.below(n))};
    TreeCircuits circuits = tree.network->slot(0);
    if (circuits.holds(c)) continue;
    std::vector<Connection> found;
    tree.port->find_blocking(microseconds(10), 0, c, found);
    const std::vector<Connection> before = held(circuits);
    for (const Connection other : found) {
      ASSERT_TRUE(circuits.release(other));
      ASSERT_TRUE(other.source != c.source && other.destination != c.destination);
    }
    for (const Connection other : before)
      if (other.source == c.source || other.destination == c.destination) circuits.release(other);
    const auto route =
        make_tree_route(tree.parameters.scheduler_name, tree.parameters.tree, tree.parameters.slots, 1);
    ASSERT_TRUE(circuits.request(c, *route).granted) << "seed " << seed;
    blocked += found.empty() ? 0 : 1;
  }
  EXPECT_GE(blocked, random_cases(20));
}

// Requested one after the other, without releases, each route finder grants the same as its algorithm for the
// whole set.
TEST(TreePort, RoutesInTheLoopEqualThoseOfTheWholeSet) {
  for (const char* name : {"level-wise-request", "local-greedy", "local-random", "d-mod-k"})
    for (const FatTreeShape& shape :
         {FatTreeShape{1, 6, 2}, {2, 4, 4}, {2, 3, 70}, {3, 3, 3}, {3, 4, 2}, {4, 2, 3}})
      for (std::uint64_t seed = 1; seed <= random_cases(10); ++seed) {
        SCOPED_TRACE(std::string(name) + " " + to_string(shape));
        Random random(seed);
        TreeCircuits circuits(shape);
        const auto algorithm = SchedulerRegistration::make(name);
        const std::uint32_t n = circuits.tree().nodes();
        std::vector<Connection> requests(2 * std::size_t{n});
        for (Connection& c : requests)
          c = {static_cast<Port>(random.below(n)), static_cast<Port>(random.below(n))};
        std::vector<TreePath> paths(requests.size());
        algorithm->fat_tree(shape, seed)->schedule(requests, paths);
        const auto route = algorithm->tree_route(shape, 1, seed);
        for (std::size_t i = 0; i < requests.size(); ++i) {
          if (circuits.holds(requests[i])) continue;  // a repeated request, already granted
          const TreePath path = circuits.request(requests[i], *route);
          ASSERT_EQ(path.granted, paths[i].granted) << i;
          if (path.granted) {
            ASSERT_EQ(path, paths[i]) << i;
          }
        }
      }
}

TEST(TreePort, NoLinkOfASlotCarriesTwoCircuitsWithAnyScheduler) {
  for (const std::string_view name : names_in_the_loop(true))
    for (std::uint64_t seed = 1; seed <= random_cases(30); ++seed) {
      const FatTreeShape shape = kShapes[seed % std::size(kShapes)];
      SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed) + " " + to_string(shape));
      const TreeGraph graph(shape);
      TreePort tree(shape, 3, 1, name);
      GrantReplay replay(graph.nodes(), 3);
      const auto see = [&](Time until) {
        std::vector<Grant> grants;
        tree.port->advance(until, grants);
        for (const Grant& g : grants) ASSERT_NO_FATAL_FAILURE(replay.apply(g));
        for (std::uint32_t s = 0; s < 3; ++s) {
          std::string fault;
          checker_of(graph, tree.network->slot(s), fault);
          ASSERT_EQ(fault, "");
        }
      };
      Time now{};
      for (const PortCall& call : random_port_calls(seed, graph.nodes(), 3)) {
        if (call.at > now) {
          ASSERT_NO_FATAL_FAILURE(see(call.at - picoseconds(1)));
        }
        now = call.at;
        make_call(*tree.port, call);
      }
      ASSERT_NO_FATAL_FAILURE(see(milliseconds(1)));
      for (std::uint32_t s = 0; s < 3; ++s)
        ASSERT_EQ(held(tree.network->slot(s)), replay.slots()[s].connections());
    }
}

}  // namespace
}  // namespace hybrid
