// The length of S_W of the allocation `sla` (D 4.4), for given states.
#include "emulator/tdm/allocation.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace hybrid {
namespace {

constexpr std::uint32_t kCycleSlots = 4;

class SlaLengths : public testing::Test {
 protected:
  /// Slots of 200 ns. The first `occupied` slots hold connections and have passed; worms wait.
  SlotChoice after_the_last(std::uint32_t occupied, Traffic traffic) const {
    SwitchParameters p = parameters_;
    p.allocation = "sla";
    p.slots = kCycleSlots;
    p.slot_length = nanoseconds(200);
    PortSet held(kCycleSlots), wanted(kCycleSlots);
    for (std::uint32_t slot = 0; slot < occupied; ++slot) held.set(slot);
    const std::vector<std::uint32_t> connections(kCycleSlots, 0), passed_over(kCycleSlots + 1, 0);
    return AllocationRegistration::make("sla", p)->choose_slot(
        {kCycleSlots, true, held, true, occupied - 1, occupied - 1, wanted, connections, passed_over, 1,
         kWhole, true, traffic, 0, circuits_, worms_});
  }
  void expect_wormhole_slot(Time length, std::uint32_t occupied, Traffic traffic) const {
    const SlotChoice choice = after_the_last(occupied, traffic);
    EXPECT_EQ(choice.slot, kCycleSlots);
    EXPECT_EQ(choice.length, length) << to_string(choice.length) << " at " << traffic.predictive << " : "
                                     << traffic.wormhole;
  }
  SwitchParameters parameters_;
  Efficiency circuits_, worms_;
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
  parameters_.wormhole_slot_length = nanoseconds(650);
  expect_wormhole_slot(nanoseconds(650), 4, {1000, 1000});
  expect_wormhole_slot(nanoseconds(650), 1, {0, 1000});
}

class SlaLengthsByTime : public SlaLengths {
 protected:
  SlaLengthsByTime() {
    parameters_.sla_shares_time = true;
    parameters_.worm_limit = 64;  // eight words, 80 ns, and a pass: 100 ns
    parameters_.scheduler = {nanoseconds(10), 1};
  }
};

TEST_F(SlaLengthsByTime, IsThatOfTheDataInWholeWormsUntilBothAreMeasured) {
  for (const Efficiency circuits : {Efficiency{}, Efficiency{1, 1}}) {
    circuits_ = circuits;
    expect_wormhole_slot(nanoseconds(800), 4, {1000, 1000});
    expect_wormhole_slot(nanoseconds(300), 4, {3, 1});
    expect_wormhole_slot(nanoseconds(1200), 2, {10, 30});
  }
}

TEST_F(SlaLengthsByTime, GrowsWithTheRatioOfTheEfficiencies) {
  circuits_ = {9, 10};
  worms_ = {45, 100};
  expect_wormhole_slot(nanoseconds(1600), 4, {1000, 1000});
  expect_wormhole_slot(nanoseconds(3200), 4, {500, 1000});
  worms_ = {18, 10};
  expect_wormhole_slot(nanoseconds(400), 4, {1000, 1000});
}

TEST_F(SlaLengthsByTime, HasTimeForOneWormAtLeastAndSixteenRoundsAtMost) {
  constexpr std::uint64_t kMany = ~std::uint64_t{0};
  expect_wormhole_slot(nanoseconds(100), 4, {1000, 1});  // shorter than a predictive slot
  expect_wormhole_slot(nanoseconds(100), 4, {1000, 0});
  expect_wormhole_slot(nanoseconds(16 * 800), 4, {0, 1});
  expect_wormhole_slot(nanoseconds(16 * 800), 4, {1, kMany});
  circuits_ = {kMany, kMany};
  worms_ = {1, kMany};
  expect_wormhole_slot(nanoseconds(16 * 800), 4, {1, kMany});
  expect_wormhole_slot(nanoseconds(16 * 800), 4, {1000, 1000});
  std::swap(circuits_, worms_);
  expect_wormhole_slot(nanoseconds(100), 4, {1000, 1000});
  parameters_.guard = nanoseconds(7);
  parameters_.reconfiguration = nanoseconds(5);
  expect_wormhole_slot(nanoseconds(112), 4, {1000, 1000});
  parameters_.worm_limit = kUnlimited;
  expect_wormhole_slot(nanoseconds(16 * 800), 4, {1000, 1000});
}

}  // namespace
}  // namespace hybrid
