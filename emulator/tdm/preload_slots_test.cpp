#include "emulator/tdm/preload_slots.h"

#include <gtest/gtest.h>

#include <set>

#include "core/random.h"

namespace hybrid {
namespace {

std::set<Connection> held(const PreloadSlots& slots) {
  std::set<Connection> all;
  for (std::uint32_t s = 0; s < slots.slots(); ++s)
    for (const Connection& c : slots.slot(s).connections())
      EXPECT_TRUE(all.insert(c).second) << "in two slots";
  return all;
}

std::uint32_t at_source(const std::set<Connection>& all, Port port) {
  std::uint32_t n = 0;
  for (const Connection& c : all) n += c.source == port;
  return n;
}
std::uint32_t at_destination(const std::set<Connection>& all, Port port) {
  std::uint32_t n = 0;
  for (const Connection& c : all) n += c.destination == port;
  return n;
}

// Konig: a connection can be added if and only if both its ports have fewer than P others, for any order of
// additions and removals.
TEST(PreloadSlots, HoldAnyWorkingSetWithAsManyConnectionsPerPortAsSlots) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const auto ports = static_cast<std::uint32_t>(2 + random.below(11));
    const auto count = static_cast<std::uint32_t>(1 + random.below(5));
    PreloadSlots slots(ports, count);
    std::set<Connection> expected;
    for (int step = 0; step < 2000; ++step) {
      const Connection c{static_cast<Port>(random.below(ports)), static_cast<Port>(random.below(ports))};
      if (random.below(3) != 0) {
        const bool room = expected.contains(c) || (at_source(expected, c.source) < count &&
                                                   at_destination(expected, c.destination) < count);
        ASSERT_EQ(slots.add(c), room) << "seed " << seed << " step " << step;
        if (room) expected.insert(c);
      } else {
        ASSERT_EQ(slots.remove(c), expected.erase(c) != 0);
      }
      ASSERT_EQ(held(slots), expected) << "seed " << seed << " step " << step;
    }
  }
}

TEST(PreloadSlots, ReportWhichSlotsChanged) {
  PreloadSlots slots(4, 2);
  EXPECT_FALSE(slots.changed());
  ASSERT_TRUE(slots.add({0, 1}));
  EXPECT_TRUE(slots.changed(0));
  EXPECT_FALSE(slots.changed(1));
  slots.settle();
  EXPECT_FALSE(slots.changed());
  ASSERT_TRUE(slots.add({0, 1}));  // held already
  EXPECT_FALSE(slots.remove({2, 3}));
  EXPECT_FALSE(slots.changed());
  ASSERT_TRUE(slots.remove({0, 1}));
  EXPECT_TRUE(slots.changed());
}

TEST(PreloadSlots, AnUnchangedSlotKeepsItsContent) {
  Random random(7);  // any seed
  PreloadSlots slots(16, 4);
  for (int step = 0; step < 500; ++step) {
    std::vector<Configuration> before;
    before.reserve(4);
    for (std::uint32_t s = 0; s < 4; ++s) before.push_back(slots.slot(s));
    slots.settle();
    slots.add({static_cast<Port>(random.below(16)), static_cast<Port>(random.below(16))});
    for (std::uint32_t s = 0; s < 4; ++s)
      if (!slots.changed(s)) {
        ASSERT_EQ(slots.slot(s), before[s]);
      }
  }
}

TEST(PreloadSlots, WithoutSlotsHoldNoConnection) {
  PreloadSlots none(8, 0);
  EXPECT_FALSE(none.add({0, 1}));
  EXPECT_FALSE(none.remove({0, 1}));
  EXPECT_FALSE(none.changed());
}

}  // namespace
}  // namespace hybrid
