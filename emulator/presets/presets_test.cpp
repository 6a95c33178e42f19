// Every registered preset: what a user may rely on.
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "emulator/fabric.h"
#include "emulator/limits.h"
#include "emulator/network/technique.h"
#include "emulator/presets/preset.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

SwitchParameters preset(std::string_view name, std::string technique, std::uint32_t nodes = 0) {
  SwitchParameters p;
  p.technique = std::move(technique);
  p.nodes = nodes;
  apply_preset(name, p, nodes != 0);
  return p;
}

TEST(Presets, EachPassesTheCheckWithEveryTechniqueAndIsLimitedByNoPart) {
  EXPECT_GE(registered_names(Preset::kKind).size(), 12u);
  for (const std::string_view name : registered_names(Preset::kKind))
    for (const std::string_view technique : registered_names(Technique::kKind)) {
      const SwitchParameters p = preset(name, std::string(technique));
      EXPECT_NO_THROW(check(p)) << name << " " << technique;
      EXPECT_EQ(limit_texts(limiting_parts(p)), std::vector<std::string>{}) << name << " " << technique;
    }
}

TEST(Presets, EachRuns) {
  TrafficOptions traffic;
  traffic.pattern = "neighbor";
  traffic.message = 8192;
  traffic.messages = 4;
  for (const std::string_view name : registered_names(Preset::kKind))
    for (const char* technique : {"wormhole", "circuit", "tdm", "hybrid"}) {
      const Measures m = simulate(preset(name, technique, 9), traffic);
      EXPECT_EQ(m.messages, 36u) << name << " " << technique;
    }
}

TEST(Presets, AReconfigurationIsATenthOfASlotOrAHundredTicksAndACircuitIsKeptForACycle) {
  for (const std::string_view name : registered_names(Preset::kKind)) {
    const SwitchParameters p = preset(name, "tdm");
    if (p.allocation == "held")
      EXPECT_GE(p.slot_length * 100, p.fabric_reconfiguration()) << name;
    else
      EXPECT_GE(p.slot_length, p.fabric_reconfiguration() * 10) << name;
    const Time held = p.preload == 0 ? p.predictor_timeout : Time::never();  // preloaded: for the whole run
    EXPECT_GE(held, p.slot_length * std::int64_t{p.slots}) << name;
  }
}

TEST(Presets, PacketSwitchesForwardAPacketInTheirLatency) {
  TrafficOptions traffic;
  traffic.pattern = "permutation";
  traffic.message = 64;
  traffic.messages = 1;
  const auto time = [&](const char* name) { return simulate(preset(name, "wormhole", 2), traffic).time; };
  // Each way: word generation, adapter, fibre, switch, fibre, adapter; clocks round up to cycles of 1.28 ns.
  EXPECT_GE(time("infiniband-400g"), nanoseconds(300 + 50 + 130 + 50 + 300));
  EXPECT_LE(time("infiniband-400g"), nanoseconds(300 + 50 + 130 + 50 + 300 + 10));
  EXPECT_GE(time("ethernet-51t") - time("infiniband-400g"), nanoseconds(118));
  EXPECT_LE(time("ethernet-51t") - time("infiniband-400g"), nanoseconds(122));
}

TEST(Presets, ATreeGetsAnAllocationThatRunsOnIt) {
  SwitchParameters p;
  p.technique = "tdm";
  p.tree = {2, 4, 4};
  p.nodes = 16;
  apply_preset("ocs-mems-400g", p, true);
  EXPECT_NO_THROW(check(p));
}

TEST(Presets, AnUnknownNameIsRefusedWithTheClosest) {
  SwitchParameters p;
  OptionTable table;
  add_switch_options(table, p);
  try {
    table.set("preset", "ocs-mems-400", "--preset");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean 'ocs-mems-400g'?"), std::string::npos)
        << error.what();
  }
}

TEST(Presets, AnOptionReplacesTheReconfigurationOfAPreset) {
  SwitchParameters p;
  OptionTable table;
  add_switch_options(table, p);
  table.set("preset", "ocs-mems-400g", "test");
  EXPECT_EQ(p.fabric_reconfiguration(), milliseconds(10));
  table.set("reconfiguration", "5ms", "test");
  EXPECT_EQ(p.fabric_reconfiguration(), milliseconds(5));
  EXPECT_NO_THROW(check(p));
}

}  // namespace
}  // namespace hybrid
