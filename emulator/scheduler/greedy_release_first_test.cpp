// `greedy-release-first`: maximal in one pass; its gain over `greedy`.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/testing/random_cases.h"
#include "emulator/scheduler/greedy.h"
#include "emulator/scheduler/testing/slots.h"

namespace hybrid {
namespace {

// The example of greedy_test.cpp: in one pass from (0, 0) `greedy` establishes neither request.
TEST(GreedyReleaseFirst, FreedPortsAreSeenEverywhere) {
  SlotState state(3);
  ASSERT_TRUE(state.hold(0, {1, 1}));
  state.requests.set(1, 0);
  state.requests.set(0, 1);
  const auto scheduler = make_one_slot_scheduler("greedy-release-first", {3});
  const auto toggles = scheduler->pass(state.pass(0));
  EXPECT_EQ(std::vector<Connection>(toggles.begin(), toggles.end()),
            (std::vector<Connection>{{1, 1}, {0, 1}, {1, 0}}));
}

TEST(GreedyReleaseFirst, EveryPassIsMaximal) {
  for (std::uint64_t seed = 1; seed <= random_cases(200); ++seed) {
    Random random(seed);
    SlotState state = random_slots(1 + random.below(90), 2, static_cast<unsigned>(random.below(30)), random);
    const auto n = static_cast<std::uint32_t>(state.ports());
    const auto scheduler = make_one_slot_scheduler("greedy-release-first", {n});
    state.toggle(0, scheduler->pass(state.pass(0, any_priority(n, random))));
    for (Port u = 0; u < n; ++u)
      for (Port v = 0; v < n; ++v)
        ASSERT_FALSE(state.requests.test(u, v) && !state.established.test(u, v) &&
                     state.slots[0].fits({u, v}))
            << "seed " << seed;
  }
}

TEST(GreedyReleaseFirst, EqualsGreedyWithoutReleases) {
  for (std::uint64_t seed = 1; seed <= random_cases(200); ++seed) {
    Random random(seed);
    SlotState state = random_slots(1 + random.below(150), 2, static_cast<unsigned>(random.below(30)), random);
    const auto n = static_cast<std::uint32_t>(state.ports());
    for (const Connection c : state.slots[0].connections()) state.requests.set(c.source, c.destination);
    const auto ours = make_one_slot_scheduler("greedy-release-first", {n});
    GreedyScheduler array({n});
    const auto in = state.pass(0, any_priority(n, random));
    const auto a = ours->pass(in), b = array.pass(in);
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << "seed " << seed;
  }
}

/// Returns the number of connections established in 3000 passes over a slot of 32 ports in steady use: before
/// each pass every connection ends with a probability of `ending` percent, and every input that requests
/// fewer than `wanted` connections requests another one.
double established_in_use(const char* name, unsigned ending, unsigned wanted, std::uint64_t seed) {
  constexpr Port kPorts = 32;
  const auto scheduler = make_one_slot_scheduler(name, {kPorts});
  Random random(seed);
  SlotState state(kPorts);
  std::vector<unsigned> requested(kPorts, 0);
  double established = 0;
  for (Port pass = 0; pass < 3000; ++pass) {
    for (Port u = 0; u < kPorts; ++u) {
      const Port held = state.slots[0].destination_of(u);
      if (held != kNoPort && random.below(100) < ending) {
        state.requests.reset(u, held);
        --requested[u];
      }
      const auto v = static_cast<Port>(random.below(kPorts));
      if (requested[u] < wanted && !state.requests.test(u, v) && held != v) {
        state.requests.set(u, v);
        ++requested[u];
      }
    }
    const auto toggles = scheduler->pass(state.pass(0, {pass % kPorts, pass % kPorts}));
    for (const Connection c : toggles) established += state.slots[0].holds(c) ? 0 : 1;
    state.toggle(0, toggles);
  }
  return established;
}

// The gains that greedy_release_first.cpp states: means of many seeds. The mean of the seeds may differ by
// four standard errors.
TEST(GreedyReleaseFirst, GainsAgainstGreedy) {
  struct Gain {
    unsigned ending, wanted;
    double mean, deviation;  // of a seed's gain
  };
  constexpr std::uint64_t kSeeds = random_cases(10);
  for (const auto& [ending, wanted, mean, deviation] :
       {Gain{10, 2, 0.030, 0.020}, Gain{50, 2, 0.150, 0.007}, Gain{100, 2, 0.322, 0.003},
        Gain{10, 8, 0.037, 0.012}, Gain{50, 8, 0.144, 0.004}, Gain{100, 8, 0.197, 0.0012}}) {
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
      sum += established_in_use("greedy-release-first", ending, wanted, seed) /
                 established_in_use("greedy", ending, wanted, seed) -
             1;
    EXPECT_NEAR(sum / static_cast<double>(kSeeds), mean,
                4 * deviation / std::sqrt(static_cast<double>(kSeeds)))
        << ending << " " << wanted;
  }
}

}  // namespace
}  // namespace hybrid
