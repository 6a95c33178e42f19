// Boost.Graph uses std::stable_sort, in which clang reports a construct that is deprecated since C++17.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "emulator/scheduler/maximum_matching.h"

#include <gtest/gtest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/max_cardinality_matching.hpp>
#include <cstdint>
#include <vector>

#include "emulator/scheduler/testing/slots.h"

namespace hybrid {
namespace {

std::size_t maximum_by_boost(const BitMatrix& edges) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  const std::size_t n = edges.rows();
  Graph graph(2 * n);
  for (std::size_t u = 0; u < n; ++u)
    for_each_port(edges.row(u), [&](Port v) { boost::add_edge(u, n + v, graph); });
  std::vector<boost::graph_traits<Graph>::vertex_descriptor> mate(2 * n);
  boost::edmonds_maximum_cardinality_matching(graph, mate.data());
  return boost::matching_size(graph, mate.data());
}

PortSet inputs_of(const BitMatrix& edges) {
  PortSet inputs(edges.rows());
  for (std::size_t u = 0; u < edges.rows(); ++u) for_each_port(edges.row(u), [&](Port) { inputs.set(u); });
  return inputs;
}

/// Fails unless `m` is a matching of `edges` of size `expected`.
void check_matching(const MaximumMatching& m, const BitMatrix& edges, std::size_t expected) {
  std::size_t matched = 0;
  for (Port u = 0; u < edges.rows(); ++u) {
    const Port v = m.output_of(u);
    if (v == kNoPort) continue;
    ASSERT_LT(v, edges.columns());
    ASSERT_TRUE(edges.test(u, v));
    ASSERT_EQ(m.input_of(v), u);
    ++matched;
  }
  ASSERT_EQ(matched, expected);
  ASSERT_EQ(m.size(), expected);
}

BitMatrix random_matrix(std::size_t n, std::uint64_t edges, Random& random) {
  BitMatrix m(n, n);
  for (; edges > 0; --edges) m.set(random.below(n), random.below(n));
  return m;
}

TEST(MaximumMatching, HasTheSizeOfBoostsMatchingOnRandomSets) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const std::size_t n = 1 + random.below(seed % 10 == 0 ? 200 : 40);
    const BitMatrix edges = random_matrix(n, random.below(4 * n + 1), random);
    MaximumMatching m(static_cast<std::uint32_t>(n));
    m.improve(edges, inputs_of(edges));
    ASSERT_NO_FATAL_FAILURE(check_matching(m, edges, maximum_by_boost(edges))) << "seed " << seed;
  }
}

TEST(MaximumMatching, HasTheSizeOfBoostsMatchingOnHardSets) {
  for (const std::size_t n : {1, 2, 3, 7, 63, 64, 65, 130})
    for (const SlotState& state : hard_slots(n)) {
      const BitMatrix& edges = state.requests;
      MaximumMatching m(static_cast<std::uint32_t>(n));
      m.improve(edges, inputs_of(edges));
      ASSERT_NO_FATAL_FAILURE(check_matching(m, edges, maximum_by_boost(edges))) << n;
    }
}

TEST(MaximumMatching, ImprovesAnInitialMatchingAndLeavesNoPortUnmatched) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const std::size_t n = 1 + random.below(90);
    const BitMatrix edges = random_matrix(n, random.below(4 * n + 1), random);
    MaximumMatching m(static_cast<std::uint32_t>(n));
    std::vector<Connection> start;
    for (Port u = 0; u < n; ++u)
      for_each_port(edges.row(u), [&](Port v) {
        if (m.output_of(u) != kNoPort || m.input_of(v) != kNoPort || random.below(3) == 0) return;
        m.match({u, v});
        start.push_back({u, v});
      });
    m.improve(edges, inputs_of(edges));
    ASSERT_NO_FATAL_FAILURE(check_matching(m, edges, maximum_by_boost(edges))) << "seed " << seed;
    for (const Connection c : start) {
      ASSERT_NE(m.output_of(c.source), kNoPort);
      ASSERT_NE(m.input_of(c.destination), kNoPort);
    }
  }
}

TEST(MaximumMatching, ClearRemovesTheLastMatching) {
  MaximumMatching m(70);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const BitMatrix edges = random_matrix(70, random.below(300), random);
    m.clear();
    m.improve(edges, inputs_of(edges));
    ASSERT_NO_FATAL_FAILURE(check_matching(m, edges, maximum_by_boost(edges))) << "seed " << seed;
  }
}

// The scheduler `exact`: in addition to connections that stay, after releases.
TEST(ExactScheduler, EstablishesTheMaximum) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    SlotState state = random_slots(1 + random.below(80), 2, static_cast<unsigned>(random.below(20)), random);
    const auto n = static_cast<std::uint32_t>(state.ports());
    std::vector<bool> busy_input(n, false), busy_output(n, false);
    for (const Connection c : state.slots[0].connections())
      if (state.requests.test(c.source, c.destination))
        busy_input[c.source] = busy_output[c.destination] = true;
    BitMatrix edges(n, n);
    for (Port u = 0; u < n; ++u)
      for (Port v = 0; v < n; ++v)
        if (state.requests.test(u, v) && !state.established.test(u, v) && !busy_input[u] && !busy_output[v])
          edges.set(u, v);
    std::size_t established = 0;
    const auto scheduler = make_one_slot_scheduler("exact", {n});
    for (const Connection c : scheduler->pass(state.pass(0, any_priority(n, random))))
      if (!state.slots[0].holds(c)) ++established;
    ASSERT_EQ(established, maximum_by_boost(edges)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace hybrid
