#include "emulator/traffic/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/network/technique.h"
#include "emulator/traffic/pattern.h"

namespace hybrid {
namespace {

/// Ideal network: a source hands over one message at a time at link rate, and each message arrives after a
/// fixed time. With `needs_slot`, a message arrives only when its connection is preloaded, and is then a hit.
class Ideal : public Technique {
 public:
  Ideal(const SwitchParameters& p, bool needs_slot)
      : p_(p), needs_slot_(needs_slot), free_(p.nodes), slots_(p.slots, Configuration(p.nodes)) {}

  void send(Time at, const Message& m) override {
    EXPECT_GE(at, now_);
    EXPECT_LE(at, next_event());
    now_ = at;
    const Time done = std::max(at, free_[m.connection.source]) +
                      time_on_link(std::max<Bytes>(m.bytes, p_.word), p_.link_rate);
    free_[m.connection.source] = done;
    events_.push({done, serial_++, Event::Kind::injected, m});
  }
  void preload(Time at, std::uint32_t slot, const Configuration& c) override {
    EXPECT_GE(at, now_);
    preloads.push_back({slot, c});
    slots_[slot] = c;
    for (auto it = waiting_.begin(); it != waiting_.end();) {
      if (!ready(*it)) {
        ++it;
        continue;
      }
      events_.push({at + kLatency, serial_++, Event::Kind::delivered, *it});
      it = waiting_.erase(it);
    }
  }
  Time next_event() const override { return events_.empty() ? Time::never() : events_.top().at; }
  Time advance(Time until, TransferListener& listener) override {
    if (events_.empty() || events_.top().at > until) return now_ = until;
    now_ = events_.top().at;
    while (!events_.empty() && events_.top().at == now_) {
      const Event e = events_.top();
      events_.pop();
      if (e.kind == Event::Kind::injected) {
        order.push_back(e.message.connection);
        listener.injected(now_, e.message);
        if (ready(e.message))
          events_.push({now_ + kLatency, serial_++, Event::Kind::delivered, e.message});
        else
          waiting_.push_back(e.message);
      } else {
        listener.delivered(now_, e.message, needs_slot_);
        ++statistics_.messages;
        statistics_.bytes += e.message.bytes;
        statistics_.hits += needs_slot_;
      }
    }
    return now_;
  }
  TechniqueStatistics statistics() const override { return statistics_; }

  static constexpr Time kLatency = nanoseconds(100);
  std::vector<std::pair<std::uint32_t, Configuration>> preloads;
  std::vector<Connection> order;

 private:
  struct Event {
    enum class Kind { injected, delivered };
    Time at;
    std::uint64_t serial = 0;
    Kind kind = Kind::injected;
    Message message;
    bool operator>(const Event& o) const { return at != o.at ? at > o.at : serial > o.serial; }
  };
  bool ready(const Message& m) const {
    return !needs_slot_ || std::any_of(slots_.begin(), slots_.end(),
                                       [&](const Configuration& c) { return c.holds(m.connection); });
  }
  SwitchParameters p_;
  bool needs_slot_;
  Time now_{};
  std::uint64_t serial_ = 0;
  std::vector<Time> free_;
  std::vector<Configuration> slots_;
  std::vector<Message> waiting_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  TechniqueStatistics statistics_;
};

SwitchParameters parameters(std::uint32_t nodes, std::uint32_t preload = 0) {
  SwitchParameters p;
  p.nodes = nodes;
  p.preload = preload;
  return p;
}

TrafficOptions traffic(const std::string& pattern, std::uint64_t messages = 0) {
  TrafficOptions o;
  o.pattern = pattern;
  o.messages = messages;
  return o;
}

std::unique_ptr<Pattern> make(const SwitchParameters& p, const TrafficOptions& o) {
  return PatternRegistration::make(o.pattern, PatternShape{p.nodes, o.messages, p.seed});
}

TEST(Simulate, ClosedLoopFillsTheLinksAndCountsEverything) {
  const SwitchParameters p = parameters(8);
  const TrafficOptions o = traffic("permutation", 100);
  Ideal ideal(p, false);
  const auto pattern = make(p, o);
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
  SwitchParameters p = parameters(16);
  for (const std::string_view technique : registered_names(Technique::kKind)) {
    p.technique = technique;
    TrafficOptions o = traffic("uniform", 30);
    o.message = 100;
    std::vector<PortTraffic> expected(p.nodes);
    const auto pattern = make(p, o);
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
  const SwitchParameters p = parameters(4);
  TrafficOptions o = traffic("permutation", 10);
  o.outstanding = 1;
  Ideal ideal(p, false);
  const auto pattern = make(p, o);
  EXPECT_EQ(simulate(ideal, *pattern, p, o).time, nanoseconds(10 * 260));
}

TEST(Simulate, OpenLoopOffersTheLoad) {
  const SwitchParameters p = parameters(16);
  for (const double load : {0.1, 0.5, 0.9}) {
    TrafficOptions o = traffic("uniform", 2000);
    o.load = load;
    Ideal ideal(p, false);
    const auto pattern = make(p, o);
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
  const SwitchParameters p = parameters(16);
  for (const double load : {0.1, 0.5, 0.8}) {
    TrafficOptions o = traffic("uniform", 2000);
    o.load = load;
    Ideal ideal(p, false);
    const auto pattern = make(p, o);
    const Measures m = simulate(ideal, *pattern, p, o);
    EXPECT_NEAR(m.offered_load.value(), load, 0.02);
    EXPECT_NEAR(m.accepted_load.value(), m.offered_load.value(), 0.005);
    EXPECT_LT(m.latency.count(), m.messages) << "messages of the warm-up do not count";
    EXPECT_NEAR(static_cast<double>(m.latency.count()), 0.8 * static_cast<double>(m.messages), 800);
  }
}

TEST(Simulate, ASaturatedSwitchAcceptsWhatItCan) {
  // The network has half of the rate that the load refers to.
  SwitchParameters p = parameters(16), slow = p;
  slow.link_rate = p.link_rate / 2;
  TrafficOptions o = traffic("uniform", 2000);
  o.load = 0.9;
  Ideal ideal(slow, false);
  const auto pattern = make(p, o);
  const Measures m = simulate(ideal, *pattern, p, o);
  EXPECT_NEAR(m.offered_load.value(), 0.9, 0.02);
  EXPECT_NEAR(m.accepted_load.value(), 0.5, 0.005);
}

TEST(Simulate, IdleNodesDoNotCountInTheLoad) {
  const SwitchParameters p = parameters(16);
  const TrafficOptions o = traffic("scatter", 500);  // from one node
  Ideal ideal(p, false);
  const auto pattern = make(p, o);
  const Measures m = simulate(ideal, *pattern, p, o);
  EXPECT_NEAR(m.offered_load.value(), 1, 0.01);
  EXPECT_NEAR(m.accepted_load.value(), 1, 0.01);
  EXPECT_NEAR(m.utilisation, 1.0 / 16, 0.001);
}

TEST(Simulate, WarmUpIsUsedOrRefused) {
  const SwitchParameters p = parameters(4);
  TrafficOptions o = traffic("permutation", 100);  // 160 ns each
  o.warmup = nanoseconds(8000);
  Ideal ideal(p, false);
  const auto pattern = make(p, o);
  EXPECT_NEAR(simulate(ideal, *pattern, p, o).accepted_load.value(), 1, 0.03);
  o.warmup = nanoseconds(16'000);
  Ideal again(p, false);
  EXPECT_THROW(simulate(again, *make(p, o), p, o), UserError) << "no node sends after that";
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
  SwitchParameters p = parameters(2);
  TrafficOptions o = traffic("permutation", 3);
  Reorders technique;
  EXPECT_THROW(simulate(technique, *make(p, o), p, o), std::logic_error);
}

TEST(Simulate, EveryLoadCarriesTheSameMessages) {
  const SwitchParameters p = parameters(9);
  std::vector<std::vector<std::vector<Port>>>
      sent;  // by load and source; the order between sources may differ
  for (const double load : {0.0, 0.3}) {
    TrafficOptions o = traffic("uniform", 50);
    o.load = load;
    Ideal ideal(p, false);
    const auto pattern = make(p, o);
    simulate(ideal, *pattern, p, o);
    sent.emplace_back(p.nodes);
    for (const Connection& c : ideal.order) sent.back()[c.source].push_back(c.destination);
  }
  EXPECT_EQ(sent[0], sent[1]);
}

TEST(Simulate, ConfigurationsInUseThroughoutArePreloadedOnce) {
  const SwitchParameters p = parameters(16, 4);
  const TrafficOptions o = traffic("ordered-mesh");
  Ideal ideal(p, true);
  const auto pattern = make(p, o);
  const Measures m = simulate(ideal, *pattern, p, o);
  EXPECT_EQ(m.hit_rate, 1);
  ASSERT_EQ(ideal.preloads.size(), 4u);
  for (std::uint32_t s = 0; s < 4; ++s) EXPECT_EQ(ideal.preloads[s].first, s);
}

TEST(Simulate, ConfigurationsWithTurnsAreLoadedInOrder) {
  for (const std::uint32_t preload : {1u, 3u, 4u}) {
    const SwitchParameters p = parameters(12, preload);
    const TrafficOptions o = traffic("all-to-all");
    Ideal ideal(p, true);
    const auto pattern = make(p, o);
    const Measures m = simulate(ideal, *pattern, p, o);
    EXPECT_EQ(m.messages, 12u * 11);
    ASSERT_EQ(ideal.preloads.size(), 11u) << "each permutation once";
    for (Port source = 0; source < 12; ++source) {
      std::vector<Port> reached;
      for (const auto& [slot, c] : ideal.preloads) reached.push_back(c.destination_of(source));
      std::sort(reached.begin(), reached.end());
      EXPECT_EQ(std::adjacent_find(reached.begin(), reached.end()), reached.end());
    }
  }
}

TEST(Simulate, AnAllToAllIsFollowedByItsMesh) {
  const SwitchParameters p = parameters(16, 4);
  const TrafficOptions o = traffic("two-phase");
  Ideal ideal(p, true);
  const auto pattern = make(p, o);
  std::uint64_t all = 0;
  for (Port source = 0; source < 16; ++source) all += pattern->messages(source);
  EXPECT_EQ(simulate(ideal, *pattern, p, o).messages, all);
  EXPECT_EQ(ideal.preloads.size(), 15u + 4u);
}

TEST(Simulate, TurnsServedWithoutASlotAreNotLoaded) {
  // The network delivers all messages: steps end before their slots are loaded.
  const SwitchParameters p = parameters(8, 2);
  const TrafficOptions o = traffic("scatter", 50);
  Ideal ideal(p, false);
  const auto pattern = make(p, o);
  EXPECT_EQ(simulate(ideal, *pattern, p, o).messages, 50u);
  EXPECT_LE(ideal.preloads.size(), 50u);
}

// Without the guard, a message waits until the predictors release the circuits that block it. A request that
// the switch received after it had released the same connection, and that the predictor does not want any
// more, must be withdrawn: otherwise its circuit is held for ever.
TEST(Simulate, TimeOutsReleaseEveryCircuitWithoutTheGuard) {
  for (const std::uint64_t seed : {1, 2, 3})
    for (const Time timeout : {nanoseconds(200), microseconds(1)}) {
      SCOPED_TRACE(std::to_string(seed) + ", " + std::to_string(timeout.ps));
      SwitchParameters p = parameters(64);
      p.technique = "tdm";
      p.slots = 3;
      p.seed = seed;
      p.predictor = "timeout";
      p.predictor_timeout = timeout;
      p.demand_guard = false;
      TrafficOptions o = traffic("determinism", 128);
      o.message = 64;
      o.ratio = 0.5;
      const auto pattern = make(p, o);
      const auto tdm = TechniqueRegistration::make(p.technique, p);
      EXPECT_EQ(simulate(*tdm, *pattern, p, o).messages, 64u * 128u);
    }
}

TEST(Simulate, MessagesThatCanNeverArriveAreAnError) {
  const SwitchParameters p = parameters(16, 1);  // one direction of four
  const TrafficOptions o = traffic("ordered-mesh");
  Ideal ideal(p, true);
  const auto pattern = make(p, o);
  EXPECT_THROW(simulate(ideal, *pattern, p, o), RunError);
}

TEST(Simulate, EmptyMessagesTravelAsOneWord) {
  const SwitchParameters p = parameters(4);
  TrafficOptions o = traffic("permutation", 10);
  o.message = 0;
  Ideal ideal(p, false);
  const auto pattern = make(p, o);
  const Measures m = simulate(ideal, *pattern, p, o);
  EXPECT_EQ(m.bytes, 0u);
  EXPECT_EQ(m.time, nanoseconds(200));
  EXPECT_EQ(m.utilisation, 0);
}

// Both options for the reconfiguration time of the fabric give the same run.
TEST(Simulate, ReconfigurationAndItsPartsGiveTheSameRun) {
  for (const std::string_view allocation : registered_names("allocation")) {
    SwitchParameters p = parameters(16);
    p.technique = "hybrid";
    p.allocation = allocation;
    p.slot_length = microseconds(1);
    const TrafficOptions o = traffic("mixed", 60);
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
  const SwitchParameters p = parameters(4);
  const auto loads = [&](std::uint64_t messages) {
    Ideal ideal(p, false);
    const TrafficOptions o = traffic("permutation", messages);
    const auto pattern = make(p, o);
    const Measures m = simulate(ideal, *pattern, p, o);
    EXPECT_EQ(m.offered_load.has_value(), m.accepted_load.has_value());
    return m.accepted_load;
  };
  EXPECT_FALSE(loads(1));
  ASSERT_TRUE(loads(50));
  EXPECT_LE(*loads(50), 1.0);
}

TEST(Simulate, ARunBeyondTheRangeOfTimeIsRefused) {
  SwitchParameters p = parameters(2);
  p.technique = "circuit";
  p.word_generation = nanoseconds(10'000'000'000);
  TrafficOptions o = traffic("permutation", 3);
  o.message = Bytes{1} << 40;
  EXPECT_THROW(simulate(p, o), UserError) << "one message";
  o.message = Bytes{8} << 13;  // 8192 words of 10 s
  o.messages = 1000;
  EXPECT_THROW(simulate(p, o), UserError) << "all of them";
}

TEST(Simulate, ReportsProgress) {
  const SwitchParameters p = parameters(16);
  const TrafficOptions o = traffic("uniform", 1000);
  Ideal ideal(p, false);
  const auto pattern = make(p, o);
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
