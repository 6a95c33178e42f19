// The rules of the allocation `adaptive` for given states. Its purpose: adaptive_grid_test.cpp.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/parameters.h"
#include "emulator/tdm/allocation.h"

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

}  // namespace
}  // namespace hybrid
