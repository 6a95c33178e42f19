#include "emulator/scheduler/greedy_release_first.h"

#include <gtest/gtest.h>

#include <vector>

#include "emulator/scheduler/greedy.h"
#include "emulator/scheduler/slots_for_test.h"

namespace hybrid {
namespace {

// greedy_test.cpp's example: greedy sees neither wish in one pass from (0, 0).
TEST(GreedyReleaseFirst, FreedPortsAreSeenEverywhere) {
  SlotsForTest state(3);
  ASSERT_TRUE(state.hold(0, {1, 1}));
  state.requests.set(1, 0);
  state.requests.set(0, 1);
  GreedyReleaseFirst scheduler({3});
  const auto toggles = scheduler.pass(state.pass(0));
  EXPECT_EQ(std::vector<Connection>(toggles.begin(), toggles.end()),
            (std::vector<Connection>{{1, 1}, {0, 1}, {1, 0}}));
}

TEST(GreedyReleaseFirst, EveryPassIsMaximal) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    SlotsForTest state =
        random_slots(1 + random.below(90), 2, static_cast<unsigned>(random.below(30)), random);
    const auto n = static_cast<std::uint32_t>(state.ports());
    GreedyReleaseFirst scheduler({n});
    state.toggle(0, scheduler.pass(state.pass(0, any_priority(n, random))));
    for (Port u = 0; u < n; ++u)
      for (Port v = 0; v < n; ++v)
        ASSERT_FALSE(state.requests.test(u, v) && !state.established.test(u, v) &&
                     state.slots[0].fits({u, v}))
            << "seed " << seed;
  }
}

TEST(GreedyReleaseFirst, EqualsGreedyWhereNothingIsReleased) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    SlotsForTest state =
        random_slots(1 + random.below(150), 2, static_cast<unsigned>(random.below(30)), random);
    const auto n = static_cast<std::uint32_t>(state.ports());
    for (const Connection c : state.slots[0].connections()) state.requests.set(c.source, c.destination);
    GreedyReleaseFirst ours({n});
    GreedyScheduler array({n});
    const auto in = state.pass(0, any_priority(n, random));
    const auto a = ours.pass(in), b = array.pass(in);
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << "seed " << seed;
  }
}

/// A slot in steady use, 32 ports: before each pass every connection ends with a probability of `ending`
/// percent, and every input that asks for fewer than `wanted` connections asks for another one. How many are
/// established in 3000 passes.
double established_in_use(Scheduler& scheduler, unsigned ending, unsigned wanted) {
  constexpr Port kPorts = 32;
  Random random(11);
  SlotsForTest state(kPorts);
  std::vector<unsigned> asked(kPorts, 0);
  double established = 0;
  for (Port pass = 0; pass < 3000; ++pass) {
    for (Port u = 0; u < kPorts; ++u) {
      const Port held = state.slots[0].destination_of(u);
      if (held != kNoPort && random.below(100) < ending) {
        state.requests.reset(u, held);
        --asked[u];
      }
      const auto v = static_cast<Port>(random.below(kPorts));
      if (asked[u] < wanted && !state.requests.test(u, v) && held != v) {
        state.requests.set(u, v);
        ++asked[u];
      }
    }
    const auto toggles = scheduler.pass(state.pass(0, {pass % kPorts, pass % kPorts}));
    for (const Connection c : toggles) established += state.slots[0].holds(c) ? 0 : 1;
    state.toggle(0, toggles);
  }
  return established;
}

// What the header says.
TEST(GreedyReleaseFirst, GainsAgainstGreedy) {
  struct Gain {
    unsigned ending, wanted;
    double gain;
  };
  for (const auto& [ending, wanted, gain] : {Gain{10, 2, 0.060}, Gain{50, 2, 0.150}, Gain{100, 2, 0.323},
                                             Gain{10, 8, 0.045}, Gain{50, 8, 0.144}, Gain{100, 8, 0.197}}) {
    GreedyScheduler array({32});
    GreedyReleaseFirst ours({32});
    const double before = established_in_use(array, ending, wanted);
    EXPECT_NEAR(established_in_use(ours, ending, wanted) / before - 1, gain, 0.001)
        << ending << " " << wanted;
  }
}

}  // namespace
}  // namespace hybrid
