#include "emulator/scheduler/weighted_matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "emulator/scheduler/request_sets.h"

namespace hybrid {
namespace {

struct Problem {
  std::uint32_t ports = 0, capacity = 1;
  std::vector<Connection> edges;
  std::vector<std::int64_t> weights;
};

Problem random_problem(std::uint32_t most_ports, std::uint64_t most_edges, std::uint64_t most_weight,
                       Random& random) {
  Problem p;
  p.ports = static_cast<std::uint32_t>(1 + random.below(most_ports));
  p.capacity = static_cast<std::uint32_t>(1 + random.below(4));
  const std::uint64_t all = std::uint64_t{p.ports} * p.ports;
  for (const std::uint64_t i : draw_distinct(random.below(std::min(all, most_edges) + 1), all, random)) {
    p.edges.push_back({static_cast<Port>(i / p.ports), static_cast<Port>(i % p.ports)});
    p.weights.push_back(static_cast<std::int64_t>(random.below(most_weight + 1)));
  }
  return p;
}

/// Returns the largest total weight, by trying all subsets.
std::int64_t best_by_trying(const Problem& p) {
  std::int64_t best = 0;
  for (std::uint32_t subset = 0; subset < std::uint32_t{1} << p.edges.size(); ++subset) {
    std::vector<std::uint32_t> out(p.ports), in(p.ports);
    std::int64_t total = 0;
    bool fits = true;
    for (std::size_t e = 0; e < p.edges.size(); ++e)
      if ((subset >> e & 1) != 0) {
        fits = fits && ++out[p.edges[e].source] <= p.capacity && ++in[p.edges[e].destination] <= p.capacity;
        total += p.weights[e];
      }
    if (fits) best = std::max(best, total);
  }
  return best;
}

/// Checks that the chosen connections fit and that their weights add up to `total`.
void expect_valid(const Problem& p, const WeightedMatching& matching, std::int64_t total) {
  std::vector<std::uint32_t> out(p.ports), in(p.ports);
  std::int64_t sum = 0;
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    if (!matching.chosen(e)) continue;
    sum += p.weights[e];
    EXPECT_LE(++out[p.edges[e].source], p.capacity);
    EXPECT_LE(++in[p.edges[e].destination], p.capacity);
  }
  EXPECT_EQ(sum, total);
}

/// Returns whether an exchange of connections increases the weight: a cycle of positive gain in the residual
/// graph, whose vertices are the ports and one for "no connection" (Bellman-Ford).
bool can_gain(const Problem& p, const WeightedMatching& matching) {
  struct Move {
    std::size_t from, to;
    std::int64_t gain;
  };
  const std::size_t nothing = 2 * std::size_t{p.ports};
  std::vector<Move> moves;
  std::vector<std::uint32_t> used(2 * std::size_t{p.ports});
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    const std::size_t input = p.edges[e].source, output = p.ports + p.edges[e].destination;
    if (matching.chosen(e)) {
      moves.push_back({output, input, -p.weights[e]});
      ++used[input];
      ++used[output];
    } else {
      moves.push_back({input, output, p.weights[e]});
    }
  }
  for (std::size_t v = 0; v < nothing; ++v) {
    const bool is_input = v < p.ports;
    // An input with free capacity may gain a connection; an input in use may lose one. For outputs in the
    // other direction.
    if (used[v] < p.capacity) moves.push_back({is_input ? nothing : v, is_input ? v : nothing, 0});
    if (used[v] > 0) moves.push_back({is_input ? v : nothing, is_input ? nothing : v, 0});
  }
  std::vector<std::int64_t> best(nothing + 1);
  for (std::size_t round = 0; round <= nothing + 1; ++round) {
    bool changed = false;
    for (const Move& m : moves)
      if (best[m.from] + m.gain > best[m.to]) {
        best[m.to] = best[m.from] + m.gain;
        changed = true;
      }
    if (!changed) return false;
  }
  return true;
}

TEST(WeightedMatching, BestOfAllSubsets) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    const Problem p = random_problem(5, 12, seed % 2 == 0 ? 3 : 1000, random);
    WeightedMatching matching(p.edges, p.ports, p.capacity);
    const std::int64_t total = matching.solve(p.weights);
    expect_valid(p, matching, total);
    ASSERT_EQ(total, best_by_trying(p)) << "seed " << seed;
  }
}

TEST(WeightedMatching, NoExchangeGains) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    // Few different weights: many ties, on which a simplex without strongly feasible trees may cycle.
    const Problem p = random_problem(40, 900, seed % 3 == 0 ? 1 : seed % 3 == 1 ? 5 : 1'000'000'000, random);
    WeightedMatching matching(p.edges, p.ports, p.capacity);
    expect_valid(p, matching, matching.solve(p.weights));
    ASSERT_FALSE(can_gain(p, matching)) << "seed " << seed;
  }
}

TEST(WeightedMatching, LeavesOutTwoLightConnectionsForAHeavierOne) {
  // 0 -> 0 with 5 alone, or 0 -> 1 and 1 -> 0 with 2 each.
  const std::vector<Connection> edges{{0, 0}, {0, 1}, {1, 0}};
  WeightedMatching matching(edges, 2, 1);
  EXPECT_EQ(matching.solve(std::vector<std::int64_t>{5, 2, 2}), 5);
  EXPECT_TRUE(matching.chosen(0));
  EXPECT_EQ(matching.solve(std::vector<std::int64_t>{5, 3, 3}), 6);
  EXPECT_FALSE(matching.chosen(0));
}

TEST(WeightedMatching, AcceptsTheLargestWeights) {
  const std::vector<Connection> edges{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  WeightedMatching matching(edges, 2, 1);
  const std::int64_t most = matching.largest_weight();
  EXPECT_EQ(matching.solve(std::vector<std::int64_t>{most, most, most - 1, most}), 2 * most);
}

}  // namespace
}  // namespace hybrid
