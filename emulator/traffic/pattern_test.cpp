#include "emulator/traffic/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "emulator/traffic/arrivals.h"
#include "emulator/traffic/grid.h"
#include "emulator/traffic/testing/destinations.h"

namespace hybrid {
namespace {

std::unique_ptr<Pattern> make(const std::string& name, std::uint32_t nodes, std::uint64_t messages = 0,
                              std::uint64_t seed = 1) {
  return PatternRegistration::make(name, PatternShape{nodes, messages, seed});
}

/// Every pattern with every supported small number of nodes.
template <class Visit>
void for_each_pattern(Visit&& visit) {
  for (const std::string_view name : registered_names("pattern"))
    for (const std::uint32_t nodes : {2u, 3u, 4u, 6u, 7u, 12u, 16u, 25u, 32u, 64u}) {
      const bool one_row = Grid(nodes, Grid::Edge::mesh).height() == 1;
      if (name == "transpose" && one_row) continue;
      SCOPED_TRACE(std::string(name) + " on " + std::to_string(nodes));
      visit(std::string(name), nodes);
    }
}

TEST(Pattern, ThoseOfTheDissertationAndTheUsualOnesAreRegistered) {
  const auto names = registered_names("pattern");
  for (const char* name : {"uniform", "permutation", "transpose", "bit-complement", "hotspot", "neighbor",
                           "neighbor-3d", "ordered-mesh", "random-mesh", "scatter", "all-to-all",
                           "random-to-all", "two-phase", "mixed", "phases", "determinism"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
}

TEST(Pattern, DestinationsAreOtherNodes) {
  for_each_pattern([](const std::string& name, std::uint32_t nodes) {
    const auto pattern = make(name, nodes);
    std::uint64_t sent = 0;
    for (Port source = 0; source < nodes; ++source)
      for (const Port to : destinations(*pattern, source)) {
        EXPECT_LT(to, nodes);
        EXPECT_NE(to, source);
        ++sent;
      }
    EXPECT_GT(sent, 0u);
  });
}

TEST(Pattern, AGivenNumberOfMessagesAppliesToEverySendingNode) {
  const std::set<std::string> rounds{"ordered-mesh", "random-mesh", "two-phase",  "mixed",
                                     "phases",       "neighbor",    "neighbor-3d"};
  for_each_pattern([&rounds](const std::string& name, std::uint32_t nodes) {
    const auto own = make(name, nodes), given = make(name, nodes, 5);
    for (Port source = 0; source < nodes; ++source)
      if (rounds.contains(name))
        EXPECT_LE(given->messages(source), 5u);  // fewer at the edge
      else
        EXPECT_EQ(given->messages(source), own->messages(source) == 0 ? 0u : 5u);
  });
}

TEST(Pattern, StreamsDoNotDependOnTheOrderOfCalls) {
  for_each_pattern([](const std::string& name, std::uint32_t nodes) {
    const auto by_node = make(name, nodes), in_turn = make(name, nodes);
    std::vector<std::vector<Port>> expected(nodes), got(nodes);
    for (Port source = 0; source < nodes; ++source) expected[source] = destinations(*by_node, source);
    for (bool any = true; any;) {
      any = false;
      for (Port source = nodes; source-- > 0;)
        if (got[source].size() < in_turn->messages(source)) {
          got[source].push_back(in_turn->next(source).destination);
          any = true;
        }
    }
    EXPECT_EQ(got, expected);
  });
}

TEST(Pattern, SeedsChangeRandomPatternsOnly) {
  const std::set<std::string> random{"uniform",   "permutation", "hotspot", "random-mesh", "random-to-all",
                                     "two-phase", "mixed",       "phases",  "determinism"};
  for (const std::string_view name : registered_names("pattern")) {
    const auto a = make(std::string(name), 16, 0, 1), b = make(std::string(name), 16, 0, 2);
    bool same = true;
    for (Port source = 0; source < 16; ++source) same &= destinations(*a, source) == destinations(*b, source);
    EXPECT_EQ(same, !random.contains(std::string(name))) << name;
  }
}

TEST(Pattern, KnownConfigurationsMatchTheSends) {
  const std::set<std::string> partly_known{"mixed", "phases", "determinism"};
  for_each_pattern([&partly_known](const std::string& name, std::uint32_t nodes) {
    const auto pattern = make(name, nodes);
    std::map<std::uint64_t, std::uint64_t> turns;      // step -> messages
    std::map<std::uint64_t, Configuration> with_turn;  // step -> configuration
    std::set<Connection> throughout;
    for (std::uint64_t step = 0; const auto known = pattern->known(step); ++step) {
      ASSERT_EQ(known->configuration.ports(), nodes);
      ASSERT_FALSE(known->configuration.empty());
      if (known->messages != 0) {
        turns[step] = known->messages;
        with_turn[step] = known->configuration;
        continue;
      }
      for (const Connection& c : known->configuration.connections())
        ASSERT_TRUE(throughout.insert(c).second) << "in two configurations";
    }
    for (Port source = 0; source < nodes; ++source)
      for (std::uint64_t m = pattern->messages(source); m > 0; --m) {
        const Pattern::Send send = pattern->next(source);
        const Connection c{source, send.destination};
        if (send.step != Pattern::kNoStep) {
          ASSERT_TRUE(with_turn[send.step].holds(c));
          --turns[send.step];
        } else if (!throughout.empty() && !partly_known.contains(name)) {
          ASSERT_TRUE(throughout.contains(c));
        }
      }
    for (const auto& [step, left] : turns) ASSERT_EQ(left, 0u) << "messages of step " << step;
  });
}

/// Returns the share of the sends of `pattern` over known connections.
double known_share(Pattern& pattern, std::uint32_t nodes) {
  std::set<Connection> known;
  for (std::uint64_t step = 0; const auto k = pattern.known(step); ++step)
    for (const Connection& c : k->configuration.connections()) known.insert(c);
  double sent = 0, over_known = 0;
  for (Port source = 0; source < nodes; ++source)
    for (const Port to : destinations(pattern, source)) {
      ++sent;
      over_known += known.contains({source, to}) ? 1 : 0;
    }
  return over_known / sent;
}

TEST(Pattern, MixedPhasesAndDeterminismHaveTheirShareOfPredictableMessages) {
  for (const std::string name : {"mixed", "phases", "determinism"})
    for (const double ratio : {0.0, 0.25, 0.8, 1.0}) {
      const auto pattern =
          PatternRegistration::make(name, PatternShape{.nodes = 64, .messages = 640, .ratio = ratio});
      // Random messages use a known connection by chance: a node has 2 or, on average, 3.5 of them.
      const double by_chance = (name == "determinism" ? 2 : 3.5) / 63;
      EXPECT_NEAR(known_share(*pattern, 64), ratio + (1 - ratio) * by_chance, 0.01) << name << " " << ratio;
    }
}

TEST(Pattern, TheMeshHasItsShareOfTheDataOnAnyGrid) {
  for (const std::uint32_t nodes : {36u, 60u, 61u}) {
    const Grid grid(nodes, Grid::Edge::mesh);
    const auto known = 2 * (grid.configuration(0).count() + grid.configuration(2).count());
    const double by_chance = static_cast<double>(known) / nodes / (nodes - 1);
    for (const std::string name : {"mixed", "phases"}) {
      const auto pattern =
          PatternRegistration::make(name, PatternShape{.nodes = nodes, .messages = 640, .ratio = 0.4});
      EXPECT_NEAR(known_share(*pattern, nodes), 0.4 + 0.6 * by_chance, 0.01) << name << " on " << nodes;
    }
  }
}

TEST(Pattern, PhasesStartWithTheMeshDirectionsInOrder) {
  // In the middle of 3 x 3. Two in three rounds of the mesh send, so that 5 rounds of 10 are 0.4 of the data.
  const auto pattern = PatternRegistration::make(
      "phases", PatternShape{.nodes = 9, .messages = 20, .ratio = 0.4, .phase_length = 10});
  const auto to = destinations(*pattern, 4);
  EXPECT_EQ(std::vector<Port>(to.begin(), to.begin() + 5), (std::vector<Port>{5, 3, 7, 1, 5}));
  EXPECT_EQ(std::vector<Port>(to.begin() + 10, to.begin() + 15), (std::vector<Port>{3, 7, 1, 5, 3}));
}

TEST(Pattern, AllToAllIsRotatedPermutations) {
  const auto pattern = make("all-to-all", 9);
  std::vector<std::set<Port>> reached(9);
  for (std::uint32_t r = 0; r < 8; ++r) {
    std::set<Port> destinations;
    for (Port source = 0; source < 9; ++source) {
      const Port to = pattern->next(source).destination;
      EXPECT_TRUE(destinations.insert(to).second);
      EXPECT_TRUE(reached[source].insert(to).second);
    }
  }
}

TEST(Pattern, RandomToAllReachesEveryNodeOncePerRoundInANewOrder) {
  const auto pattern = make("random-to-all", 20, 3 * 19);
  for (Port source = 0; source < 20; ++source) {
    const auto all = destinations(*pattern, source);
    for (int round = 0; round < 3; ++round) {
      const std::set<Port> reached(all.begin() + round * 19, all.begin() + (round + 1) * 19);
      EXPECT_EQ(reached.size(), 19u);
    }
    EXPECT_FALSE(std::equal(all.begin(), all.begin() + 19, all.begin() + 19));
  }
}

TEST(Pattern, OnlyNode0Scatters) {
  const auto pattern = make("scatter", 6);
  EXPECT_EQ(destinations(*pattern, 0), (std::vector<Port>{1, 2, 3, 4, 5}));
  for (Port source = 1; source < 6; ++source) EXPECT_EQ(pattern->messages(source), 0u);
}

TEST(Pattern, OrderedMeshGoesEastWestSouthNorthWithinTheMesh) {
  const auto pattern = make("ordered-mesh", 16, 5);  // 4 x 4
  EXPECT_EQ(destinations(*pattern, 5), (std::vector<Port>{6, 4, 9, 1, 6}));
  EXPECT_EQ(destinations(*pattern, 0), (std::vector<Port>{1, 4, 1}))
      << "a corner has no neighbour to the west and to the north";
  std::uint64_t configurations = 0;
  while (pattern->known(configurations)) ++configurations;
  EXPECT_EQ(configurations, 4u) << "D 4.2.2: four time slots hold a 2-D mesh";
}

TEST(Pattern, NeighborWrapsAround) {
  const auto pattern = make("neighbor", 16, 4);
  EXPECT_EQ(destinations(*pattern, 0), (std::vector<Port>{1, 3, 4, 12}));
  const auto narrow = make("neighbor", 6, 4);  // 3 x 2: south and north are the same node
  EXPECT_EQ(destinations(*narrow, 0), (std::vector<Port>{1, 2, 3, 1}));
}

TEST(Pattern, Neighbor3dUsesTheSixNeighboursOnATorusInOrder) {
  const auto pattern = make("neighbor-3d", 64, 7);  // 4 x 4 x 4
  EXPECT_EQ(destinations(*pattern, 0), (std::vector<Port>{1, 3, 4, 12, 16, 48, 1}));
  std::uint64_t configurations = 0;
  while (pattern->known(configurations)) ++configurations;
  EXPECT_EQ(configurations, 6u);
  const auto narrow = make("neighbor-3d", 8, 4);  // 2 x 2 x 2: three neighbours
  EXPECT_EQ(destinations(*narrow, 5), (std::vector<Port>{4, 7, 1, 4}));
  const auto line = make("neighbor-3d", 7, 3);  // a prime number is a ring
  EXPECT_EQ(destinations(*line, 0), (std::vector<Port>{1, 6, 1}));
}

TEST(Pattern, RandomMeshUsesEveryNeighbourInNoFixedOrder) {
  const auto pattern = make("random-mesh", 16, 400);
  const auto all = destinations(*pattern, 5);
  std::map<Port, int> count;
  for (const Port to : all) ++count[to];
  ASSERT_EQ(count.size(), 4u);
  for (const auto& [to, n] : count) EXPECT_NEAR(n, 100, 40) << to;
  EXPECT_FALSE(std::equal(all.begin(), all.begin() + 8, all.begin() + 8));
}

TEST(Pattern, TwoPhaseIsAnAllToAllThenSixteenRoundsOfNeighbours) {
  const auto pattern = make("two-phase", 16);
  const Grid mesh(16, Grid::Edge::mesh);
  for (Port source = 0; source < 16; ++source) {
    const auto all = destinations(*pattern, source);
    ASSERT_GT(all.size(), 15u);
    if (mesh.neighbors(source).size() == 4)
      EXPECT_EQ(all.size(), 15u + 16u);
    else
      EXPECT_LE(all.size(), 15u + 16u) << "at the edge some rounds send nothing";
    EXPECT_EQ(std::set<Port>(all.begin(), all.begin() + 15).size(), 15u);
    const auto neighbors = mesh.neighbors(source);
    for (std::size_t i = 15; i < all.size(); ++i)
      EXPECT_EQ(std::count(neighbors.begin(), neighbors.end(), all[i]), 1);
  }
}

TEST(Pattern, TransposeSwapsRowAndColumn) {
  const auto pattern = make("transpose", 16, 1);
  for (Port x = 0; x < 4; ++x)
    for (Port y = 0; y < 4; ++y) {
      const Port node = y * 4 + x;
      if (x == y) {
        EXPECT_EQ(pattern->messages(node), 0u);
      } else {
        EXPECT_EQ(pattern->next(node).destination, x * 4 + y);
      }
    }
  EXPECT_THROW(make("transpose", 13), UserError);
}

TEST(Pattern, BitComplementInvertsEveryBit) {
  const auto pattern = make("bit-complement", 32, 1);
  for (Port node = 0; node < 32; ++node) EXPECT_EQ(pattern->next(node).destination, node ^ 31u);
}

TEST(Pattern, PermutationKeepsOneDestinationPerNode) {
  const auto pattern = make("permutation", 30, 10);
  std::set<Port> reached;
  for (Port source = 0; source < 30; ++source) {
    const auto all = destinations(*pattern, source);
    EXPECT_EQ(std::set<Port>(all.begin(), all.end()).size(), 1u);
    reached.insert(all.front());
  }
  EXPECT_EQ(reached.size(), 30u);
}

TEST(Pattern, HotspotSendsItsShareToNode0) {
  for (const double share : {0.0, 0.25, 0.6, 1.0}) {
    const auto pattern =
        PatternRegistration::make("hotspot", PatternShape{.nodes = 64, .messages = 1000, .hotspot = share});
    std::int64_t hot = 0, all = 0;
    for (Port source = 1; source < 64; ++source)
      for (const Port to : destinations(*pattern, source)) hot += to == 0, ++all;
    // The share, and 1/63 of the other messages.
    EXPECT_NEAR(static_cast<double>(hot) / static_cast<double>(all), share + (1 - share) / 63, 0.01);
  }
}

TEST(Pattern, UniformReachesAllNodesEqually) {
  const auto pattern = make("uniform", 11, 10'000);
  std::map<Port, int> count;
  for (const Port to : destinations(*pattern, 4)) ++count[to];
  ASSERT_EQ(count.size(), 10u);
  for (const auto& [to, n] : count) EXPECT_NEAR(n, 1000, 130) << to;
}

TEST(Grid, IsAsSquareAsTheNumberAllows) {
  const auto shape = [](std::uint32_t nodes) {
    const Grid grid(nodes, Grid::Edge::mesh);
    return std::pair{grid.width(), grid.height()};
  };
  EXPECT_EQ(shape(128), (std::pair{16u, 8u}));
  EXPECT_EQ(shape(64), (std::pair{8u, 8u}));
  EXPECT_EQ(shape(12), (std::pair{4u, 3u}));
  EXPECT_EQ(shape(7), (std::pair{7u, 1u}));
  EXPECT_EQ(shape(2), (std::pair{2u, 1u}));
}

TEST(Grid, NeighborShareCountsTheEdges) {
  for (const Grid::Edge edge : {Grid::Edge::mesh, Grid::Edge::torus})
    for (const std::uint32_t nodes : {2u, 3u, 4u, 6u, 7u, 8u, 12u, 27u, 64u})
      for (const Grid& grid : {Grid(nodes, edge), Grid::layered(nodes, edge)}) {
        double neighbors = 0, directions = 0;
        for (std::uint32_t d = 0; d < Grid::kDirections; ++d) {
          const std::size_t count = grid.configuration(d).count();
          neighbors += static_cast<double>(count);
          directions += count != 0 ? 1 : 0;
        }
        EXPECT_DOUBLE_EQ(grid.neighbor_share(), neighbors / (directions * nodes)) << nodes;
      }
}

TEST(Grid, IsAsCubicAsTheNumberAllows) {
  const auto shape = [](std::uint32_t nodes) {
    const Grid grid = Grid::layered(nodes, Grid::Edge::mesh);
    EXPECT_EQ(grid.width() * grid.height() * grid.depth(), nodes);
    return std::tuple{grid.width(), grid.height(), grid.depth()};
  };
  EXPECT_EQ(shape(64), (std::tuple{4u, 4u, 4u}));
  EXPECT_EQ(shape(128), (std::tuple{8u, 4u, 4u}));
  EXPECT_EQ(shape(12), (std::tuple{3u, 2u, 2u}));
  EXPECT_EQ(shape(15), (std::tuple{5u, 3u, 1u}));
  EXPECT_EQ(shape(7), (std::tuple{7u, 1u, 1u}));
}

TEST(Arrivals, AreExponential) {
  Random random(7);  // arbitrary seed; the tolerances are above 4 standard deviations
  const Time mean = nanoseconds(160);
  constexpr int kDraws = 200'000;
  double sum = 0;
  std::vector<int> past(5, 0);  // beyond 0, 1, 2, 3, 4 means
  for (int i = 0; i < kDraws; ++i) {
    const Time t = exponential(random, mean);
    ASSERT_GE(t, Time{});
    sum += t.nanoseconds();
    for (int m = 0; m < 5; ++m) past[static_cast<std::size_t>(m)] += t > mean * m;
  }
  EXPECT_NEAR(sum / kDraws, 160, 2);
  for (int m = 1; m < 5; ++m)
    EXPECT_NEAR(past[static_cast<std::size_t>(m)] / double{kDraws}, std::exp(-m), 0.005) << m;
}

}  // namespace
}  // namespace hybrid
