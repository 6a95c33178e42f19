#include "emulator/scheduler/matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "emulator/scheduler/testing/slots.h"

namespace hybrid {
namespace {

using Row = std::vector<bool>;
using Matrix = std::vector<Row>;

Matrix zero(std::size_t n) { return Matrix(n, Row(n, false)); }

Row columnwise_or(const Matrix& m) {
  Row any(m.size(), false);
  for (const Row& row : m)
    for (std::size_t v = 0; v < m.size(); ++v) any[v] = any[v] || row[v];
  return any;
}

/// XMask * M: the rows of M that the mask enables.
Matrix filter(const Row& mask, const Matrix& m) {
  Matrix f = zero(m.size());
  for (std::size_t u = 0; u < m.size(); ++u)
    if (mask[u]) f[u] = m[u];
  return f;
}

std::size_t select_one(const Row& mask) {
  return static_cast<std::size_t>(std::find(mask.begin(), mask.end(), true) - mask.begin());
}

/// Figures 6.6, 6.7 and 6.5, written from the text alone: every matrix F[i] is stored, and masks include
/// vertices of earlier masks. Improves the schedule G by one connection; returns false if there is no path of
/// K edges.
bool search_as_printed(const Matrix& requests, Matrix& g, std::size_t k) {
  const std::size_t n = g.size();
  Matrix unsaturated_x = zero(n), saturated_y = zero(n);
  Row unsaturated_x_vertices(n, true), unsaturated_y_vertices(n, true);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v) {
      unsaturated_x[u][v] = requests[u][v] && !g[u][v];
      saturated_y[v][u] = g[u][v];
      if (g[u][v]) unsaturated_x_vertices[u] = unsaturated_y_vertices[v] = false;
    }
  std::vector<Row> x_mask(k + 4);
  std::vector<Matrix> f(k + 4);
  x_mask[1] = unsaturated_x_vertices;
  for (std::size_t i = 1; i <= k; i += 2) {
    f[i] = filter(x_mask[i], unsaturated_x);
    x_mask[i + 1] = columnwise_or(f[i]);
    Row ends = x_mask[i + 1];
    for (std::size_t v = 0; v < n; ++v) ends[v] = ends[v] && unsaturated_y_vertices[v];
    if (select_one(ends) < n) {
      std::size_t vertex = select_one(ends);  // YMask's one bit
      std::vector<std::size_t> path{vertex};
      for (std::size_t s = i; s >= 1; --s) {
        Row column(n, false);
        for (std::size_t w = 0; w < n; ++w) column[w] = f[s][w][vertex];
        vertex = select_one(column);
        path.push_back(vertex);
      }
      // y, x, y', x', ...: (x, y) is added, (x, y') removed.
      for (std::size_t p = 0; p + 1 < path.size(); ++p) {
        const std::size_t x = p % 2 == 0 ? path[p + 1] : path[p], y = p % 2 == 0 ? path[p] : path[p + 1];
        g[x][y] = !g[x][y];
      }
      return true;
    }
    f[i + 1] = filter(x_mask[i + 1], saturated_y);
    x_mask[i + 2] = columnwise_or(f[i + 1]);
  }
  return false;
}

Matrix schedule_of(Scheduler& scheduler, const SlotState& state, SchedulingPriority priority) {
  Matrix g = zero(state.ports());
  for (const Connection c : scheduler.pass(state.pass(0, priority))) g[c.source][c.destination] = true;
  return g;
}

std::size_t size_of(const Matrix& g) {
  std::size_t size = 0;
  for (const Row& row : g) size += static_cast<std::size_t>(std::count(row.begin(), row.end(), true));
  return size;
}

/// An empty slot with load x N random requests.
SlotState requests_of_load(std::size_t n, double load, Random& random) {
  SlotState state(n);
  for (auto i = static_cast<std::size_t>(load * static_cast<double>(n)); i > 0; --i)
    state.requests.set(random.below(n), random.below(n));
  return state;
}

// Figures 6.1 to 6.5, numbered from 0: only x4 and y4 are unsaturated; x4 requests y3 and y5, which x5 and x3
// hold; x5 also requests y4. The path is x4 -> y3 -> x5 -> y4. The greedy wave that begins at x5 and y3 gives
// the schedule of the figure.
TEST(MatchingScheduler, FindsThePathOfFigure62) {
  SlotState state(6);
  for (const Connection c :
       {Connection{1, 1}, {2, 2}, {3, 5}, {3, 2}, {4, 3}, {4, 5}, {5, 3}, {5, 4}, {5, 5}})
    state.requests.set(c.source, c.destination);
  GreedyScheduler greedy({6});
  Matrix figure = zero(6);
  figure[1][1] = figure[2][2] = figure[3][5] = figure[5][3] = true;
  ASSERT_EQ(schedule_of(greedy, state, {5, 3}), figure);
  for (const std::uint32_t k : {3u, 4u, 9u, 11u}) {
    MatchingScheduler matching({6, 1, k});
    Matrix better = figure;
    better[5][3] = false;
    better[5][4] = better[4][3] = true;
    EXPECT_EQ(schedule_of(matching, state, {5, 3}), better) << "K = " << k;
    EXPECT_EQ(matching.searches(), 2u);
  }
  for (const std::uint32_t k : {1u, 2u}) {
    MatchingScheduler matching({6, 1, k});
    EXPECT_EQ(schedule_of(matching, state, {5, 3}), figure) << "K = " << k;
  }
}

TEST(MatchingScheduler, EqualsThePrintedAlgorithm) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    const std::size_t n = 1 + random.below(seed % 10 == 0 ? 70 : 20);
    const SlotState state = requests_of_load(n, 0.25 * static_cast<double>(1 + random.below(12)), random);
    const auto k = static_cast<std::uint32_t>(1 + random.below(2 * n + 2));
    const auto priority = any_priority(n, random);
    Matrix requests = zero(n);
    for (Port u = 0; u < n; ++u)
      for (Port v = 0; v < n; ++v) requests[u][v] = state.requests.test(u, v);
    GreedyScheduler greedy({static_cast<std::uint32_t>(n)});
    Matrix g = schedule_of(greedy, state, priority);
    while (search_as_printed(requests, g, k)) {
    }
    MatchingScheduler matching({static_cast<std::uint32_t>(n), 1, k});
    ASSERT_EQ(schedule_of(matching, state, priority), g) << "seed " << seed << " K = " << k;
  }
}

// The state of the slot is random: some connections stay, others are released.
TEST(MatchingScheduler, OneStepIsTheGreedyScheduleToggleForToggle) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const SlotState state =
        random_slots(1 + random.below(140), 2, static_cast<unsigned>(random.below(30)), random);
    const auto n = static_cast<std::uint32_t>(state.ports());
    MatchingScheduler matching({n, 1, 1});
    GreedyScheduler greedy({n});
    const auto in = state.pass(0, any_priority(n, random));
    const auto a = matching.pass(in), b = greedy.pass(in);
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << "seed " << seed;
  }
}

TEST(MatchingScheduler, MoreStepsEstablishMoreAndTwoNMinusOneAreExact) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Random random(seed);
    const SlotState state =
        random_slots(2 + random.below(60), 1, static_cast<unsigned>(random.below(12)), random);
    const auto n = static_cast<std::uint32_t>(state.ports());
    const auto priority = any_priority(n, random);
    const auto established = [&](Scheduler& scheduler) {
      std::size_t count = 0;
      for (const Connection c : scheduler.pass(state.pass(0, priority)))
        count += state.slots[0].holds(c) ? 0 : 1;
      return count;
    };
    const std::size_t most = established(*make_one_slot_scheduler("exact", {n}));
    std::size_t before = 0;
    for (std::uint32_t k = 1; k <= 2 * n - 1; k += 2) {
      MatchingScheduler matching({n, 1, k});
      const std::size_t now = established(matching);
      ASSERT_GE(now, before) << "seed " << seed << " K = " << k;
      if (k >= 3) {
        ASSERT_GE(now * (k + 3), most * (k + 1)) << "seed " << seed << " K = " << k;
      }
      before = now;
    }
    ASSERT_EQ(before, most) << "seed " << seed;
  }
}

// One alternating path of 2N - 1 edges: shorter searches find nothing.
TEST(MatchingScheduler, TheLongestPathNeedsAllSteps) {
  for (const std::uint32_t n : {2u, 5u, 64u, 70u}) {
    SlotState state(n);
    for (Port u = 0; u < n; ++u) {
      state.requests.set(u, u);
      if (u > 0) state.requests.set(u, u - 1);  // the wave takes these since row 0 comes last
    }
    for (const auto& [k, expected] : {std::pair{2 * n - 3, n - 1}, {2 * n - 1, n}, {8 * n, n}}) {
      MatchingScheduler matching({n, 1, k});
      EXPECT_EQ(size_of(schedule_of(matching, state, {1, 0})), expected) << n << " ports, K = " << k;
    }
  }
}

TEST(MatchingScheduler, NineStepsByDefault) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const SlotState state = requests_of_load(64, 2, random);
    MatchingScheduler by_default({64}), nine({64, 1, 9});
    ASSERT_EQ(schedule_of(by_default, state, {}), schedule_of(nine, state, {}));
  }
}

// A connection in use is not moved, although two others could replace it.
TEST(MatchingScheduler, RequestedConnectionsOfTheSlotStay) {
  SlotState state(2);
  ASSERT_TRUE(state.hold(0, {0, 0}));
  for (const Connection c : {Connection{0, 0}, {0, 1}, {1, 0}}) state.requests.set(c.source, c.destination);
  MatchingScheduler matching({2});
  EXPECT_TRUE(matching.pass(state.pass(0)).empty());
}

}  // namespace
}  // namespace hybrid
