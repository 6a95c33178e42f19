// Zero-load latency: the sum of the delays of the components, computed by hand from the dissertation's
// figures (docs/timing.md explains the sums).
#include <gtest/gtest.h>

#include "emulator/ticked/script.h"

namespace hybrid {
namespace {

/// Delivery of one message sent at `at` from port 0 to port 1 of an otherwise idle switch.
Time delivered(SwitchParameters p, const char* technique, Time at, Bytes bytes, bool preloaded = false) {
  p.technique = technique;
  std::vector<Action> script;
  if (preloaded) {
    script.push_back({Action::What::preload, Time{}, {}, 0, Configuration(p.nodes), kNoPort});
    script.back().configuration.add({0, 1});
  }
  script.push_back({Action::What::send, at, {0, {0, 1}, bytes}, 0, {}, kNoPort});
  const auto network = TechniqueRegistration::make(technique, p);
  return run_script(*network, script, milliseconds(1)).outcomes[0].delivered;
}

SwitchParameters preset(const char* name) {
  SwitchParameters p;
  apply_preset(name, p, false);
  p.preload = 0;
  p.slots = 4;
  return p;
}

TEST(ZeroLoad, WormholeIsWireSchedulerFabricWire) {
  // Generated 10, NIC 10, wire 80: at the switch at 100; edge 160, scheduled 240; fabric 10, wire 80, NIC 10.
  EXPECT_EQ(delivered(preset("ch5"), "wormhole", Time{}, 8), nanoseconds(340));
  // The flits after the first follow in 10 ns each (D 5.5.1).
  EXPECT_EQ(delivered(preset("ch5"), "wormhole", Time{}, 128), nanoseconds(340 + 15 * 10));
  // A second worm: tail gone at 240 + 160 = 400, which is an edge; scheduled at 480. The cable is seen once.
  EXPECT_EQ(delivered(preset("ch5"), "wormhole", Time{}, 136), nanoseconds(480 + 10 + 80 + 10));
}

TEST(ZeroLoad, CircuitIsRequestSchedulingGrantThenPointToPoint) {
  // Request ready at 80, at the scheduler at 160 (an edge): 80 + 80 + 80, then 30 + 20 + 20 + 30, NIC 10.
  EXPECT_EQ(delivered(preset("ch5"), "circuit", nanoseconds(60), 8),
            nanoseconds(80 + 80 + 80 + 80 + 100 + 10));
  EXPECT_EQ(delivered(preset("ch5"), "circuit", nanoseconds(60), 2048), nanoseconds(430 + 255 * 10));
}

TEST(ZeroLoad, PreloadedTdmIsPointToPointInsideASlot) {
  // Generated 10, NIC 10, then 100 point to point, NIC 10.
  EXPECT_EQ(delivered(preset("ch5"), "tdm", nanoseconds(10'000), 8, true),
            nanoseconds(10'000 + 20 + 100 + 10));
}

TEST(ZeroLoad, DynamicTdmWaitsForItsFirstSlot) {
  // Request at the scheduler at 100, established at 240, slot from 300, at the NIC from 380.
  EXPECT_EQ(delivered(preset("ch5"), "tdm", Time{}, 8), nanoseconds(380 + 100 + 10));
}

TEST(ZeroLoad, AMessageOverOneSlotOfAFullCycleWaitsForTheOthers) {
  SwitchParameters p = preset("ch5");
  p.allocation = "none";  // all four slots take turns
  // 80 bytes fit into one slot (D 5.5.2.1); the next word waits three slots of 100 ns.
  const Time start = nanoseconds(10'000);
  const Time one = delivered(p, "tdm", start, 8, true);
  // Slot 0 is at the NIC in [10080, 10180): the first word waits for it.
  EXPECT_EQ(one, nanoseconds(10'080 + 110));
  EXPECT_EQ(delivered(p, "tdm", start, 80, true), one + nanoseconds(90));
  EXPECT_EQ(delivered(p, "tdm", start, 88, true), one + nanoseconds(400));
}

TEST(ZeroLoad, HybridSendsUnpredictedMessagesAsWormsThroughTheAnalogFabric) {
  // At the switch at 100, where S_W begins and is at the fabric in [230, 330); granted 240; wire 80, NIC 10.
  EXPECT_EQ(delivered(preset("ch5"), "hybrid", Time{}, 8), nanoseconds(240 + 80 + 10));
  EXPECT_EQ(delivered(preset("ch5"), "hybrid", nanoseconds(10'000), 8, true), nanoseconds(10'130));
}

TEST(ZeroLoad, IsTheSumOfTheComponentsForEveryPreset) {
  for (const char* name : {"ch4", "ch5", "ch8"}) {
    const SwitchParameters p = preset(name);
    const Time edge = p.scheduler.cycle;
    const Time offered = p.word_generation, leaves = offered + p.nic.delay();
    const Time at_switch = leaves + p.one_way_wire();
    const Time scheduled = next_edge(at_switch, edge) + p.scheduler.delay();
    const Time last_word = p.word_time() * static_cast<std::int64_t>(p.worm_overhead_words);
    EXPECT_EQ(delivered(p, "wormhole", Time{}, 8),
              scheduled + last_word + p.digital_fabric.delay() + p.one_way_wire() + p.nic.delay())
        << name;
    const Time point_to_point =
        p.serialise + p.cable + p.analog_fabric.delay() + p.cable + p.deserialise + p.nic.delay();
    EXPECT_EQ(delivered(p, "circuit", Time{}, 8),
              scheduled + p.reconfiguration + p.one_way_wire() + point_to_point)
        << name;
    EXPECT_EQ(delivered(p, "tdm", p.slot_length * 50, 8, true), p.slot_length * 50 + leaves + point_to_point)
        << name;
    EXPECT_EQ(delivered(p, "hybrid", p.slot_length * 50, 8, true),
              p.slot_length * 50 + leaves + point_to_point)
        << name;
  }
}

}  // namespace
}  // namespace hybrid
