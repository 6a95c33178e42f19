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

TEST(ZeroLoad, WithLookAheadTheNextWormFollowsWithoutAGap) {
  SwitchParameters p = preset("ch5");
  p.worm_lookahead = true;
  // The first worm's last word is in VQ_W at 250, and leaves until 400: the pass at 320 grants the second
  // worm, whose first word is there at 260, from 400 on.
  EXPECT_EQ(delivered(p, "wormhole", Time{}, 128), nanoseconds(490));
  EXPECT_EQ(delivered(p, "wormhole", Time{}, 136), nanoseconds(400 + 10 + 80 + 10));
  EXPECT_EQ(delivered(p, "wormhole", Time{}, 256), nanoseconds(400 + 150 + 10 + 80 + 10));
  // The analog fabric is not reconfigured while the first worm leaves. S_W begins at 100 and is at the fabric
  // from 230 on, as long as worms wait; the first worm is granted 240, has its path 80 later, and leaves
  // until 480. The pass at 400, 80 before that, grants the second one, which has its path at 480 + 80.
  p.reconfiguration = nanoseconds(80);
  p.predictor = "none";
  EXPECT_EQ(delivered(p, "hybrid", Time{}, 136), nanoseconds(560 + 80 + 10));
  p.worm_lookahead = false;
  EXPECT_EQ(delivered(p, "hybrid", Time{}, 136), nanoseconds(640 + 80 + 10));
}

/// A message of 128 bytes from port 0 to port 2 at 0, then one word from port 1 to the same port at 200.
Time second_delivered(SwitchParameters p) {
  const std::vector<Action> script{{Action::What::send, {}, {0, {0, 2}, 128}, 0, {}, kNoPort},
                                   {Action::What::send, nanoseconds(200), {1, {1, 2}, 8}, 0, {}, kNoPort}};
  return run_script(*TechniqueRegistration::make("wormhole", p), script, milliseconds(1))
      .outcomes[1]
      .delivered;
}

TEST(ZeroLoad, LookAheadNeedsAllWordsOfTheWormThatLeaves) {
  SwitchParameters p = preset("ch5");
  // The word is in VQ_W at 300. The worm leaves from 240 until 400.
  EXPECT_EQ(second_delivered(p), nanoseconds(480 + 10 + 80 + 10));
  p.worm_lookahead = true;
  EXPECT_EQ(second_delivered(p), nanoseconds(400 + 10 + 80 + 10));
  // Words are generated 30 apart, so that the worm leaves as its words arrive, the last one at 120 + 15 x 30
  // = 570. Its end, 580, is 80 after 500, but not known on the edge at 560: granted 720, as without
  // look-ahead.
  p.word_generation = nanoseconds(30);
  EXPECT_EQ(second_delivered(p), nanoseconds(720 + 10 + 80 + 10));
  p.worm_lookahead = false;
  EXPECT_EQ(second_delivered(p), nanoseconds(720 + 10 + 80 + 10));
}

TEST(ZeroLoad, CircuitIsRequestSchedulingGrantThenPointToPoint) {
  // Request ready at 80, at the scheduler at 160 (an edge): 80 + 80 + 80, then 30 + 20 + 20 + 30, NIC 10.
  EXPECT_EQ(delivered(preset("ch5"), "circuit", nanoseconds(60), 8),
            nanoseconds(80 + 80 + 80 + 80 + 100 + 10));
  EXPECT_EQ(delivered(preset("ch5"), "circuit", nanoseconds(60), 2048), nanoseconds(430 + 255 * 10));
}

TEST(ZeroLoad, ARequestBeyondTheWidthLeavesWhenAGrantArrives) {
  const auto last_delivered = [](std::uint32_t width) {
    SwitchParameters p = preset("ch5");
    p.request_width = width;
    const std::vector<Action> script{{Action::What::send, {}, {0, {1, 2}, 2048}, 0, {}, kNoPort},
                                     {Action::What::send, nanoseconds(100), {1, {0, 2}, 8}, 0, {}, kNoPort},
                                     {Action::What::send, nanoseconds(100), {2, {0, 3}, 8}, 0, {}, kNoPort}};
    return run_script(*TechniqueRegistration::make("circuit", p), script, milliseconds(1))
        .outcomes[2]
        .delivered;
  };
  // The first circuit is granted at 240 and its 256 words leave the NIC from 320 to 2880. The second message
  // waits for its output; the third one, offered at 120, is at the scheduler at 210: edge 240, NIC 400.
  EXPECT_EQ(last_delivered(0), nanoseconds(400 + 100 + 10));
  EXPECT_EQ(last_delivered(2), nanoseconds(400 + 100 + 10));
  // The first circuit's release is at the scheduler at 2960, an edge; the second grant is at the NIC at 3120.
  // Then the third request leaves: 3130, scheduler 3210, edge 3280, NIC 3440.
  EXPECT_EQ(last_delivered(1), nanoseconds(3440 + 100 + 10));
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
