#include "emulator/parameters.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/registry.h"

namespace hybrid {
namespace {

std::string refusal(const SwitchParameters& p) {
  try {
    check(p);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

TEST(Parameters, ASharedBufferIsThatOfANic) {
  const auto sizes = [](const char* technique, Bytes buffer, FatTreeShape tree = {}) {
    SwitchParameters p;
    p.nodes = 16;
    p.technique = technique;
    p.tree = tree;
    p.buffer = buffer;
    p.buffer_is_shared = true;
    const QueueSizes s = queue_sizes(p);
    return std::array{s.destination, s.worms, s.input};
  };
  EXPECT_EQ(sizes("circuit", 2400)[0], 2400U);
  EXPECT_EQ(sizes("tdm", 2400)[0], 2400U);
  EXPECT_EQ(sizes("wave", 2400), (std::array<Bytes, 3>{80, 1200, 160}));
  EXPECT_EQ(sizes("wormhole", 2400), (std::array<Bytes, 3>{2400, 2400, 160}));
  EXPECT_EQ(sizes("hybrid", 2400), (std::array<Bytes, 3>{1200, 1200, 160}));
  EXPECT_EQ(sizes("wormhole", 2400, {2, 4, 4}), (std::array<Bytes, 3>{2400, 2400, 2400 / 7}));
  EXPECT_EQ(sizes("hybrid", kUnlimited), (std::array{kUnlimited, kUnlimited, kUnlimited}));
}

TEST(SwitchParameters, DefaultsPassTheCheck) { EXPECT_EQ(refusal({}), ""); }

TEST(SwitchParameters, EveryImpossibleValueIsRefusedWithItsOption) {
  struct Case {
    const char* option;
    std::function<void(SwitchParameters&)> spoil;
  };
  const std::vector<Case> cases{
      {"nodes", [](auto& p) { p.nodes = 0; }},
      {"nodes", [](auto& p) { p.nodes = 1; }},
      {"nodes", [](auto& p) { p.nodes = 1'000'000; }},
      {"slots", [](auto& p) { p.slots = 0; }},
      {"slots", [](auto& p) { p.slots = 1'000'000; }},
      {"preload", [](auto& p) { p.preload = p.slots + 1; }},
      {"slot-length", [](auto& p) { p.guard = p.slot_length; }},
      {"slot-length", [](auto& p) { p.guard = p.reconfiguration = nanoseconds(50); }},
      {"slot-length", [](auto& p) { p.reconfiguration = nanoseconds(91); }},  // 9 ns left, a word takes 10
      {"slot-length", [](auto& p) { p.reconfiguration_lock = nanoseconds(91); }},
      {"reconfiguration",
       [](auto& p) {
         p.reconfiguration = nanoseconds(50);
         p.reconfiguration_lock = nanoseconds(20);
       }},
      {"reconfiguration-command", [](auto& p) { p.reconfiguration_command = nanoseconds(-1); }},
      {"reconfiguration-switching", [](auto& p) { p.reconfiguration_switching = nanoseconds(-1); }},
      {"reconfiguration-lock", [](auto& p) { p.reconfiguration_lock = milliseconds(3'600'000); }},
      {"scheduler-latency", [](auto& p) { p.scheduler = {nanoseconds(10'000'000), 1001}; }},
      {"link-rate",
       [](auto& p) {
         p.technique = "wormhole";
         p.link_rate = 1;
       }},
      {"slot-length", [](auto& p) { p.slot_length = Time{}; }},
      {"slot-length", [](auto& p) { p.slot_length = nanoseconds(9); }},
      {"guard", [](auto& p) { p.guard = nanoseconds(-1); }},
      {"cable", [](auto& p) { p.cable = milliseconds(3'600'000); }},
      {"cable", [](auto& p) { p.cable = milliseconds(1000); }},  // ten million slots of 100 ns
      {"deserialise", [](auto& p) { p.deserialise = milliseconds(11); }},
      {"scheduler-cycle", [](auto& p) { p.scheduler.cycle = milliseconds(11); }},
      {"word-generation", [](auto& p) { p.word_generation = milliseconds(11); }},
      {"nic-cycle", [](auto& p) { p.nic = {microseconds(10), 1'000'000}; }},
      {"analog-fabric-cycle", [](auto& p) { p.analog_fabric = {milliseconds(11), 1}; }},
      {"word-generation", [](auto& p) { p.word_generation = Time{}; }},
      {"nic-cycle", [](auto& p) { p.nic.cycle = Time{}; }},
      {"scheduler-cycle", [](auto& p) { p.scheduler.cycle = Time{}; }},
      {"scheduler-latency", [](auto& p) { p.scheduler.latency = 2'000'000'000; }},
      {"digital-fabric-cycle", [](auto& p) { p.digital_fabric.cycle = Time{}; }},
      {"analog-fabric-cycle", [](auto& p) { p.analog_fabric.cycle = Time{}; }},
      {"link-rate", [](auto& p) { p.link_rate = 0; }},
      {"word", [](auto& p) { p.word = 0; }},
      {"flit", [](auto& p) { p.flit = 0; }},
      {"flit", [](auto& p) { p.flit = 12; }},
      {"worm-limit", [](auto& p) { p.worm_limit = 7; }},
      {"buffer", [](auto& p) { p.buffer = 7; }},
      {"predictor-timeout", [](auto& p) { p.predictor_timeout = Time{}; }},
      {"predictor-threshold", [](auto& p) { p.predictor_threshold = 0; }},
      {"predictor-threshold", [](auto& p) { p.predictor_threshold = 65'536; }},
      {"technique", [](auto& p) { p.technique = "wormhol"; }},
      {"allocation", [](auto& p) { p.allocation = "sess"; }},
      {"scheduler", [](auto& p) { p.scheduler_name = "greddy"; }},
      {"predictor", [](auto& p) { p.predictor = "oracle-of-delphi"; }},
  };
  for (const Case& c : cases) {
    SwitchParameters p;
    c.spoil(p);
    const std::string said = refusal(p);
    EXPECT_EQ(said.substr(0, said.find(':')), c.option) << said;
    const bool unlike_any = std::string(c.option) == "predictor";
    EXPECT_TRUE(unlike_any || said.find('\n') != std::string::npos) << "no fix: " << said;
  }
}

TEST(SwitchParameters, AMisspelledNameGetsASuggestion) {
  SwitchParameters p;
  p.scheduler_name = "greddy";
  EXPECT_NE(refusal(p).find("Did you mean 'greedy'?"), std::string::npos);
}

TEST(SwitchParameters, Chapter5HasThePapersFigures) {
  SwitchParameters p;
  p.slots = 99;
  apply_preset("ch5", p, false);
  EXPECT_EQ(p.nodes, 128u);
  EXPECT_EQ(p.one_way_wire(), nanoseconds(80));     // D 5.5.1: 30 + 20 + 30
  EXPECT_EQ(p.word_time(), nanoseconds(10));        // 6.4 Gb/s
  EXPECT_EQ(p.scheduler.delay(), nanoseconds(80));  // D 5.4
  EXPECT_EQ(p.slot_length / p.word_time(), 10);     // 100 ns or 80 bytes
  EXPECT_EQ(p.slots, 4u);
  EXPECT_EQ(p.worm_limit, 128u);
  EXPECT_EQ(p.flit, 8u);
  EXPECT_EQ(p.digital_fabric.delay(), nanoseconds(10));
  EXPECT_EQ(p.analog_fabric.delay(), Time{});
  EXPECT_EQ(p.buffer, kUnlimited);
}

TEST(SwitchParameters, Chapters4And8HaveThePapersFigures) {
  SwitchParameters p;
  apply_preset("ch4", p, false);
  EXPECT_EQ(p.nodes, 64u);
  EXPECT_EQ(p.word_generation, nanoseconds(2));
  EXPECT_EQ(p.scheduler.cycle, nanoseconds(20));  // 50 MHz
  EXPECT_EQ(p.slot_length, nanoseconds(200));
  EXPECT_EQ(p.buffer, 8192u);

  apply_preset("ch8", p, false);
  EXPECT_EQ(p.nodes, 32u);
  EXPECT_EQ(p.slots, 31u);
  EXPECT_EQ(p.preload, 31u);
  EXPECT_EQ(p.word_generation, nanoseconds(2));     // 500 MHz
  EXPECT_EQ(p.one_way_wire(), nanoseconds(10));     // "10 foot"
  EXPECT_EQ(p.scheduler.delay(), nanoseconds(20));  // 100 MHz, 2 cycles
  EXPECT_EQ(p.digital_fabric.delay(), nanoseconds(10));
  EXPECT_EQ(p.buffer, 128u);
  EXPECT_EQ(p.worm_limit, 80u);  // ten flits
  EXPECT_EQ(p.worm_overhead_words, 2u);
}

TEST(SwitchParameters, PresetsKeepTechniqueSeedAndGivenNodes) {
  SwitchParameters p;
  p.technique = "wormhole";
  p.seed = 7;
  p.nodes = 24;
  apply_preset("ch8", p, true);
  EXPECT_EQ(p.technique, "wormhole");
  EXPECT_EQ(p.seed, 7u);
  EXPECT_EQ(p.nodes, 24u);
  EXPECT_EQ(p.slots, 23u);
  EXPECT_THROW(apply_preset("ch9", p, true), UserError);
}

struct SwitchOptions : testing::Test {
  SwitchParameters p;
  OptionTable table;
  SwitchOptions() { add_switch_options(table, p); }
  void set(const char* name, const char* value) { table.set(name, value, name); }
};

TEST_F(SwitchOptions, IncludeTheSharedNames) {
  for (const char* name :
       {"technique", "nodes", "network", "slots", "preload", "allocation", "scheduler", "predictor", "fabric",
        "slot-length", "guard", "reconfiguration", "reconfiguration-command", "reconfiguration-switching",
        "reconfiguration-lock", "buffer", "seed", "preset"})
    EXPECT_NE(table.find(name), nullptr) << name;
}

TEST_F(SwitchOptions, SettingEachDefaultChangesNothing) {
  const SwitchParameters fresh;
  SwitchParameters before = p;
  for (const Option& o : table.options())
    if (!o.default_text.empty()) o.set(o.default_text);
  OptionTable again;
  SwitchParameters other = p;
  add_switch_options(again, other);
  for (const Option& o : table.options())
    EXPECT_EQ(o.default_text, again.find(o.name)->default_text) << o.name;
  EXPECT_EQ(p.nodes, fresh.nodes);
  EXPECT_EQ(before.buffer, p.buffer);
}

TEST_F(SwitchOptions, EachChangesOneParameterOnly) {
  const auto texts = [](SwitchParameters& parameters) {
    OptionTable t;
    add_switch_options(t, parameters);
    std::vector<std::string> all;
    for (const Option& o : t.options()) all.push_back(o.default_text);
    return all;
  };
  const std::vector<std::string> untouched = texts(p);
  for (std::size_t i = 0; i < table.options().size(); ++i) {
    const Option& o = table.options()[i];
    std::string value;
    if (o.value == "TIME") value = "77ns";
    if (o.value == "BYTES") value = "72";
    if (o.value == "N") value = "7";
    if (value.empty()) continue;
    SwitchParameters other;
    OptionTable t;
    add_switch_options(t, other);
    t.set(o.name, value, o.name);
    const std::vector<std::string> after = texts(other);
    for (std::size_t j = 0; j < after.size(); ++j) EXPECT_EQ(after[j] == untouched[j], i != j) << o.name;
  }
}

TEST_F(SwitchOptions, NetworkSetsTheNodes) {
  set("network", "crossbar:48");
  EXPECT_EQ(p.nodes, 48u);
  EXPECT_THROW(set("network", "ring:4"), UserError);
  EXPECT_THROW(set("network", "crossbar:"), UserError);
  EXPECT_THROW(set("nodes", "16"), UserError) << "two different numbers";
}

TEST_F(SwitchOptions, NodesGivenBeforeADifferentNetworkAreRefused) {
  set("nodes", "16");
  EXPECT_NO_THROW(set("network", "crossbar:16"));
  EXPECT_THROW(set("network", "crossbar:8"), UserError);
}

TEST(SwitchParameters, WithoutSlotsTheSlotLengthIsNotChecked) {
  SwitchParameters p;
  p.reconfiguration = milliseconds(10);
  EXPECT_THROW(check(p), UserError);
  p.technique = "circuit";
  EXPECT_NO_THROW(check(p));
}

TEST_F(SwitchOptions, APresetReplacesEarlierOptionsAndLaterOptionsReplaceItsValues) {
  set("slot-length", "1us");
  set("preset", "ch4");
  EXPECT_EQ(p.slot_length, nanoseconds(200));
  EXPECT_EQ(p.nodes, 64u);
  set("buffer", "128");
  set("slots", "7");
  EXPECT_EQ(p.buffer, 128u);
  EXPECT_EQ(p.slots, 7u);
  EXPECT_EQ(p.scheduler.cycle, nanoseconds(20));
}

TEST_F(SwitchOptions, Chapter8sSlotsFollowTheNodesUnlessGiven) {
  set("preset", "ch8");
  set("nodes", "128");
  EXPECT_EQ(p.slots, 127u);
  EXPECT_EQ(p.preload, 127u);
  set("slots", "10");
  set("preload", "5");
  set("nodes", "64");
  EXPECT_EQ(p.slots, 10u);
  EXPECT_EQ(p.preload, 5u);
}

TEST_F(SwitchOptions, FewerSlotsThanChapter8PreloadsAreRefusedWithTheReason) {
  set("preset", "ch8");
  set("slots", "2");
  EXPECT_NE(refusal(p).find("--preload 2 (--preset ch8 preloads"), std::string::npos) << refusal(p);
  set("preload", "2");
  EXPECT_EQ(refusal(p), "");
}

TEST_F(SwitchOptions, NodesGivenBeforeThePresetStay) {
  set("nodes", "20");
  set("preset", "ch8");
  EXPECT_EQ(p.nodes, 20u);
  EXPECT_EQ(p.slots, 19u);
}

TEST_F(SwitchOptions, ReconfigurationIsOneTimeOrTheSumOfItsParts) {
  set("reconfiguration", "7ns");
  EXPECT_EQ(p.fabric_reconfiguration(), nanoseconds(7));
  set("reconfiguration-command", "1ns");
  EXPECT_NE(refusal(p).find("7ns, but the sum of its parts is 1ns"), std::string::npos) << refusal(p);
  set("reconfiguration-switching", "4ns");
  set("reconfiguration-lock", "2ns");
  EXPECT_EQ(refusal(p), "") << "both are given, and they agree";
  set("reconfiguration", "0s");
  EXPECT_NE(refusal(p).find("0s, but the sum of its parts is 7ns"), std::string::npos) << refusal(p);
}

TEST_F(SwitchOptions, AFabricSetsThePartsAndLongEnoughSlots) {
  const struct {
    const char* name;
    Time reconfiguration, slot;
  } fabrics[] = {{"lvds", nanoseconds(1), nanoseconds(100)},  // ten times 1 ns is less than the default slot
                 {"fast-optical", nanoseconds(100), microseconds(1)},
                 {"mems-2d", microseconds(12), microseconds(120)},
                 {"mems-3d", milliseconds(10), milliseconds(100)}};
  EXPECT_EQ(registered_names("fabric").size(), std::size(fabrics));
  for (const auto& fabric : fabrics) {
    set("preset", "ch5");
    set("fabric", fabric.name);
    EXPECT_EQ(p.fabric_reconfiguration(), fabric.reconfiguration) << fabric.name;
    EXPECT_EQ(p.slot_length, fabric.slot) << fabric.name;
    EXPECT_EQ(refusal(p), "") << fabric.name;
  }
  set("reconfiguration", "5us");
  EXPECT_NE(refusal(p).find("--fabric"), std::string::npos) << refusal(p);
  set("reconfiguration", "10ms");
  EXPECT_EQ(refusal(p), "");
}

TEST_F(SwitchOptions, AFabricKeepsAGivenSlotLengthInAnyOrder) {
  set("slot-length", "20us");
  set("fabric", "mems-2d");
  EXPECT_EQ(p.slot_length, microseconds(20));
  EXPECT_EQ(refusal(p), "");
  set("slot-length", "10us");
  EXPECT_NE(refusal(p).find("slot-length"), std::string::npos);
  set("preset", "ch4");  // resets all
  EXPECT_EQ(p.fabric_reconfiguration(), Time{});
  set("fabric", "mems-2d");
  EXPECT_EQ(p.slot_length, microseconds(120));
}

TEST_F(SwitchOptions, APartGivenWithAFabricReplacesTheFabricsPart) {
  set("fabric", "mems-2d");
  set("reconfiguration-lock", "3us");
  EXPECT_EQ(p.fabric_reconfiguration(), microseconds(14));
  EXPECT_EQ(refusal(p), "");
}

TEST_F(SwitchOptions, UnknownNamesAndBadValuesAreRefused) {
  EXPECT_THROW(set("technique", "teleport"), UserError);
  EXPECT_THROW(set("scheduler", "none-such"), UserError);
  EXPECT_THROW(set("fabric", "mems-4d"), UserError);
  EXPECT_THROW(set("preset", "ch7"), UserError);
  EXPECT_THROW(set("slots", "-1"), UserError);
  EXPECT_THROW(set("guard", "12"), UserError);
  EXPECT_THROW(set("buffer", "many"), UserError);
  EXPECT_EQ(refusal(p), "");
}

}  // namespace
}  // namespace hybrid
