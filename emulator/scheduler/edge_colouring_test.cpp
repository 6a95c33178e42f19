#include "emulator/scheduler/edge_colouring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "emulator/scheduler/request_sets.h"

namespace hybrid {
namespace {

/// Returns whether `colours` is a proper colouring: every colour is below `most`, and no two edges of one
/// colour share a port.
bool proper(const std::vector<Connection>& edges, const std::vector<std::uint32_t>& colours,
            std::uint32_t most) {
  std::set<std::pair<Port, std::uint32_t>> inputs, outputs;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (colours[e] >= most || !inputs.insert({edges[e].source, colours[e]}).second ||
        !outputs.insert({edges[e].destination, colours[e]}).second)
      return false;
  return colours.size() == edges.size();
}

std::vector<Connection> random_edges(std::uint32_t ports, std::uint64_t count, Random& random) {
  std::vector<Connection> edges;
  for (const std::uint64_t i : draw_distinct(count, std::uint64_t{ports} * ports, random))
    edges.push_back({static_cast<Port>(i / ports), static_cast<Port>(i % ports)});
  return edges;
}

TEST(EdgeColouring, AsManyColoursAsTheMaximumDegree) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    const auto ports = static_cast<std::uint32_t>(1 + random.below(40));
    const std::vector<Connection> edges =
        random_edges(ports, random.below(std::uint64_t{ports} * ports + 1), random);
    std::vector<std::uint32_t> degree(2 * ports);
    for (const Connection& c : edges) {
      ++degree[c.source];
      ++degree[ports + c.destination];
    }
    const std::uint32_t most = *std::max_element(degree.begin(), degree.end());
    EXPECT_EQ(maximum_degree(edges, ports), most);
    ASSERT_TRUE(proper(edges, colour_edges(edges, ports), most)) << "seed " << seed;
  }
}

TEST(EdgeColouring, EveryDegreeOfACompleteGraph) {
  for (std::uint32_t ports = 1; ports <= 70; ++ports) {
    std::vector<Connection> edges;
    for (Port p = 0; p < ports; ++p)
      for (Port q = 0; q < ports; ++q) edges.push_back({p, q});
    ASSERT_TRUE(proper(edges, colour_edges(edges, ports), ports)) << ports;
  }
}

TEST(EdgeColouring, RegularGraphsUseEachColourEverywhere) {
  for (std::uint32_t degree = 1; degree <= 17; ++degree) {
    Random random(degree);
    constexpr std::uint32_t kPorts = 31;
    std::vector<Connection> edges;  // permutations; connections may occur twice
    for (std::uint32_t k = 0; k < degree; ++k) {
      const std::vector<Port> to = draw_derangement(kPorts, random);
      for (Port p = 0; p < kPorts; ++p) edges.push_back({p, to[p]});
    }
    shuffle_elements(edges, random);
    const std::vector<std::uint32_t> colours = colour_edges(edges, kPorts);
    ASSERT_TRUE(proper(edges, colours, degree)) << degree;
    std::vector<std::uint32_t> size(degree);
    for (const std::uint32_t c : colours) ++size[c];
    for (const std::uint32_t s : size) ASSERT_EQ(s, kPorts);
  }
}

TEST(EdgeColouring, OneBusyPortAmongMany) {
  std::vector<Connection> edges;
  for (Port q = 0; q < 1000; ++q) edges.push_back({7, q});
  for (Port p = 0; p < 1000; ++p)
    if (p != 7) edges.push_back({p, (p + 1) % 1000});
  EXPECT_TRUE(proper(edges, colour_edges(edges, 1000), 1000));
}

TEST(EdgeColouring, StarsTakeMemoryByTheirEdges) {
  constexpr std::uint32_t kPorts = 60'000;  // one cell per port and colour would be 29 GB
  std::vector<Connection> edges;
  for (Port p = 1; p < kPorts; ++p) edges.push_back({p, 0});
  for (Port p = 1; p < kPorts; ++p) edges.push_back({p, 1 + (p + 1) % (kPorts - 1)});
  EXPECT_TRUE(proper(edges, colour_edges(edges, kPorts), kPorts - 1));
}

TEST(EdgeColouring, BusyPortsAmongOthersOfEveryDegree) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const auto ports = static_cast<std::uint32_t>(20 + random.below(60));
    std::vector<Connection> edges;
    for (Port p = 0; p < ports; ++p) {
      const std::uint64_t degree = random.below(4) == 0 ? random.below(ports + 1) : random.below(6);
      for (const std::uint64_t q : draw_distinct(degree, ports, random))
        edges.push_back({p, static_cast<Port>(q)});
    }
    if (edges.empty()) continue;
    shuffle_elements(edges, random);
    ASSERT_TRUE(proper(edges, colour_edges(edges, ports), maximum_degree(edges, ports))) << "seed " << seed;
  }
}

TEST(EdgeColouring, NothingToColour) { EXPECT_TRUE(colour_edges({}, 4).empty()); }

TEST(EdgeColouring, SameGraphSameColours) {
  Random random(1);
  const std::vector<Connection> edges = random_edges(64, 900, random);
  EXPECT_EQ(colour_edges(edges, 64), colour_edges(edges, 64));
}

}  // namespace
}  // namespace hybrid
