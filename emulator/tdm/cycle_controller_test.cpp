#include "emulator/tdm/cycle_controller.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/random.h"

namespace hybrid {
namespace {

SwitchParameters cycle_parameters(const char* allocation, std::uint32_t slots) {
  SwitchParameters p;
  p.allocation = allocation;
  p.slots = slots;
  return p;
}

std::vector<std::uint32_t> slots_of(CycleController& controller, int count, bool wormhole_buffered) {
  std::vector<std::uint32_t> slots;
  for (int i = 0; i < count; ++i) slots.push_back(controller.begin_slot(wormhole_buffered).slot);
  return slots;
}

TEST(CycleController, CountsThroughAllSlotsAndTheWormholeSlot) {
  CycleController controller(cycle_parameters("none", 3), true);
  EXPECT_EQ(slots_of(controller, 6, false), (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(controller.boundary(), nanoseconds(600));
}

TEST(CycleController, SesServesTheOccupiedSlotsOnly) {
  // D figure 4.5: slots 0 and 1 hold connections, 2 and 3 do not.
  CycleController controller(cycle_parameters("ses", 4), false);
  controller.set_connections(0, 5);
  controller.set_connections(1, 5);
  EXPECT_EQ(slots_of(controller, 5, false), (std::vector<std::uint32_t>{0, 1, 0, 1, 0}));
}

TEST(CycleController, SesServesTheWormholeSlotOnlyIfWormsAreBuffered) {
  CycleController controller(cycle_parameters("ses", 70), true);
  controller.set_connections(2, 1);
  controller.set_connections(69, 1);
  EXPECT_EQ(slots_of(controller, 5, true), (std::vector<std::uint32_t>{2, 69, 70, 2, 69}));
  EXPECT_EQ(slots_of(controller, 3, false), (std::vector<std::uint32_t>{2, 69, 2}));
  controller.set_connections(2, 0);
  controller.set_connections(69, 0);
  EXPECT_EQ(slots_of(controller, 2, true), (std::vector<std::uint32_t>{70, 70}));
  EXPECT_EQ(slots_of(controller, 2, false), (std::vector<std::uint32_t>{kIdleSlot, kIdleSlot}));
}

TEST(CycleController, ReconfiguresIfSlotOrContentChanges) {
  CycleController controller(cycle_parameters("ses", 2), false);
  controller.set_connections(0, 1);
  EXPECT_TRUE(controller.begin_slot(false).reconfigures);
  EXPECT_FALSE(controller.begin_slot(false).reconfigures);
  controller.set_connections(0, 2);
  EXPECT_TRUE(controller.begin_slot(false).reconfigures);
  controller.set_connections(1, 1);
  EXPECT_TRUE(controller.begin_slot(false).reconfigures);
  EXPECT_TRUE(controller.begin_slot(false).reconfigures);
}

TEST(CycleController, SkippingEqualsStepping) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto slots = static_cast<std::uint32_t>(1 + random.below(6));
    const bool wormhole = random.below(2) == 0;
    static constexpr const char* kAllocations[] = {"none", "ses", "sla"};
    SwitchParameters p = cycle_parameters(kAllocations[random.below(3)], slots);
    p.sla_shares_time = true;
    p.guard = p.reconfiguration = nanoseconds(17);
    CycleController skipping(p, wormhole), stepping(p, wormhole);
    for (int change = 0; change < 6; ++change) {
      const auto slot = static_cast<std::uint32_t>(random.below(slots));
      const std::size_t connections = random.below(3);
      for (CycleController* const controller : {&skipping, &stepping}) {
        controller->set_connections(slot, connections);
        controller->set_waiting_connections(slot, connections);
        controller->add_offered_traffic({1000, 1000});
        controller->set_worm_efficiency({1, 2});
      }
      const Time limit = skipping.boundary() + nanoseconds(static_cast<std::int64_t>(random.below(5000)));
      skipping.skip_to(limit);
      while (stepping.boundary() < limit) stepping.begin_slot(false);
      ASSERT_EQ(skipping.boundary(), stepping.boundary());
      ASSERT_EQ(skipping.slots_begun(), stepping.slots_begun());
      ASSERT_EQ(skipping.grants(), stepping.grants());
      const bool worms = random.below(2) == 0;
      const auto a = skipping.begin_slot(worms), b = stepping.begin_slot(worms);
      ASSERT_EQ(a.slot, b.slot) << "seed " << seed;
      ASSERT_EQ(a.end, b.end) << "seed " << seed;  // by the measured efficiency
      ASSERT_EQ(a.reconfigures, b.reconfigures);
    }
  }
}

}  // namespace
}  // namespace hybrid
