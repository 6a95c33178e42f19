// Settings that are derived from other options until they are given: the slot length from the fabric, the
// word generation from the link rate. The order and the source of the options do not matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "emulator/fabric.h"
#include "emulator/parameters.h"

namespace hybrid {
namespace {

using Given = std::vector<std::pair<const char*, const char*>>;

SwitchParameters set_to(const Given& given) {
  SwitchParameters p;
  OptionTable table;
  add_switch_options(table, p);
  for (const auto& [name, value] : given) table.set(name, value, name);
  return p;
}

/// The parameters for one order of the options; all orders must agree.
SwitchParameters in_any_order(Given given) {
  std::sort(given.begin(), given.end());
  const SwitchParameters first = set_to(given);
  do {
    const SwitchParameters p = set_to(given);
    EXPECT_EQ(p.slot_length, first.slot_length);
    EXPECT_EQ(p.word_generation, first.word_generation);
  } while (std::next_permutation(given.begin(), given.end()));
  return first;
}

TEST(TwoValuedOptions, RefuseOtherValues) {
  EXPECT_TRUE(set_to({{"worm-lookahead", "on"}}).worm_lookahead);
  EXPECT_FALSE(set_to({{"worm-lookahead", "on"}, {"worm-lookahead", "off"}}).worm_lookahead);
  EXPECT_TRUE(set_to({{"slots-per-pass", "all"}}).pass_fills_all_slots);
  try {
    set_to({{"slots-per-pass", "2"}});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_TRUE(std::string(error.what()).ends_with("unknown value '2'\n  Give all or one.")) << error.what();
  }
}

TEST(DerivedOptions, SlotsOfAFabricDependOnTheGuard) {
  EXPECT_EQ(in_any_order({{"fabric", "mems-2d"}, {"guard", "5us"}}).slot_length, microseconds(170));
  const SwitchParameters p = in_any_order({{"fabric", "mems-2d"}, {"guard", "1ms"}});
  EXPECT_EQ(p.slot_length, microseconds(10'120));
  EXPECT_NO_THROW(check(p));
  EXPECT_EQ(in_any_order({{"fabric", "mems-2d"}, {"guard", "5us"}, {"slot-length", "30us"}}).slot_length,
            microseconds(30));
  EXPECT_EQ(set_to({{"guard", "5us"}}).slot_length, nanoseconds(100)) << "no fabric was selected";
}

TEST(DerivedOptions, SlotsOfAFabricDependOnThePartsThatReplaceTheFabrics) {
  EXPECT_EQ(set_to({{"fabric", "mems-2d"}, {"reconfiguration-lock", "3us"}}).slot_length, microseconds(140));
  EXPECT_EQ(set_to({{"fabric", "mems-3d"},
                    {"reconfiguration-command", "0s"},
                    {"reconfiguration-switching", "0s"},
                    {"reconfiguration-lock", "0s"}})
                .slot_length,
            nanoseconds(100))
      << "as without a fabric";
  EXPECT_EQ(set_to({{"preset", "ch4"}, {"fabric", "lvds"}, {"guard", "30ns"}}).slot_length, nanoseconds(310));
  EXPECT_EQ(set_to({{"preset", "ch4"}, {"fabric", "lvds"}, {"guard", "3ns"}}).slot_length, nanoseconds(200));
  EXPECT_EQ(set_to({{"fabric", "mems-3d"}, {"fabric", "lvds"}}).slot_length, nanoseconds(100))
      << "a flag over a file";
  EXPECT_EQ(set_to({{"fabric", "mems-3d"}, {"preset", "ch4"}, {"guard", "50ns"}}).slot_length,
            nanoseconds(200))
      << "a preset resets all";
}

TEST(DerivedOptions, TimesTooLongForASlotAreRefused) {
  for (const char* option : {"guard", "reconfiguration-lock"})
    for (const char* time : {"100000s", "9223372s"}) {
      const SwitchParameters p =
          set_to({{"fabric", "mems-3d"}, {"reconfiguration-switching", time}, {option, time}});
      EXPECT_THROW(check(p), UserError) << option;
    }
}

TEST(DerivedOptions, WordGenerationFollowsTheLinkRateUnlessGiven) {
  EXPECT_EQ(set_to({{"link-rate", "100Gb/s"}}).word_generation, picoseconds(640));
  EXPECT_EQ(set_to({{"link-rate", "100Gb/s"}, {"word", "16"}}).word_generation, picoseconds(1280));
  EXPECT_EQ(set_to({{"link-rate", "400Gb/s"}, {"link-rate", "25Gb/s"}}).word_generation, picoseconds(2560));
  EXPECT_EQ(in_any_order({{"link-rate", "100Gb/s"}, {"word-generation", "10ns"}}).word_generation,
            nanoseconds(10));
  EXPECT_EQ(in_any_order({{"link-rate", "100Gb/s"}, {"word", "32"}}).word_generation, picoseconds(2560));
}

TEST(DerivedOptions, WordGenerationDoesNotChangeForASlowerLink) {
  EXPECT_EQ(set_to({{"link-rate", "1Gb/s"}}).word_generation, nanoseconds(10));
  EXPECT_EQ(set_to({{"preset", "ch8"}, {"link-rate", "6.4Gb/s"}}).word_generation, nanoseconds(2));
  EXPECT_EQ(set_to({{"preset", "ch8"}, {"link-rate", "100Gb/s"}}).word_generation, picoseconds(640));
  EXPECT_EQ(set_to({{"link-rate", "100Gb/s"}, {"preset", "ch8"}}).word_generation, nanoseconds(2))
      << "a preset resets all";
  EXPECT_EQ(set_to({{"word", "4"}}).word_generation, nanoseconds(10)) << "no rate was given";
}

}  // namespace
}  // namespace hybrid
