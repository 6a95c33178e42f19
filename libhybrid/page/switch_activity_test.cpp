#include "libhybrid/page/switch_activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/random.h"
#include "emulator/switching/testing/random_switch.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

using Json = nlohmann::ordered_json;

SwitchParameters four_ports() {
  SwitchParameters p;
  p.nodes = 4;
  p.slots = 2;
  p.technique = "tdm";
  p.link_rate = 8'000'000'000;  // a byte in 1 ns
  return p;
}
// Ten intervals of 100 ns.
constexpr Time kJob = nanoseconds(1000) - picoseconds(1);

Message message(Port source, Port destination, Bytes bytes) {
  Message m;
  m.connection = {source, destination};
  m.bytes = bytes;
  return m;
}

TEST(SwitchActivity, AMessageCountsForTheTimeThatItTakesAtTheLinkRate) {
  SwitchActivity activity(four_ports(), kJob, {.time_bins = 10});
  activity.delivered(nanoseconds(20), message(2, 1, 50));    // more than the link carries until then
  activity.delivered(nanoseconds(250), message(0, 1, 200));  // 50 to 250 ns
  const Json json = activity.json();
  EXPECT_EQ(json["bins"]["width_ns"], 100.0);
  EXPECT_EQ(json["out"][0], Json::parse("[0.5,1.0,0.5,0.0,0.0,0.0,0.0,0.0,0.0,0.0]"));
  EXPECT_EQ(json["out"][2], Json::parse("[0.5,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]"));
  EXPECT_EQ(json["in"][1], Json::parse("[1.0,1.0,0.5,0.0,0.0,0.0,0.0,0.0,0.0,0.0]"));
  EXPECT_EQ(json["in"][0], Json::parse("[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]"));
}

TEST(SwitchActivity, InterleavedMessagesTakeTheLinkInTurn) {
  SwitchActivity activity(four_ports(), kJob, {.time_bins = 10});
  activity.delivered(nanoseconds(390), message(0, 1, 150));
  activity.delivered(nanoseconds(400), message(0, 2, 150));
  EXPECT_EQ(activity.json()["out"][0], Json::parse("[0.0,1.0,1.0,1.0,0.0,0.0,0.0,0.0,0.0,0.0]"));
}

TEST(SwitchActivity, ASlotChartHasTheCircuitHeldLongestInEachInterval) {
  SwitchActivity activity(four_ports(), kJob, {.time_bins = 10});
  activity.circuit(nanoseconds(50), {0, 1}, 0, true);
  activity.circuit(nanoseconds(330), {0, 1}, 0, false);
  activity.circuit(nanoseconds(340), {0, 2}, 0, true);
  activity.circuit(nanoseconds(390), {0, 2}, 0, false);
  activity.circuit(nanoseconds(900), {3, 0}, 1, true);  // up to the end
  // Slot, source, first interval, intervals, destination, circuits.
  EXPECT_EQ(activity.json()["circuits"], Json::parse("[[0,0,0,3,1,1],[0,0,3,1,2,2],[1,3,9,1,0,1]]"));
}

TEST(SwitchActivity, OfALargeSwitchIsAggregated) {
  SwitchActivity activity(four_ports(), kJob,
                          {.time_bins = 1, .port_groups = 2, .circuit_ports = 1, .circuit_slots = 1});
  activity.delivered(nanoseconds(900), message(2, 0, 500));
  activity.delivered(nanoseconds(900), message(3, 0, 100));
  for (Port port = 0; port < 4; ++port) {
    activity.circuit(Time{}, {port, 3 - port}, 0, true);
    activity.circuit(Time{}, {port, 3 - port}, 1, true);
  }
  const Json json = activity.json();
  EXPECT_EQ(json["port_group"], 2);
  EXPECT_EQ(json["out"], Json::parse("[[0.0],[0.3]]"));
  EXPECT_EQ(json["circuit_ports"], Json::parse("[2]"));
  EXPECT_EQ(json["circuit_slots"], 1);
  EXPECT_EQ(json["circuits"], Json::parse("[[0,0,0,1,1,1]]"));
}

/// Checks that the circuits of each slot are a configuration at every instant.
class CircuitCheck final : public PortTimeline {
 public:
  bool needs_words() const override { return false; }
  void circuit(Time at, Connection c, std::uint32_t slot, bool established) override {
    EXPECT_GE(at, last_);
    last_ = at;
    if (established) {
      EXPECT_TRUE(sources_.insert({slot, c.source}).second);
      EXPECT_TRUE(destinations_.insert({slot, c.destination}).second);
      ++circuits;
    } else {
      EXPECT_EQ(sources_.erase({slot, c.source}), 1u);
      EXPECT_EQ(destinations_.erase({slot, c.destination}), 1u);
    }
  }
  void delivered(Time /*at*/, const Message& /*message*/) override { ++messages; }
  std::uint64_t circuits = 0, messages = 0;

 private:
  Time last_{};
  std::set<std::pair<std::uint32_t, Port>> sources_, destinations_;
};

TEST(SwitchActivity, IsThatOfTheSwitchAndDoesNotChangeIt) {
  Random random(7);  // any seed
  for (int round = 0; round < 30; ++round) {
    SwitchParameters p = random_parameters(random, round % 2 == 0 ? "tdm" : "hybrid");
    p.preload = 0;
    TrafficOptions traffic;
    traffic.pattern = "uniform";
    traffic.messages = 1 + random.below(40);
    traffic.message = random.below(2000);
    const Measures alone = simulate(p, traffic);
    CircuitCheck check;
    EXPECT_EQ(simulate(p, traffic, {}, &check).time, alone.time);
    EXPECT_EQ(check.messages, alone.messages);
    EXPECT_GE(check.circuits, alone.statistics.established);

    SwitchActivity activity(p, alone.time, {.time_bins = 7});
    simulate(p, traffic, {}, &activity);
    const Json json = activity.json();
    for (const char* side : {"out", "in"})
      for (const Json& row : json[side])
        for (const Json& value : row) EXPECT_LE(value.get<double>(), 1.0) << side;
    // The utilisation is the mean over all ports and intervals, but for the rounding of the last interval.
    double sum = 0;
    for (const Json& row : json["out"])
      for (const Json& value : row) sum += value.get<double>();
    EXPECT_NEAR(sum * (1 + p.packet_plane) / (7 * p.nodes), alone.utilisation,
                0.001 + 0.02 * alone.utilisation);
  }
}

}  // namespace
}  // namespace hybrid
