// Published properties of the matchings of packet switches: iSLIP, PIM, the wrapped wave front arbiter.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "emulator/scheduler/bit_transpose.h"
#include "emulator/scheduler/request_grant_accept.h"
#include "emulator/scheduler/testing/slots.h"

namespace hybrid {
namespace {

/// Every connection is requested.
SlotState full_load(std::size_t n) { return hard_slots(n)[1]; }

std::vector<Connection> granted(Scheduler& scheduler, const SlotState& state, SchedulingPriority priority) {
  const auto toggles = scheduler.pass(state.pass(0, priority));
  return {toggles.begin(), toggles.end()};
}

TEST(BitTranspose, TurnsRowsIntoColumns) {
  Random random(1);
  for (const std::size_t rows : {1, 63, 64, 65, 130})
    for (const std::size_t columns : {1, 64, 100, 129}) {
      BitMatrix matrix(rows, columns), transposed(columns, rows);
      for (Word& word : transposed.row(0)) word = ~Word{0} >> 63;  // to be overwritten
      for (std::size_t i = 0; i < rows * columns / 3; ++i)
        matrix.set(random.below(rows), random.below(columns));
      transpose(matrix, transposed);
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) ASSERT_EQ(transposed.test(c, r), matrix.test(r, c));
      ASSERT_EQ(transposed.count(), matrix.count());
    }
}

// All pointers start at 0: outputs 0 and 1 grant input 0, which accepts output 0. Only the pointers of that
// match move. In the next pass output 0 begins at input 1, output 1 still at input 0, and all are matched.
TEST(Islip, PointersMoveWithAcceptedGrantsOnly) {
  SlotState state(4);
  for (const Connection c : {Connection{0, 0}, {0, 1}, {1, 0}, {1, 1}})
    state.requests.set(c.source, c.destination);
  const auto islip = make_one_slot_scheduler("islip", {4, 1, 1});
  EXPECT_EQ(granted(*islip, state, {}), (std::vector<Connection>{{0, 0}}));
  EXPECT_EQ(granted(*islip, state, {}), (std::vector<Connection>{{0, 1}, {1, 0}}));
  EXPECT_EQ(granted(*islip, state, {}), (std::vector<Connection>{{0, 0}, {1, 1}}));
}

// McKeown 1999, section III: under full load the pointers of the outputs diverge. After N passes every pass
// matches all ports, and each connection is matched once in N passes.
TEST(Islip, DesynchronisesUnderFullLoad) {
  for (const std::uint32_t n : {4u, 16u, 70u}) {
    const SlotState state = full_load(n);
    const auto islip = make_one_slot_scheduler("islip", {n, 1, 1});
    for (std::uint32_t pass = 0; pass < n; ++pass) granted(*islip, state, {});
    BitMatrix served(n, n);
    for (std::uint32_t pass = 0; pass < n; ++pass) {
      const auto connections = granted(*islip, state, {});
      ASSERT_EQ(connections.size(), n);
      for (const Connection c : connections) served.set(c.source, c.destination);
    }
    EXPECT_EQ(served.count(), std::size_t{n} * n);
  }
}

TEST(Islip, EachIterationMatchesRemainingPorts) {
  const SlotState state = full_load(16);
  for (const std::uint32_t iterations : {1u, 2u, 5u, 16u}) {
    const auto islip = make_one_slot_scheduler("islip", {16, 1, iterations});
    EXPECT_EQ(granted(*islip, state, {}).size(), iterations) << "all pointers are at the same port at first";
  }
  EXPECT_EQ(iterations_of({16}), 4u);
  EXPECT_EQ(iterations_of({17}), 5u);
  EXPECT_EQ(iterations_of({1}), 1u);
}

// Anderson et al. 1993: one iteration under full load matches 1 - (1 - 1/N)^N of the ports, about 1 - 1/e.
TEST(Pim, OneIterationMatchesSixtyThreePercent) {
  constexpr std::uint32_t kPorts = 64;
  const SlotState state = full_load(kPorts);
  const auto pim = make_one_slot_scheduler("pim", {kPorts, 1, 1});
  double matched = 0;
  constexpr int kPasses = 2000;
  for (int pass = 0; pass < kPasses; ++pass) matched += static_cast<double>(granted(*pim, state, {}).size());
  EXPECT_NEAR(matched / kPasses / kPorts, 1 - std::pow(1 - 1.0 / kPorts, kPorts), 0.003);
}

TEST(Pim, DrawsAllConnectionsEquallyOftenAndDependsOnTheSeedOnly) {
  constexpr std::uint32_t kPorts = 5;
  const SlotState state = full_load(kPorts);
  // Seeds 1, 1 and 2.
  const auto pim = make_one_slot_scheduler("pim", {kPorts, 1, 1}),
             same = make_one_slot_scheduler("pim", {kPorts, 1, 1}),
             other = make_one_slot_scheduler("pim", {kPorts, 2, 1});
  std::vector<int> times(kPorts * kPorts, 0);
  int total = 0, differs = 0;
  for (int pass = 0; pass < 5000; ++pass) {
    const auto connections = granted(*pim, state, {});
    ASSERT_EQ(connections, granted(*same, state, {}));
    differs += connections == granted(*other, state, {}) ? 0 : 1;
    for (const Connection c : connections) ++times[c.source * kPorts + c.destination];
    total += static_cast<int>(connections.size());
  }
  EXPECT_GT(differs, 4000);
  for (const int n : times) EXPECT_NEAR(static_cast<double>(n) * kPorts * kPorts / total, 1, 0.1);
}

/// Whether no further request fits into the slot next to the granted connections.
bool is_maximal(const SlotState& state, const std::vector<Connection>& connections) {
  Configuration slot(state.ports());
  for (const Connection c : connections) slot.add(c);
  for (Port u = 0; u < state.ports(); ++u)
    for (Port v = 0; v < state.ports(); ++v)
      if (state.requests.test(u, v) && slot.fits({u, v})) return false;
  return true;
}

TEST(Wavefront, IsMaximalAndBeginsWithTheDiagonalOfThePriority) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const std::size_t n = 1 + random.below(140);
    SlotState state(n);
    for (std::uint64_t i = random.below(3 * n + 1); i > 0; --i)
      state.requests.set(random.below(n), random.below(n));
    const auto wavefront = make_one_slot_scheduler("wavefront", {static_cast<std::uint32_t>(n)});
    const auto a = static_cast<Port>(random.below(n));
    const auto connections = granted(*wavefront, state, {a, 0});
    EXPECT_TRUE(is_maximal(state, connections)) << "seed " << seed;
    Configuration slot(n);
    for (const Connection c : connections) slot.add(c);
    for (Port u = 0; u < n; ++u) {
      const auto v = static_cast<Port>((a + n - u) % n);
      ASSERT_EQ(slot.holds({u, v}), state.requests.test(u, v)) << "seed " << seed;
    }
  }
}

/// The arbiter cell by cell, as its description states.
std::vector<Connection> schedule_cell_by_cell(const SlotState& state, std::size_t first) {
  const std::size_t n = state.ports();
  std::vector<bool> row(n, false), column(n, false);
  std::vector<Connection> connections;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t u = 0; u < n; ++u) {
      const std::size_t v = (first + i + n - u) % n;
      if (!state.requests.test(u, v) || row[u] || column[v]) continue;
      row[u] = column[v] = true;
      connections.push_back({static_cast<Port>(u), static_cast<Port>(v)});
    }
  return connections;
}

TEST(Wavefront, EqualsTheArrayOfCells) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const std::size_t n = 1 + random.below(140);
    SlotState state(n);
    for (std::uint64_t i = random.below(5 * n + 1); i > 0; --i)
      state.requests.set(random.below(n), random.below(n));
    const auto wavefront = make_one_slot_scheduler("wavefront", {static_cast<std::uint32_t>(n)});
    for (int pass = 0; pass < 2; ++pass) {
      const auto a = static_cast<Port>(random.below(n));
      ASSERT_EQ(granted(*wavefront, state, {a, 0}), schedule_cell_by_cell(state, a)) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace hybrid
