// The hybrid switch with our policies: the packet plane, misses that wait for a circuit, and every message in
// order on traffic of all patterns (the driver checks order, loss and duplicates).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/registry.h"
#include "emulator/ticked/script.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

SwitchParameters our_switch(std::uint32_t nodes) {
  SwitchParameters p;
  use_our_policy(p);
  p.nodes = nodes;
  return p;
}

Outcome single_message(const SwitchParameters& p, Bytes bytes) {
  const auto technique = TechniqueRegistration::make(p.technique, p);
  Action send;
  send.message = {0, {0, 1}, bytes};
  return run_script(*technique, {send}, milliseconds(1)).outcomes.at(0);
}

TEST(HybridPolicy, ThePacketPlaneIsAWormholeSwitchWithItsShareOfTheRate) {
  SwitchParameters hybrid = our_switch(4);
  hybrid.packet_plane = 0.1;
  hybrid.predictor = "none";
  hybrid.reconfiguration = milliseconds(1);  // no circuit pays
  SwitchParameters wormhole = hybrid;
  wormhole.technique = "wormhole";
  wormhole.link_rate = hybrid.link_rate / 10;
  for (const Bytes bytes : {8, 128, 2048})
    EXPECT_EQ(single_message(hybrid, bytes).delivered, single_message(wormhole, bytes).delivered) << bytes;
}

TEST(HybridPolicy, AnUnloadedMessageTakesThePathThatDeliversItEarlier) {
  SwitchParameters chosen = our_switch(4), worms = chosen;
  worms.misses_use_worms = true;
  chosen.predictor = worms.predictor = "none";
  for (const Bytes bytes : {8, 256})
    EXPECT_EQ(single_message(chosen, bytes), single_message(worms, bytes)) << bytes;
  for (const Bytes bytes : {512, 2048, 65'536})
    EXPECT_LT(single_message(chosen, bytes).delivered, single_message(worms, bytes).delivered) << bytes;
}

TEST(HybridPolicy, AnExpectedMessageFindsItsCircuitOpen) {
  const auto latency_of_last = [](const std::string& technique, const std::string& predictor) {
    SwitchParameters p = our_switch(4);
    p.technique = technique;
    p.predictor = predictor;
    std::vector<Action> script;
    for (std::uint64_t id = 0; id < 20; ++id) {
      Action send;
      send.at = microseconds(2) * static_cast<std::int64_t>(id);
      send.message = {id, {0, static_cast<Port>(1 + id % 3)}, id < 3 ? Bytes{4096} : Bytes{8}};  // 3 circuits
      script.push_back(send);
    }
    const auto outcomes =
        run_script(*TechniqueRegistration::make(p.technique, p), script, milliseconds(1)).outcomes;
    return outcomes.back().delivered - script.back().at;
  };
  // 10 generation + 10 NIC + 100 on the way + 10 word + 10 NIC; worms need a pass and two more converters.
  EXPECT_LE(latency_of_last("hybrid", "tournament"), nanoseconds(140));
  EXPECT_GE(latency_of_last("hybrid", "none"), nanoseconds(250)) << "the last destination is never the next";
  EXPECT_GE(latency_of_last("wormhole", "none"), nanoseconds(250));
}

/// Rounds of sends of 64 bytes, at these times in each, to an output with two slots and others. `free_at`:
/// when the circuits of source 3 are flushed; 0: never.
std::vector<Outcome> outcomes_of_rounds(const std::string& technique,
                                        const std::vector<std::pair<Time, Connection>>& sends, Time free_at) {
  SwitchParameters p = our_switch(8);
  p.technique = technique;
  p.slots = 2;
  std::vector<Action> script;
  std::uint64_t id = 0;
  for (std::int64_t round = 0; round < 30; ++round) {
    const Time begin = microseconds(10) * round;
    for (const auto& [at, c] : sends) script.push_back(Action::send(begin + at, id++, c, 64));
    if (free_at != Time{}) script.push_back({Action::What::flush, begin + free_at, {}, 0, {}, 3});
  }
  std::sort(script.begin(), script.end(), [](const Action& a, const Action& b) { return a.at < b.at; });
  return run_script(*TechniqueRegistration::make(p.technique, p), script, milliseconds(1)).outcomes;
}

/// Two other sources take the output from an idle circuit that the predictor of the first one still holds.
/// One of them returns it.
TEST(HybridPolicy, ALostCircuitIsRequestedAgainBeforeItsNextMessage) {
  for (const char* technique : {"tdm", "hybrid"}) {
    const auto outcomes = outcomes_of_rounds(technique,
                                             {{{}, {0, 1}},
                                              {microseconds(2), {2, 1}},
                                              {microseconds(4), {3, 1}},
                                              {microseconds(8), {0, 4}}},  // the next one is to 1
                                             microseconds(6));
    for (std::size_t i = 60; i < outcomes.size(); i += 4)
      EXPECT_TRUE(outcomes[i].hit) << technique << ", round " << i / 4;
  }
}

/// All messages of `tdm` wait for circuits: the first three of a round release others for their data.
TEST(HybridPolicy, APredictedRequestReleasesNoOtherCircuit) {
  const auto outcomes = outcomes_of_rounds("tdm",
                                           {{{}, {0, 1}},
                                            {microseconds(1), {2, 1}},
                                            {microseconds(2), {3, 1}},
                                            {microseconds(4), {0, 4}},  // the next one is to 1
                                            {microseconds(6), {2, 1}},
                                            {microseconds(8), {3, 1}}},
                                           {});
  for (std::size_t i = 60; i < outcomes.size(); i += 6) {
    EXPECT_TRUE(outcomes[i + 4].hit) << "round " << i / 6;
    EXPECT_TRUE(outcomes[i + 5].hit) << "round " << i / 6;
  }
}

/// Three sources take turns for an output with two slots: each message needs one request, also if the
/// predictor expects the next message for the same destination.
TEST(HybridPolicy, ALostCircuitIsRequestedOnceForItsMessage) {
  SwitchParameters p = our_switch(4);
  p.technique = "tdm";
  p.slots = 2;
  std::vector<Action> script;
  for (std::uint64_t id = 0; id < 90; ++id)
    script.push_back(Action::send(microseconds(2) * static_cast<std::int64_t>(id), id,
                                  {std::array<Port, 3>{0, 2, 3}[id % 3], 1}, 64));
  const auto technique = TechniqueRegistration::make(p.technique, p);
  run_script(*technique, script, milliseconds(1));
  EXPECT_EQ(technique->statistics().requests, script.size());
}

/// The switch counts the slots that the words of a message need, ten words each.
TEST(HybridPolicy, ACircuitHasItsPortsForTheSlotsThatItsWordsNeed) {
  for (const auto& [bytes, slots] : std::vector<std::pair<int, int>>{{80, 1}, {128, 2}, {160, 2}, {168, 3}}) {
    SwitchParameters p = our_switch(4);
    p.technique = "tdm";
    p.predictor = "none";
    std::vector<Action> script;
    for (Port source = 0; source < 3; ++source) {
      Action send;
      send.message = {source, {source, 3}, static_cast<Bytes>(bytes)};
      script.push_back(send);
    }
    auto outcomes =
        run_script(*TechniqueRegistration::make(p.technique, p), script, milliseconds(1)).outcomes;
    std::sort(outcomes.begin(), outcomes.end(),
              [](const Outcome& a, const Outcome& b) { return a.delivered < b.delivered; });
    for (std::size_t k : {1U, 2U})
      EXPECT_EQ(outcomes[k].delivered - outcomes[k - 1].delivered, nanoseconds(100) * slots) << bytes;
  }
}

/// A reconfiguration stops only the port whose partner changes.
TEST(HybridPolicy, OtherCircuitsGoOnDuringAReconfiguration) {
  SwitchParameters p = our_switch(4);
  p.technique = "tdm";
  p.reconfiguration = microseconds(10);
  Action first, second;
  first.message = {0, {0, 1}, 16'000};
  second.at = microseconds(12);  // its circuit begins while the first one transfers
  second.message = {1, {2, 3}, 800};
  const auto deliveries = [&](const std::vector<Action>& script) {
    return run_script(*TechniqueRegistration::make(p.technique, p), script, milliseconds(10)).outcomes;
  };
  EXPECT_EQ(deliveries({first, second}).at(0), deliveries({first}).at(0));
}

TEST(HybridPolicy, ACircuitDoesNotOvertakeWormsOnASlowPlane) {
  SwitchParameters p = our_switch(4);
  p.packet_plane = 0.5;
  p.digital_fabric.latency = 100;  // 1 us, ten times the way of a circuit
  std::vector<Action> script;
  for (std::uint64_t id = 0; id < 20; ++id) {
    Action send;
    send.at = microseconds(2) * static_cast<std::int64_t>(id);
    send.message = {id, {0, 1}, id % 2 == 0 ? Bytes{8} : Bytes{4096}};
    script.push_back(send);
  }
  const auto outcomes =
      run_script(*TechniqueRegistration::make(p.technique, p), script, milliseconds(1)).outcomes;
  for (std::size_t id = 1; id < outcomes.size(); ++id)
    EXPECT_GE(outcomes[id].delivered, outcomes[id - 1].delivered) << id;
}

/// Circuits for ever new destinations do not keep up with short messages; those for a few destinations do.
TEST(HybridPolicy, ABacklogOfShortMessagesTakesThePathThatKeepsUp) {
  const auto mean_time = [](const char* pattern, const char* technique) {
    constexpr std::uint64_t kSeeds = 8;
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      SwitchParameters p = our_switch(16);
      p.technique = technique;
      p.seed = seed;
      TrafficOptions traffic;
      traffic.pattern = pattern;
      traffic.message = 128;
      traffic.load = 1;
      sum += static_cast<double>(simulate(p, traffic).time.ps);
    }
    return sum / kSeeds;
  };
  for (const char* pattern : {"scatter", "random-to-all"})
    EXPECT_LE(mean_time(pattern, "hybrid"), 1.01 * mean_time(pattern, "wormhole")) << pattern;
  // The few circuits of connections in the table are not worth the pauses of the worms.
  EXPECT_LE(mean_time("all-to-all", "hybrid"), 1.04 * mean_time("all-to-all", "wormhole"));
  for (const char* pattern : {"transpose", "hotspot", "neighbor"})
    EXPECT_LE(mean_time(pattern, "hybrid"), 0.85 * mean_time(pattern, "wormhole")) << pattern;
}

/// The fabric carries no circuit before the first slot, so that a worm passes as it does later.
TEST(HybridPolicy, TheFirstWormTakesAsLongAsALaterOne) {
  SwitchParameters p = our_switch(4);
  p.link_rate = 400'000'000'000;
  p.scheduler = {picoseconds(1'280), 1};
  p.word_generation = p.word_time();
  p.serialise = p.deserialise = picoseconds(480);
  const auto latency = [&](Time at) {
    Action send;
    send.at = at;
    send.message = {0, {0, 1}, 128};
    const auto outcomes =
        run_script(*TechniqueRegistration::make(p.technique, p), {send}, milliseconds(1)).outcomes;
    return outcomes.at(0).delivered - at;
  };
  // A multiple of the slot's length and of the scheduler's cycle.
  EXPECT_EQ(latency({}), latency(p.slot_length * p.scheduler.cycle.ps));
}

/// A NIC does not know that other NICs' circuits occupy an output for ten reconfigurations each.
TEST(HybridPolicy, LateCircuitsCostLittleMoreThanThePacketPlaneAlone) {
  for (const char* const pattern :
       {"uniform", "mixed", "phases", "neighbor", "determinism", "ordered-mesh"}) {
    SwitchParameters p = our_switch(16);
    p.packet_plane = 0.1;
    TrafficOptions traffic;
    traffic.pattern = pattern;
    traffic.message = 4096;
    traffic.load = 0.5;
    p.reconfiguration = milliseconds(1);
    const Measures circuits = simulate(p, traffic);
    p.reconfiguration = milliseconds(10'000);  // no circuit pays
    const Measures alone = simulate(p, traffic);
    ASSERT_EQ(alone.statistics.circuit_messages, 0U) << pattern;
    EXPECT_GT(circuits.statistics.circuit_messages, 0U) << pattern;
    EXPECT_LE(static_cast<double>(circuits.time.ps), 1.1 * static_cast<double>(alone.time.ps)) << pattern;
  }
}

/// A message that waits for an output which a long one occupies.
TEST(HybridPolicy, AMessageLeavesALateCircuitWhenItsLastWormHasLeft) {
  SwitchParameters p = our_switch(4);
  p.packet_plane = 0.5;
  p.reconfiguration = microseconds(10);
  std::vector<Action> script(3);
  script[0].message = {0, {3, 2}, 400'000};
  script[1].at = script[2].at = microseconds(20);
  script[1].message = {1, {0, 1}, 2000};  // its worms leave before the next message has entered its queue
  script[2].message = {2, {0, 2}, 9000};
  const auto latency = [&] {
    return run_script(*TechniqueRegistration::make(p.technique, p), script, milliseconds(10))
               .outcomes.at(2)
               .delivered -
           script[2].at;
  };
  SwitchParameters alone = p;
  alone.reconfiguration = milliseconds(10'000);  // no circuit pays
  const Time on_plane = single_message(alone, 9000).delivered;
  EXPECT_LT(latency(), on_plane * 2);
  script[1].message.bytes = 8000;  // after it
  EXPECT_LT(latency(), on_plane * 3);
}

TEST(HybridPolicy, OtherTechniquesIgnoreThePacketPlane) {
  for (const std::string_view technique : registered_names(Technique::kKind)) {
    if (uses_option(Technique::kKind, technique, "packet-plane")) continue;
    for (const Time reconfiguration : {Time{}, nanoseconds(500), microseconds(1), microseconds(10)}) {
      SwitchParameters p = our_switch(8);
      p.technique = technique;
      p.reconfiguration = reconfiguration;
      p.slot_length = std::max(p.slot_length, reconfiguration * 10);
      TrafficOptions traffic;
      traffic.pattern = "random-mesh";
      traffic.load = reconfiguration < microseconds(1) ? 0.3 : 0.05;
      traffic.message = 512;
      traffic.messages = 100;
      const Measures without = simulate(p, traffic);
      p.packet_plane = 0.1;
      const Measures with = simulate(p, traffic);
      EXPECT_EQ(with.time, without.time) << technique << ", reconfiguration " << to_string(reconfiguration);
      EXPECT_EQ(with.latency.mean(), without.latency.mean()) << technique;
      EXPECT_EQ(with.statistics.hits, without.statistics.hits) << technique;
      EXPECT_EQ(with.statistics.established, without.statistics.established) << technique;
    }
  }
}

TEST(HybridPolicy, EveryMessageArrivesInOrderOnEveryPattern) {
  int seed = 0;
  for (const std::string_view pattern : registered_names("pattern")) {
    for (const double plane : {0.0, 0.1}) {
      for (const Time reconfiguration : {Time{}, nanoseconds(500)}) {
        SwitchParameters p = our_switch(16);
        p.packet_plane = plane;
        p.reconfiguration = reconfiguration;
        p.buffer = ++seed % 2 == 0 ? Bytes{1024} : kUnlimited;
        p.seed = static_cast<std::uint64_t>(seed);
        TrafficOptions traffic;
        traffic.pattern = pattern;
        traffic.message = seed % 3 == 0 ? 64 : 900;
        traffic.messages = 20;
        traffic.load = 0.8;
        EXPECT_GT(simulate(p, traffic).messages, 0U) << pattern;
      }
    }
  }
}

}  // namespace
}  // namespace hybrid
