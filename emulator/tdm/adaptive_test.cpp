// The allocation `adaptive`: its rules for given states, and its purpose: it is never much worse than the
// best of the other techniques (D 4.6, claims C5 and C6: emulator/claims).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/claims/allocation_grid.h"
#include "emulator/tdm/allocation.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

constexpr std::uint32_t kSlots = 4, kWormholeSlot = kSlots;

/// The switch of D 4.6: a slot of 20 words; a worm's 16 words pass in 180 ns, so worms carry 17.8 words a
/// slot.
SwitchParameters chapter4(Bytes buffer) {
  SwitchParameters p;
  apply_preset("ch4", p, false);
  p.buffer = buffer;
  p.allocation = "adaptive";
  return p;
}

/// State of the controller, with defaults.
struct Seen {
  std::vector<std::uint32_t> wanted_connections = std::vector<std::uint32_t>(kSlots, 0);
  std::vector<std::uint32_t> passed_over = std::vector<std::uint32_t>(kSlots + 1, 0);
  std::uint32_t wormhole_inputs = 0, previous_predictive = kSlots - 1;
  Share predictable = kWhole;
  bool foreground = true, wormhole_slot = true;

  template <class Use>
  auto with_state(Use&& use) const {
    PortSet wanted(kSlots);
    for (std::uint32_t s = 0; s < kSlots; ++s)
      if (wanted_connections[s] != 0) wanted.set(s);
    return use(CycleState{kSlots, wormhole_slot, wanted, wormhole_inputs != 0, kWormholeSlot,
                          previous_predictive, wanted, wanted_connections, passed_over, wormhole_inputs,
                          predictable, foreground, Traffic{}});
  }
};

class AdaptiveRules : public testing::Test {
 protected:
  SlotChoice choose_slot(const Seen& seen, Bytes buffer = 8192) const {
    const auto allocation = AllocationRegistration::make("adaptive", chapter4(buffer));
    return seen.with_state([&](const CycleState& state) { return allocation->choose_slot(state); });
  }
  bool foreground(Share share, bool now, Bytes buffer) const {
    Seen seen;
    seen.predictable = share;
    seen.foreground = now;
    const auto allocation = AllocationRegistration::make("adaptive", chapter4(buffer));
    return seen.with_state([&](const CycleState& state) { return allocation->foreground(state); });
  }
  static constexpr Share percent(std::int64_t n) { return kWhole * n / 100; }
};

TEST_F(AdaptiveRules, WormsGetAllTimeIfNoDataWaitsForACircuit) {
  Seen seen;
  EXPECT_EQ(choose_slot(seen).slot, kWormholeSlot);
  seen.wormhole_slot = false;
  EXPECT_EQ(choose_slot(seen).slot, kIdleSlot);
}

TEST_F(AdaptiveRules, TheSlotWithMostWaitingConnectionsIsServedAndShared) {
  Seen seen;
  seen.wanted_connections = {3, 9, 2, 9};
  EXPECT_EQ(choose_slot(seen).slot, 1U);
  EXPECT_TRUE(choose_slot(seen).shared);
  seen.previous_predictive = 1;  // of equals, the next slot after this one
  EXPECT_EQ(choose_slot(seen).slot, 3U);
}

TEST_F(AdaptiveRules, WormsGetTheSlotIfTheyCarryMore) {
  // Long queues: a circuit carries 20 words a slot, an input with worms 17.8; 9 circuits equal 10.1 inputs.
  Seen seen;
  seen.wanted_connections = {9, 0, 0, 0};
  seen.wormhole_inputs = 10;
  EXPECT_EQ(choose_slot(seen).slot, 0U);
  seen.wormhole_inputs = 11;
  EXPECT_EQ(choose_slot(seen).slot, kWormholeSlot);
  // A queue of one message holds 16 words: 9 circuits equal 8.1 inputs.
  seen.wormhole_inputs = 8;
  EXPECT_EQ(choose_slot(seen, 128).slot, 0U);
  seen.wormhole_inputs = 9;
  EXPECT_EQ(choose_slot(seen, 128).slot, kWormholeSlot);
}

TEST_F(AdaptiveRules, NoSlotIsPassedOverForEver) {
  Seen seen;
  seen.wanted_connections = {1, 0, 2, 40};
  seen.wormhole_inputs = 64;
  seen.passed_over = {35, 0, 0, 0, 0};
  EXPECT_EQ(choose_slot(seen).slot, kWormholeSlot);
  seen.passed_over[0] = 36;  // nine rounds
  EXPECT_EQ(choose_slot(seen).slot, 0U);
  seen.passed_over[kWormholeSlot] = 36;
  EXPECT_EQ(choose_slot(seen).slot, kWormholeSlot);
  seen.wanted_connections[3] = 64;  // carries more, but S_W has waited for three rounds
  seen.passed_over = {0, 0, 0, 0, 12};
  EXPECT_EQ(choose_slot(seen).slot, kWormholeSlot);
  // Short queues: one round and a half.
  seen.wanted_connections[3] = 40;
  seen.passed_over = {5, 0, 0, 0, 0};
  EXPECT_EQ(choose_slot(seen, 128).slot, kWormholeSlot);
  seen.passed_over[0] = 6;
  EXPECT_EQ(choose_slot(seen, 128).slot, 0U);
}

TEST_F(AdaptiveRules, ManyWaitingConnectionsAreServedSoonerThanFew) {
  Seen seen;
  seen.wanted_connections = {32, 0, 0, 0};
  seen.wormhole_inputs = 64;
  seen.passed_over = {23, 0, 0, 0, 0};
  EXPECT_EQ(choose_slot(seen).slot, kWormholeSlot);
  seen.passed_over[0] = 24;  // * 32 = three rounds of 4 slots * 64
  EXPECT_EQ(choose_slot(seen).slot, 0U);
}

TEST_F(AdaptiveRules, InTheBackgroundWaitingDataIsServedFirst) {
  Seen seen;
  seen.wanted_connections = {0, 1, 0, 0};
  seen.wormhole_inputs = 64;
  EXPECT_EQ(choose_slot(seen).slot, kWormholeSlot);
  seen.foreground = false;
  EXPECT_EQ(choose_slot(seen).slot, 1U);
}

TEST_F(AdaptiveRules, TheShareAndTheQueueSizeDecideOnTheBackground) {
  struct Case {
    Bytes buffer;
    std::int64_t down, up;  // percent
  };
  for (const Case& c : {Case{128, 81, 85}, Case{256, 49, 53}, Case{2048, 27, 40}, Case{kUnlimited, 27, 40}}) {
    SCOPED_TRACE(c.buffer);
    EXPECT_FALSE(foreground(percent(c.down - 1), true, c.buffer));
    EXPECT_TRUE(foreground(percent(c.down + 1), true, c.buffer));
    EXPECT_FALSE(foreground(percent(c.up - 1), false, c.buffer));
    EXPECT_TRUE(foreground(percent(c.up + 1), false, c.buffer));
  }
}

double utilisation(const std::string& pattern, double ratio, Bytes buffer, const std::string& allocation,
                   std::uint64_t seed) {
  SwitchParameters p = chapter4(buffer);
  p.technique = allocation == "wormhole" ? "wormhole" : "hybrid";
  if (allocation == "sla, ratio known") {
    p.allocation = "sla";
    p.wormhole_slot_length = known_wormhole_slot(p, ratio);
  } else if (allocation != "wormhole") {
    p.allocation = allocation;
  }
  p.seed = seed;
  TrafficOptions traffic;
  traffic.pattern = pattern;
  traffic.ratio = ratio;
  traffic.messages = 256;
  return simulate(p, traffic).utilisation;
}

/// Checks the grid of C5 ("mixed") or C6 ("phases") at the given ratios, in percent. At each point the mean
/// over the seeds may be at most 2 % below the best of the others, and on average it must be above. (Single
/// runs scatter by 1 to 3 %: with a queue of one message, the order of the first messages decides which
/// messages block others later.)
void expect_near_the_best_everywhere(const std::string& pattern, const std::vector<int>& ratios,
                                     const std::vector<std::uint64_t>& seeds) {
  double gains = 0;
  int points = 0;
  for (const Bytes buffer : {128, 2048, 8192})
    for (const int ratio : ratios) {
      const auto mean = [&](const std::string& allocation) {
        double sum = 0;
        for (const std::uint64_t seed : seeds)
          sum += utilisation(pattern, ratio / 100.0, buffer, allocation, seed);
        return sum / static_cast<double>(seeds.size());
      };
      double best = 0;
      for (const char* other : {"wormhole", "ses", "sla", "sla, ratio known", "preempt"})
        best = std::max(best, mean(other));
      const double gain = mean("adaptive") / best - 1;
      EXPECT_GE(gain, -0.02) << "buffer " << buffer << ", ratio " << ratio << " %";
      gains += gain;
      ++points;
    }
  EXPECT_GT(gains / points, 0.0);
}

class AdaptiveOnGrid : public testing::TestWithParam<const char*> {};

TEST_P(AdaptiveOnGrid, IsNowhereMuchBelowTheBestOfTheOthers) {
  // Low ratios are closest to the limit. Any seeds.
  expect_near_the_best_everywhere(GetParam(), {0, 5, 10, 20, 25, 50, 75, 100}, {1, 2, 3, 4, 5});
}

class NightlyAdaptiveOnGrid : public AdaptiveOnGrid {};

TEST_P(NightlyAdaptiveOnGrid, NightlyIsNowhereMuchBelowTheBestOfTheOthers) {
  std::vector<int> ratios;
  for (int ratio = 0; ratio <= 100; ratio += 5) ratios.push_back(ratio);
  expect_near_the_best_everywhere(GetParam(), ratios, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

INSTANTIATE_TEST_SUITE_P(Patterns, AdaptiveOnGrid, testing::Values("mixed", "phases"));
INSTANTIATE_TEST_SUITE_P(Patterns, NightlyAdaptiveOnGrid, testing::Values("mixed", "phases"));

}  // namespace
}  // namespace hybrid
