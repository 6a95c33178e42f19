// Settings that are derived from other options until they are given: the slot length from the fabric, clocks
// and slots from the link rate. The order and the source of the options do not matter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "emulator/fabric.h"
#include "emulator/network_shape.h"
#include "emulator/parameters.h"
#include "emulator/traffic/simulate.h"

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
    EXPECT_EQ(p.digital_fabric.cycle, first.digital_fabric.cycle);
  } while (std::next_permutation(given.begin(), given.end()));
  return first;
}

TEST(TwoValuedOptions, RefuseOtherValues) {
  EXPECT_TRUE(set_to({{"worm-lookahead", "on"}}).worm_lookahead);
  EXPECT_FALSE(set_to({{"worm-lookahead", "on"}, {"worm-lookahead", "off"}}).worm_lookahead);
  EXPECT_TRUE(set_to({{"slots-per-pass", "all"}}).pass_fills_all_slots);
  EXPECT_TRUE(set_to({{"sla-share", "time"}}).sla_shares_time);
  const auto refusal = [](const char* name, const char* value) -> std::string {
    try {
      set_to({{name, value}});
      return "none";
    } catch (const UserError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(refusal("slots-per-pass", "2"), testing::EndsWith("unknown value '2'\n  Give all or one."));
  EXPECT_THAT(refusal("sla-share", "half"),
              testing::EndsWith("sla-share: unknown value 'half'\n  Give time or data."));
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

/// What follows the link rate.
std::vector<Time> clocks(const SwitchParameters& p) {
  return {p.word_generation,      p.nic.cycle,           p.serialise,  p.deserialise, p.scheduler.cycle,
          p.digital_fabric.cycle, p.analog_fabric.cycle, p.slot_length};
}
const char* const kClocks[] = {"word-generation",     "nic-cycle",       "serialise",
                               "deserialise",         "scheduler-cycle", "digital-fabric-cycle",
                               "analog-fabric-cycle", "slot-length"};

TEST(DerivedOptions, TheLinkRateScalesTheWholeSwitch) {
  for (const char* preset : {"ch4", "ch5", "ch8"}) {
    const std::vector<Time> before = clocks(set_to({{"preset", preset}}));
    const SwitchParameters faster = set_to({{"preset", preset}, {"link-rate", "12.8Gb/s"}});
    const SwitchParameters slower = set_to({{"preset", preset}, {"link-rate", "3.2Gb/s"}});
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(clocks(faster)[i] * 2, before[i]) << preset << " " << kClocks[i];
      EXPECT_EQ(clocks(slower)[i], before[i] * 2) << preset << " " << kClocks[i];
    }
    EXPECT_EQ(clocks(set_to({{"preset", preset}, {"link-rate", "6.4Gb/s"}})), before);
  }
  const SwitchParameters p = set_to({{"link-rate", "100Gb/s"}, {"reconfiguration", "0s"}});
  EXPECT_EQ(p.cable, nanoseconds(20)) << "a length";
  EXPECT_EQ(p.scheduler.latency, 1u);
  EXPECT_EQ(p.predictor_timeout, microseconds(100));
}

// D 8.3.3: each conversion takes a cycle of 100 MHz; 8.5 does not mention them.
TEST(Model, Chapter8HasConvertersOfTheDissertation) {
  const auto conversions = [](const Given& options) {
    const SwitchParameters p = set_to(options);
    return std::pair(p.serialise, p.deserialise);
  };
  const Time none{}, cycle = nanoseconds(10);
  EXPECT_EQ(conversions({{"preset", "ch8"}}), std::pair(none, none));
  EXPECT_EQ(conversions({{"preset", "ch8"}, {"model", "dissertation"}}), std::pair(cycle, cycle));
  EXPECT_EQ(conversions({{"preset", "ch8"}, {"model", "dissertation"}, {"serialise", "0"}}),
            std::pair(none, cycle));
  EXPECT_EQ(conversions({{"preset", "ch4"}, {"model", "dissertation"}}), std::pair(none, none));
}

TEST(DerivedOptions, WhatIsGivenDoesNotFollowTheLinkRateInAnyOrder) {
  const std::vector<Time> scaled = clocks(set_to({{"link-rate", "100Gb/s"}}));
  for (std::size_t given = 0; given < scaled.size(); ++given)
    for (const bool first : {false, true}) {
      const Given options = first ? Given{{kClocks[given], "7ns"}, {"link-rate", "100Gb/s"}}
                                  : Given{{"link-rate", "100Gb/s"}, {kClocks[given], "7ns"}};
      const std::vector<Time> values = clocks(set_to(options));
      const bool wire = std::string_view(kClocks[given]).ends_with("serialise");  // a slot is not shorter
      for (std::size_t i = 0; i + wire < values.size(); ++i)
        EXPECT_EQ(values[i], i == given ? nanoseconds(7) : scaled[i]) << kClocks[given] << " " << kClocks[i];
    }
}

TEST(DerivedOptions, TheLastLinkRateCounts) {
  EXPECT_EQ(clocks(set_to({{"link-rate", "400Gb/s"}, {"link-rate", "25Gb/s"}})),
            clocks(set_to({{"link-rate", "25Gb/s"}})));
  EXPECT_EQ(clocks(set_to({{"link-rate", "100Gb/s"}, {"preset", "ch8"}})),
            clocks(set_to({{"preset", "ch8"}})))
      << "a preset resets all";
}

TEST(DerivedOptions, PartsThatHandleAWordPerCycleKeepUpWithSmallWords) {
  EXPECT_EQ(in_any_order({{"link-rate", "100Gb/s"}, {"word", "4"}}).word_generation, picoseconds(320));
  EXPECT_EQ(set_to({{"link-rate", "100Gb/s"}, {"word", "4"}}).digital_fabric.cycle, picoseconds(320));
  EXPECT_EQ(in_any_order({{"link-rate", "100Gb/s"}, {"word", "32"}}).word_generation, picoseconds(640));
  EXPECT_EQ(set_to({{"word", "4"}}).word_generation, nanoseconds(10)) << "no rate was given";
}

TEST(DerivedOptions, AFastLinkDoesNotMakeSlotsTooShort) {
  EXPECT_EQ(set_to({{"preset", "ch4"}, {"link-rate", "100Gb/s"}}).slot_length, picoseconds(12'800));
  EXPECT_EQ(in_any_order({{"link-rate", "100Gb/s"}}).slot_length, picoseconds(1'920 + 20'000 + 1'920))
      << "the wire";
  EXPECT_EQ(in_any_order({{"link-rate", "100Gb/s"}, {"guard", "5ns"}}).slot_length, nanoseconds(50));
  EXPECT_EQ(in_any_order({{"link-rate", "100Gb/s"}, {"cable", "60ns"}}).slot_length, picoseconds(63'840));
  EXPECT_EQ(in_any_order({{"link-rate", "100Gb/s"}, {"guard", "50ns"}}).slot_length, nanoseconds(100));
  EXPECT_EQ(in_any_order({{"link-rate", "100Gb/s"}, {"network", "fattree:2,4"}}).slot_length,
            nanoseconds(100))
      << "the cables of the tree do not change";
  EXPECT_EQ(in_any_order({{"link-rate", "100Gb/s"}, {"fabric", "mems-2d"}}).slot_length, microseconds(120));
}

TEST(DerivedOptions, SlotsFollowTheReconfigurationAndTheAllocation) {
  EXPECT_EQ(in_any_order({{"allocation", "held"}, {"fabric", "mems-3d"}}).slot_length, microseconds(100));
  EXPECT_EQ(in_any_order({{"allocation", "held"}, {"fabric", "mems-3d"}, {"guard", "20us"}}).slot_length,
            microseconds(200));
  EXPECT_EQ(set_to({{"preset", "ocs-mems-400g"}, {"link-rate", "800Gb/s"}}).slot_length, microseconds(100));
  EXPECT_EQ(set_to({{"preset", "ocs-mems-400g"}, {"allocation", "ses"}}).slot_length, milliseconds(100));
  EXPECT_EQ(set_to({{"preset", "ocs-mems-400g"}, {"allocation", "ses"}, {"slot-length", "1us"}}).slot_length,
            microseconds(1));
}

TEST(DerivedOptions, SlotsOfAPresetDoNotDependOnTheOrderOfTheOptions) {
  const auto slot = [](const char* option, const char* value) {
    const SwitchParameters one =
        set_to({{"preset", "ocs-mems-2d-400g"}, {"allocation", "ses"}, {option, value}});
    const SwitchParameters other =
        set_to({{"preset", "ocs-mems-2d-400g"}, {option, value}, {"allocation", "ses"}});
    EXPECT_EQ(one.slot_length, other.slot_length) << option;
    return one.slot_length;
  };
  EXPECT_EQ(slot("reconfiguration", "1us"), microseconds(10));
  EXPECT_EQ(slot("reconfiguration-switching", "1us"), nanoseconds(97'000));  // and 8.7 us of lock
  EXPECT_EQ(slot("guard", "1us"), nanoseconds(125'000));
}

TEST(DerivedOptions, AnyRateIsPossible) {
  for (const char* rate : {"1b/s", "1Gb/s", "400Gb/s", "100000Gb/s"})
    for (const char* preset : {"ch4", "ch5", "ch8", "ethernet-51t"})
      for (const Time t :
           clocks(set_to({{"preset", preset}, {"link-rate", rate}, {"analog-fabric-latency", "1"}})))
        EXPECT_GE(t, Time{}) << preset << " " << rate;
}

/// Wormhole was 23 times slower than circuit when only the link was faster.
TEST(DerivedOptions, AtAnyRateAPermutationTakesWormholeAboutAsLongAsCircuit) {
  TrafficOptions traffic;
  traffic.pattern = "permutation";
  traffic.message = 65'536;
  traffic.messages = 8;
  for (const char* rate : {"6.4Gb/s", "100Gb/s", "400Gb/s"}) {
    const auto time = [&](const char* technique) {
      return simulate(set_to({{"technique", technique}, {"link-rate", rate}, {"worm-limit", "4K"}}), traffic)
          .time;
    };
    EXPECT_LE(time("wormhole").seconds(), 1.05 * time("circuit").seconds()) << rate;
  }
}

// D Table 5.3; D 5.4: "ASIC results tend to be 5 to 10 times better".
TEST(DerivedOptions, TheSchedulersDelayCanFollowTable5_3) {
  EXPECT_EQ(set_to({{"nodes", "64"}, {"scheduler-delay", "table5.3"}}).scheduler.delay(), nanoseconds(213));
  EXPECT_EQ(set_to({{"scheduler-delay", "table5.3/5"}, {"nodes", "128"}}).scheduler.delay(), nanoseconds(77));
  EXPECT_EQ(set_to({{"scheduler-delay", "table5.3"}, {"network", "crossbar:4"}}).scheduler.delay(),
            nanoseconds(34));
  EXPECT_EQ(set_to({{"nodes", "64"}, {"scheduler-delay", "cycles"}}).scheduler.delay(), nanoseconds(80));
  EXPECT_EQ(set_to({{"preset", "ch8"}, {"scheduler-delay", "table5.3"}, {"scheduler-delay", "cycles"}})
                .scheduler.delay(),
            nanoseconds(20))
      << "the preset's again";
  EXPECT_THROW(set_to({{"scheduler-delay", "table5.3/0"}}), UserError);
  EXPECT_THROW(set_to({{"scheduler-delay", "fast"}}), UserError);
  EXPECT_THROW(set_to({{"scheduler-cycle", "10ns"}, {"scheduler-delay", "table5.3"}}), UserError);
  EXPECT_THROW(set_to({{"scheduler-latency", "2"}, {"scheduler-delay", "table5.3"}}), UserError);
  EXPECT_THROW(set_to({{"scheduler-delay", "table5.3"}, {"scheduler-latency", "2"}}), UserError);
  EXPECT_EQ(set_to({{"scheduler-latency", "2"}, {"scheduler-delay", "cycles"}}).scheduler.delay(),
            nanoseconds(160));
  SwitchParameters job = set_to({{"scheduler-delay", "table5.3"}});
  fit_nodes(16, job);  // the ports that a job uses
  EXPECT_EQ(job.scheduler.delay(), nanoseconds(76));
}

TEST(DerivedOptions, TheModelIsAPresetOfSingleOptions) {
  const SwitchParameters p = set_to({{"preset", "ch4"}, {"model", "dissertation"}});
  EXPECT_TRUE(p.preload_is_direct);
  EXPECT_TRUE(p.tree.turns_at_top);
  EXPECT_TRUE(p.sla_shares_time);
  const SwitchParameters again =
      set_to({{"model", "dissertation"}, {"preset", "ch4"}});  // a later preset keeps it
  EXPECT_TRUE(again.dissertation && again.preload_is_direct);
  const SwitchParameters single = set_to({{"model", "dissertation"}, {"preload-path", "scheduler"}});
  EXPECT_FALSE(single.preload_is_direct);
  EXPECT_TRUE(single.tree.turns_at_top);
  const SwitchParameters ours = set_to({{"model", "dissertation"}, {"model", "ours"}});
  EXPECT_FALSE(ours.dissertation || ours.preload_is_direct || ours.tree.turns_at_top ||
               ours.sla_shares_time || ours.input_buffer != 0);
  EXPECT_TRUE(set_to({{"model", "dissertation"}, {"network", "fattree:2,4"}}).tree.turns_at_top);
  EXPECT_THROW(set_to({{"model", "theirs"}}), UserError);
}

}  // namespace
}  // namespace hybrid
