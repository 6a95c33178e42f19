#include "emulator/traffic/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/network/technique.h"
#include "emulator/traffic/testing/ideal_network.h"

namespace hybrid {
namespace {

TEST(Simulate, ClosedLoopFillsTheLinksAndCountsEverything) {
  const SwitchParameters p = small_switch(8);
  const TrafficOptions o = traffic_named("permutation", 100);
  IdealNetwork ideal(p, false);
  const auto pattern = pattern_for(p, o);
  const Measures m = simulate(ideal, *pattern, p, o);
  EXPECT_EQ(m.messages, 800u);
  EXPECT_EQ(m.bytes, 800u * 128);
  EXPECT_EQ(m.latency.count(), 800u);
  // 100 messages of 160 ns back to back, followed by 100 ns.
  EXPECT_EQ(m.time, nanoseconds(100 * 160 + 100));
  EXPECT_EQ(m.latency.maximum(), nanoseconds(260));
  EXPECT_DOUBLE_EQ(m.utilisation, 16000.0 / 16100.0);
  EXPECT_EQ(m.hit_rate, 0);
}

TEST(Simulate, BytesPerPortMatchTheMessagesOnEveryTechnique) {
  SwitchParameters p = small_switch(16);
  for (const std::string_view technique : registered_names(Technique::kKind)) {
    p.technique = technique;
    TrafficOptions o = traffic_named("uniform", 30);
    o.message = 100;
    std::vector<PortTraffic> expected(p.nodes);
    const auto pattern = pattern_for(p, o);
    for (Port source = 0; source < p.nodes; ++source)
      for (std::uint64_t i = 0; i < pattern->messages(source); ++i) {
        expected[source].out += o.message;
        expected[pattern->next(source).destination].in += o.message;
      }
    const Measures m = simulate(p, o);
    EXPECT_EQ(m.ports, expected) << technique;
    Bytes out = 0, in = 0;
    for (const PortTraffic& port : m.ports) {
      out += port.out;
      in += port.in;
    }
    EXPECT_EQ(out, m.bytes) << technique;
    EXPECT_EQ(in, m.bytes) << technique;
    if (m.time == Time{}) continue;  // a network that takes no time has no utilisation
    const PortSpread spread = m.in_utilisation();
    EXPECT_DOUBLE_EQ(spread.mean, m.utilisation);
    EXPECT_LT(spread.least, spread.mean);  // uniform, but with 30 messages per node
    EXPECT_GT(spread.largest, spread.mean);
    EXPECT_DOUBLE_EQ(m.out_utilisation().least, m.out_utilisation().largest);
  }
}

TEST(Simulate, AWindowWaitsForDeliveries) {
  const SwitchParameters p = small_switch(4);
  TrafficOptions o = traffic_named("permutation", 10);
  o.outstanding = 1;
  IdealNetwork ideal(p, false);
  const auto pattern = pattern_for(p, o);
  EXPECT_EQ(simulate(ideal, *pattern, p, o).time, nanoseconds(10 * 260));
}

TEST(Simulate, OpenLoopOffersTheLoad) {
  const SwitchParameters p = small_switch(16);
  for (const double load : {0.1, 0.5, 0.9}) {
    TrafficOptions o = traffic_named("uniform", 2000);
    o.load = load;
    IdealNetwork ideal(p, false);
    const auto pattern = pattern_for(p, o);
    const Measures m = simulate(ideal, *pattern, p, o);
    EXPECT_EQ(m.messages, 32'000u);
    EXPECT_NEAR(m.utilisation, load, 0.06);
    // Poisson arrivals, fixed service: the mean wait is load / (2 (1 - load)) service times
    // (Pollaczek-Khinchine).
    const double wait = 160 * load / (2 * (1 - load));
    EXPECT_NEAR(m.latency.mean().nanoseconds(), 260 + wait, load < 0.9 ? 10 : 150);
  }
}

TEST(Simulate, BelowSaturationTheOfferedLoadIsAccepted) {
  const SwitchParameters p = small_switch(16);
  for (const double load : {0.1, 0.5, 0.8}) {
    TrafficOptions o = traffic_named("uniform", 2000);
    o.load = load;
    IdealNetwork ideal(p, false);
    const auto pattern = pattern_for(p, o);
    const Measures m = simulate(ideal, *pattern, p, o);
    EXPECT_NEAR(m.offered_load.value(), load, 0.02);
    EXPECT_NEAR(m.accepted_load.value(), m.offered_load.value(), 0.005);
    EXPECT_LT(m.latency.count(), m.messages) << "messages of the warm-up do not count";
    EXPECT_NEAR(static_cast<double>(m.latency.count()), 0.8 * static_cast<double>(m.messages), 800);
  }
}

TEST(Simulate, ASaturatedSwitchAcceptsWhatItCan) {
  // The network has half of the rate that the load refers to.
  SwitchParameters p = small_switch(16), slow = p;
  slow.link_rate = p.link_rate / 2;
  TrafficOptions o = traffic_named("uniform", 2000);
  o.load = 0.9;
  IdealNetwork ideal(slow, false);
  const auto pattern = pattern_for(p, o);
  const Measures m = simulate(ideal, *pattern, p, o);
  EXPECT_NEAR(m.offered_load.value(), 0.9, 0.02);
  EXPECT_NEAR(m.accepted_load.value(), 0.5, 0.005);
}

TEST(Simulate, IdleNodesDoNotCountInTheLoad) {
  const SwitchParameters p = small_switch(16);
  const TrafficOptions o = traffic_named("scatter", 500);  // from one node
  IdealNetwork ideal(p, false);
  const auto pattern = pattern_for(p, o);
  const Measures m = simulate(ideal, *pattern, p, o);
  EXPECT_NEAR(m.offered_load.value(), 1, 0.01);
  EXPECT_NEAR(m.accepted_load.value(), 1, 0.01);
  EXPECT_NEAR(m.utilisation, 1.0 / 16, 0.001);
}

TEST(Simulate, WarmUpIsUsedOrRefused) {
  const SwitchParameters p = small_switch(4);
  TrafficOptions o = traffic_named("permutation", 100);  // 160 ns each
  o.warmup = nanoseconds(8000);
  IdealNetwork ideal(p, false);
  const auto pattern = pattern_for(p, o);
  EXPECT_NEAR(simulate(ideal, *pattern, p, o).accepted_load.value(), 1, 0.03);
  o.warmup = nanoseconds(16'000);
  IdealNetwork again(p, false);
  EXPECT_THROW(simulate(again, *pattern_for(p, o), p, o), UserError) << "no node sends after that";
}

/// Delivers the second message of a connection before the first.
TEST(Simulate, ATechniqueThatReordersIsDetected) {
  class Reorders final : public Technique {
    void send(Time, const Message& m) override { sent_.push_back(m); }
    Time next_event() const override { return sent_.empty() ? Time::never() : now_ + nanoseconds(1); }
    Time advance(Time until, TransferListener& listener) override {
      now_ = until;
      const Message m = sent_.back();
      if (!left_) {
        for (const Message& each : sent_) listener.injected(now_, each);
        left_ = true;
        return now_;
      }
      sent_.pop_back();
      listener.delivered(now_, m, false);
      left_ = false;
      return now_;
    }
    TechniqueStatistics statistics() const override { return {}; }
    std::vector<Message> sent_;
    bool left_ = false;
    Time now_{};
  };
  SwitchParameters p = small_switch(2);
  TrafficOptions o = traffic_named("permutation", 3);
  Reorders technique;
  EXPECT_THROW(simulate(technique, *pattern_for(p, o), p, o), std::logic_error);
}

TEST(Simulate, EveryLoadCarriesTheSameMessages) {
  const SwitchParameters p = small_switch(9);
  std::vector<std::vector<std::vector<Port>>>
      sent;  // by load and source; the order between sources may differ
  for (const double load : {0.0, 0.3}) {
    TrafficOptions o = traffic_named("uniform", 50);
    o.load = load;
    IdealNetwork ideal(p, false);
    const auto pattern = pattern_for(p, o);
    simulate(ideal, *pattern, p, o);
    sent.emplace_back(p.nodes);
    for (const Connection& c : ideal.order) sent.back()[c.source].push_back(c.destination);
  }
  EXPECT_EQ(sent[0], sent[1]);
}

// Without the guard, a message waits until the predictors release the circuits that block it. A request that
// the switch received after it had released the same connection, and that the predictor does not want any
// more, must be withdrawn: otherwise its circuit is held for ever.
TEST(Simulate, TimeOutsReleaseEveryCircuitWithoutTheGuard) {
  for (const std::uint64_t seed : {1, 2, 3})
    for (const Time timeout : {nanoseconds(200), microseconds(1)}) {
      SCOPED_TRACE(std::to_string(seed) + ", " + std::to_string(timeout.ps));
      SwitchParameters p = small_switch(64);
      p.technique = "tdm";
      p.slots = 3;
      p.seed = seed;
      p.predictor = "timeout";
      p.predictor_timeout = timeout;
      p.demand_guard = false;
      TrafficOptions o = traffic_named("determinism", 128);
      o.message = 64;
      o.ratio = 0.5;
      const auto pattern = pattern_for(p, o);
      const auto tdm = TechniqueRegistration::make(p.technique, p);
      EXPECT_EQ(simulate(*tdm, *pattern, p, o).messages, 64u * 128u);
    }
}

TEST(Simulate, MessagesThatCanNeverArriveAreAnError) {
  const SwitchParameters p = small_switch(16, 1);  // one direction of four
  const TrafficOptions o = traffic_named("ordered-mesh");
  IdealNetwork ideal(p, true);
  const auto pattern = pattern_for(p, o);
  EXPECT_THROW(simulate(ideal, *pattern, p, o), RunError);
}

TEST(Simulate, EmptyMessagesTravelAsOneWord) {
  const SwitchParameters p = small_switch(4);
  TrafficOptions o = traffic_named("permutation", 10);
  o.message = 0;
  IdealNetwork ideal(p, false);
  const auto pattern = pattern_for(p, o);
  const Measures m = simulate(ideal, *pattern, p, o);
  EXPECT_EQ(m.bytes, 0u);
  EXPECT_EQ(m.time, nanoseconds(200));
  EXPECT_EQ(m.utilisation, 0);
}

// Both options for the reconfiguration time of the fabric give the same run.
TEST(Simulate, ReconfigurationAndItsPartsGiveTheSameRun) {
  for (const std::string_view allocation : registered_names("allocation")) {
    SwitchParameters p = small_switch(16);
    p.technique = "hybrid";
    p.allocation = allocation;
    p.slot_length = microseconds(1);
    const TrafficOptions o = traffic_named("mixed", 60);
    p.reconfiguration = nanoseconds(100);
    const Measures whole = simulate(p, o);
    p.reconfiguration = Time{};
    p.reconfiguration_command = nanoseconds(40);
    p.reconfiguration_lock = nanoseconds(60);
    const Measures parts = simulate(p, o);
    EXPECT_EQ(parts.time, whole.time) << allocation;
    EXPECT_EQ(parts.statistics.slots_used, whole.statistics.slots_used) << allocation;
  }
}

TEST(Simulate, ReportsNoLoadOfLessThanFourMessages) {
  const SwitchParameters p = small_switch(4);
  const auto loads = [&](std::uint64_t messages) {
    IdealNetwork ideal(p, false);
    const TrafficOptions o = traffic_named("permutation", messages);
    const auto pattern = pattern_for(p, o);
    const Measures m = simulate(ideal, *pattern, p, o);
    EXPECT_EQ(m.offered_load.has_value(), m.accepted_load.has_value());
    return m.accepted_load;
  };
  EXPECT_FALSE(loads(1));
  ASSERT_TRUE(loads(50));
  EXPECT_LE(*loads(50), 1.0);
}

TEST(Simulate, ARunBeyondTheRangeOfTimeIsRefused) {
  SwitchParameters p = small_switch(2);
  p.technique = "circuit";
  p.word_generation = nanoseconds(10'000'000'000);
  TrafficOptions o = traffic_named("permutation", 3);
  o.message = Bytes{1} << 40;
  EXPECT_THROW(simulate(p, o), UserError) << "one message";
  o.message = Bytes{8} << 13;  // 8192 words of 10 s
  o.messages = 1000;
  EXPECT_THROW(simulate(p, o), UserError) << "all of them";
}

TEST(Simulate, ReportsProgress) {
  const SwitchParameters p = small_switch(16);
  const TrafficOptions o = traffic_named("uniform", 1000);
  IdealNetwork ideal(p, false);
  const auto pattern = pattern_for(p, o);
  std::vector<std::uint64_t> reported;
  simulate(ideal, *pattern, p, o, [&](std::uint64_t delivered, std::uint64_t all) {
    EXPECT_EQ(all, 16'000u);
    reported.push_back(delivered);
  });
  ASSERT_GE(reported.size(), 3u);
  EXPECT_TRUE(std::is_sorted(reported.begin(), reported.end()));
  EXPECT_EQ(reported.back(), 16'000u);
}

TEST(TrafficOptions, AreParsedAndChecked) {
  TrafficOptions o;
  OptionTable table;
  add_traffic_options(table, o);
  table.set("pattern", "all-to-all", "--pattern");
  table.set("message", "2K", "--message");
  table.set("messages", "12", "--messages");
  table.set("load", "0.25", "--load");
  EXPECT_EQ(o.pattern, "all-to-all");
  EXPECT_EQ(o.message, 2048u);
  EXPECT_EQ(o.messages, 12u);
  EXPECT_EQ(o.load, 0.25);
  EXPECT_NO_THROW(check(o));
  EXPECT_THROW(table.set("load", "1.5", "--load"), UserError);
  EXPECT_THROW(table.set("load", "half", "--load"), UserError);
  EXPECT_THROW(table.set("pattern", "all2all", "--pattern"), UserError);
  table.set("hotspot", "0.5", "--hotspot");
  table.set("warmup", "3us", "--warmup");
  EXPECT_EQ(o.hotspot, 0.5);
  EXPECT_EQ(o.warmup, microseconds(3));
  EXPECT_THROW(table.set("hotspot", "2", "--hotspot"), UserError);
  table.set("outstanding", "3", "--outstanding");
  EXPECT_THROW(check(o), UserError) << "open loop and a window";
  o.load = 0;
  EXPECT_NO_THROW(check(o));
  o.message = kUnlimited;
  EXPECT_THROW(check(o), UserError);
}

}  // namespace
}  // namespace hybrid
