// The length of S_W of the allocation `sla` (D 4.4), for given states.
#include "emulator/tdm/allocation.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace hybrid {
namespace {

constexpr std::uint32_t kCycleSlots = 4;

class SlaLengths : public testing::Test {
 protected:
  /// Slots of 200 ns. The first `occupied` slots hold connections and have passed; worms wait.
  SlotChoice after_the_last(std::uint32_t occupied, Traffic traffic) const {
    SwitchParameters p;
    p.allocation = "sla";
    p.slots = kCycleSlots;
    p.slot_length = nanoseconds(200);
    p.wormhole_slot_length = known_;
    PortSet held(kCycleSlots), wanted(kCycleSlots);
    for (std::uint32_t slot = 0; slot < occupied; ++slot) held.set(slot);
    const std::vector<std::uint32_t> connections(kCycleSlots, 0), passed_over(kCycleSlots + 1, 0);
    return AllocationRegistration::make("sla", p)->choose_slot({kCycleSlots, true, held, true, occupied - 1,
                                                                occupied - 1, wanted, connections,
                                                                passed_over, 1, kWhole, true, traffic});
  }
  void expect_wormhole_slot(Time length, std::uint32_t occupied, Traffic traffic) const {
    const SlotChoice choice = after_the_last(occupied, traffic);
    EXPECT_EQ(choice.slot, kCycleSlots);
    EXPECT_EQ(choice.length, length) << to_string(choice.length) << " at " << traffic.predictive << " : "
                                     << traffic.wormhole;
  }
  Time known_{};
};

TEST_F(SlaLengths, SharesTimeInProportionToTraffic) {
  // One round of the four slots is 800 ns.
  expect_wormhole_slot(nanoseconds(800), 4, {1000, 1000});
  expect_wormhole_slot(nanoseconds(1600), 4, {500, 1000});
  expect_wormhole_slot(nanoseconds(400), 4, {1000, 500});
  // With two occupied slots it is 400 ns.
  expect_wormhole_slot(nanoseconds(400), 2, {1000, 1000});
  expect_wormhole_slot(nanoseconds(1200), 2, {10, 30});
  // In whole picoseconds.
  expect_wormhole_slot(picoseconds(266'666), 4, {3, 1});
}

TEST_F(SlaLengths, KeepsTheWormholeSlotBetweenOneSlotAndSixteenRounds) {
  expect_wormhole_slot(nanoseconds(200), 4, {9, 1});
  expect_wormhole_slot(nanoseconds(200), 4, {1000, 0});
  expect_wormhole_slot(nanoseconds(16 * 800), 4, {1, 16});
  expect_wormhole_slot(nanoseconds(16 * 800), 4, {1, 1'000'000});
  expect_wormhole_slot(nanoseconds(16 * 800), 4, {0, 1});
  expect_wormhole_slot(nanoseconds(16 * 800), 4, {~std::uint64_t{0} / 32, ~std::uint64_t{0}});
}

TEST_F(SlaLengths, UsesAGivenLength) {
  known_ = nanoseconds(650);
  expect_wormhole_slot(nanoseconds(650), 4, {1000, 1000});
  expect_wormhole_slot(nanoseconds(650), 1, {0, 1000});
}

}  // namespace
}  // namespace hybrid
