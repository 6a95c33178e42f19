// Every technique under every pattern, with random parameters: every message is delivered once, runs are
// reproducible, and no measure contradicts the physics of the parameters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "emulator/network/technique.h"
#include "emulator/switching/testing/techniques.h"
#include "emulator/traffic/grid.h"
#include "emulator/traffic/pattern.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

/// Forwards all calls to a technique and checks its notifications.
class Watched final : public Technique {
 public:
  Watched(Technique& inner, const SwitchParameters& p) : inner_(inner), parameters_(p) {}

  void send(Time at, const Message& m) override {
    EXPECT_GE(at, now_);
    EXPECT_LE(at, inner_.next_event());
    now_ = at;
    EXPECT_TRUE(sent_.insert({m.id, {at, m, false}}).second);
    order_[m.connection].push_back(m.id);
    inner_.send(at, m);
  }
  void preload(Time at, std::uint32_t slot, const Configuration& c) override {
    EXPECT_LT(slot, parameters_.slots);
    inner_.preload(at, slot, c);
  }
  void flush(Time at, Port source) override { inner_.flush(at, source); }
  Time next_event() const override { return inner_.next_event(); }
  Time advance(Time until, TransferListener& listener) override {
    Relay relay{*this, listener, Time::never()};
    const Time reached = inner_.advance(until, relay);
    EXPECT_LE(reached, until);
    EXPECT_GE(reached, now_);
    if (relay.instant != Time::never()) {
      EXPECT_EQ(relay.instant, reached) << "advance continued after an event";
    }
    now_ = reached;
    return reached;
  }
  TechniqueStatistics statistics() const override { return inner_.statistics(); }

  std::uint64_t left() const { return sent_.size(); }
  std::uint64_t hits() const { return hits_; }

 private:
  struct Sent {
    Time at;
    Message message;
    bool injected = false;
  };
  struct Relay final : TransferListener {
    Relay(Watched& w, TransferListener& l, Time t) : watched(w), listener(l), instant(t) {}
    void injected(Time at, const Message& m) override {
      see(at);
      watched.see_injected(at, m);
      listener.injected(at, m);
    }
    void delivered(Time at, const Message& m, bool hit) override {
      see(at);
      watched.see_delivered(at, m, hit);
      listener.delivered(at, m, hit);
    }
    void see(Time at) {
      EXPECT_GE(at, watched.now_);
      if (instant != Time::never()) {
        EXPECT_EQ(at, instant) << "two instants in one advance";
      }
      instant = at;
    }
    Watched& watched;
    TransferListener& listener;
    Time instant;
  };

  void see_injected(Time at, const Message& m) {
    const auto it = sent_.find(m.id);
    ASSERT_NE(it, sent_.end()) << "injected after delivery, or never sent";
    EXPECT_FALSE(it->second.injected) << "injected twice";
    EXPECT_GE(at - it->second.at, least_injection(m.bytes));
    it->second.injected = true;
  }
  void see_delivered(Time at, const Message& m, bool hit) {
    const auto it = sent_.find(m.id);
    ASSERT_NE(it, sent_.end()) << "delivered twice, or never sent";
    EXPECT_TRUE(it->second.injected) << "delivered before its last word left the PE";
    EXPECT_EQ(it->second.message.connection, m.connection);
    EXPECT_EQ(it->second.message.bytes, m.bytes);
    // Lower bound: all words on one link, and the delay of the last word over both cables and one conversion
    // on each.
    const Time least = parameters_.word_time() * (words(m.bytes) - 1) + parameters_.serialise +
                       2 * parameters_.cable + parameters_.deserialise;
    EXPECT_GE(at - it->second.at, least) << "faster than the link";
    sent_.erase(it);
    hits_ += hit;
    // The messages of a connection stay in order, also between the two paths of a hybrid switch.
    std::vector<std::uint64_t>& order = order_[m.connection];
    const auto place = std::find(order.begin(), order.end(), m.id);
    EXPECT_EQ(place, order.begin()) << "overtaken on one connection";
    order.erase(place);
  }
  std::int64_t words(Bytes bytes) const {
    return static_cast<std::int64_t>(std::max<Bytes>(1, (bytes + parameters_.word - 1) / parameters_.word));
  }
  Time least_injection(Bytes bytes) const { return parameters_.word_generation * (words(bytes) - 1); }

  Technique& inner_;
  const SwitchParameters& parameters_;
  Time now_{};
  std::map<std::uint64_t, Sent> sent_;
  std::map<Connection, std::vector<std::uint64_t>> order_;
  std::uint64_t hits_ = 0;
};

struct Case {
  SwitchParameters parameters;
  TrafficOptions traffic;
};

/// Returns the case as options of `hybrid simulate`, to run it by hand.
std::string describe(const Case& c) {
  const SwitchParameters& p = c.parameters;
  const TrafficOptions& t = c.traffic;
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += std::string(" --") + name + " " + value;
  };
  const auto add_bytes = [&](const char* name, Bytes bytes) {
    add(name, bytes == kUnlimited ? "unlimited" : std::to_string(bytes));
  };
  const auto add_clock = [&](const std::string& name, const Clocked& clock) {
    add((name + "-cycle").c_str(), to_string(clock.cycle));
    add((name + "-latency").c_str(), std::to_string(clock.latency));
  };
  add("technique", p.technique);
  add("nodes", std::to_string(p.nodes));
  add("slots", std::to_string(p.slots));
  add("preload", std::to_string(p.preload));
  add("allocation", p.allocation);
  add("slot-length", to_string(p.slot_length));
  add("guard", to_string(p.guard));
  add("reconfiguration", to_string(p.reconfiguration));
  add("predictor", p.predictor);
  add("predictor-timeout", to_string(p.predictor_timeout));
  add("predictor-threshold", std::to_string(p.predictor_threshold));
  add_bytes("buffer", p.buffer);
  add_bytes("flit", p.flit);
  add_bytes("worm-limit", p.worm_limit);
  add("worm-overhead", std::to_string(p.worm_overhead_words));
  add("circuit-share", std::to_string(p.circuit_share));
  add("circuit-channels", std::to_string(p.circuit_channels));
  add_bytes("split-size", p.split_size);
  add("word-generation", to_string(p.word_generation));
  add_clock("nic", p.nic);
  add("link-rate", format_rate(p.link_rate));
  add("serialise", to_string(p.serialise));
  add("cable", to_string(p.cable));
  add("deserialise", to_string(p.deserialise));
  add_clock("scheduler", p.scheduler);
  add_clock("digital-fabric", p.digital_fabric);
  add_clock("analog-fabric", p.analog_fabric);
  add("seed", std::to_string(p.seed));
  add("pattern", t.pattern);
  add("messages", std::to_string(t.messages));
  add_bytes("message", t.message);
  add("load", std::to_string(t.load));
  add("outstanding", std::to_string(t.outstanding));
  return text;
}

template <class T>
T any_of(Random& random, const std::vector<T>& all) {
  return all[random.below(all.size())];
}

Case random_case(const std::string& technique, const std::string& pattern, std::uint64_t seed) {
  Random random(seed * 0x9E3779B97F4A7C15ULL + 1);
  Case c;
  SwitchParameters& p = c.parameters;
  if (random.below(3) == 0) apply_preset(any_of<std::string_view>(random, {"ch4", "ch5", "ch8"}), p, true);
  p.technique = technique;
  p.seed = seed;
  p.nodes = any_of<std::uint32_t>(random, {2, 3, 4, 6, 9, 12, 16});
  if (pattern == "transpose" && Grid(p.nodes, Grid::Edge::mesh).height() == 1) p.nodes = 9;
  p.slots = any_of<std::uint32_t>(random, {1, 2, 3, 4, 7});
  // If all slots are preloaded and the traffic uses other connections, messages can stay undelivered.
  p.preload = static_cast<std::uint32_t>(random.below(p.slots));
  std::vector<std::string> allocations, predictors;
  for (const std::string_view name : registered_names("allocation")) allocations.emplace_back(name);
  for (const std::string_view name : registered_names("predictor"))
    if (name != "oracle") predictors.emplace_back(name);  // needs all sends in advance
  p.allocation = any_of(random, allocations);
  p.predictor = any_of(random, predictors);
  p.predictor_timeout = nanoseconds(any_of<std::int64_t>(random, {50, 1'000, 100'000}));
  p.predictor_threshold = any_of<std::uint32_t>(random, {1, 4, 16});
  p.slot_length = nanoseconds(any_of<std::int64_t>(random, {40, 100, 200, 333}));
  p.guard = nanoseconds(any_of<std::int64_t>(random, {0, 0, 10, 13}));
  p.reconfiguration = nanoseconds(any_of<std::int64_t>(random, {0, 0, 5, 15}));
  p.link_rate = any_of<BitRate>(random, {6'400'000'000, 10'000'000'000, 1'000'000'000});
  if (p.slot_length - p.guard - p.reconfiguration < p.word_time()) p.slot_length = nanoseconds(333);
  p.flit = any_of<Bytes>(random, {8, 8, 16});
  p.buffer = any_of<Bytes>(random, {p.flit, 128, 2048, 8192, kUnlimited});
  p.worm_limit = any_of<Bytes>(random, {p.flit, 80, 128});
  p.worm_overhead_words = any_of<std::uint32_t>(random, {0, 2});
  if (technique == "packet") p.buffer = std::max(p.buffer, p.worm_limit + p.worm_overhead_words * p.word);
  if (technique == "wave" || technique == "coll" || technique == "chen-liu") {
    p.circuit_share = any_of<double>(random, {0.1, 0.5, 0.8});
    p.circuit_channels = any_of<std::uint32_t>(random, {1, 2, 3});
    p.split_size = any_of<Bytes>(random, {0, 64, 512});
  }
  p.word_generation = nanoseconds(any_of<std::int64_t>(random, {2, 10, 12}));
  p.nic = {nanoseconds(any_of<std::int64_t>(random, {2, 10})), static_cast<std::uint32_t>(random.below(3))};
  p.serialise = p.deserialise = nanoseconds(any_of<std::int64_t>(random, {0, 30}));
  p.cable = nanoseconds(any_of<std::int64_t>(random, {0, 10, 20, 100}));
  p.scheduler = {nanoseconds(any_of<std::int64_t>(random, {10, 20, 80})),
                 static_cast<std::uint32_t>(random.below(3))};
  p.digital_fabric = {nanoseconds(10), static_cast<std::uint32_t>(random.below(4))};
  p.analog_fabric = {nanoseconds(10), static_cast<std::uint32_t>(random.below(2))};
  TrafficOptions& t = c.traffic;
  t.pattern = pattern;
  t.messages = 1 + random.below(12);
  t.message = any_of<Bytes>(random, {0, 1, 8, 20, 64, 80, 128, 136, 512, 2048});
  if (random.below(3) == 0) t.load = any_of<double>(random, {0.05, 0.5, 1});
  if (random.below(4) == 0) p.input_queues = "fifo";
  if (t.load == 0 && random.below(3) == 0) t.outstanding = 1 + static_cast<std::uint32_t>(random.below(3));
  return c;
}

/// Returns all measures as text, for comparison.
std::string all_of(const Measures& m) {
  const TechniqueStatistics& s = m.statistics;
  std::string text =
      to_string(m.time) + " " + to_string(m.latency.mean()) + " " + to_string(m.latency.maximum());
  for (const std::uint64_t n :
       {m.messages, m.bytes, s.messages, s.bytes, s.hits, s.circuit_messages, s.wormhole_messages, s.requests,
        s.releases, s.established, s.preloads, s.flushes, s.slots_used, s.slots_wasted, s.cycles})
    text += " " + std::to_string(n);
  return text + " " + to_string(s.held) + " " + to_string(s.held_unused);
}

void run(const Case& c) {
  SCOPED_TRACE(describe(c));
  const SwitchParameters& p = c.parameters;
  ASSERT_NO_THROW(check(p));
  std::vector<std::string> results;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const auto pattern = PatternRegistration::make(c.traffic.pattern, {p.nodes, c.traffic.messages, p.seed});
    const auto technique = TechniqueRegistration::make(p.technique, p);
    Watched watched(*technique, p);
    Measures m;
    try {
      m = simulate(watched, *pattern, p, c.traffic);
    } catch (const std::exception& error) {
      FAIL() << error.what();
    }
    EXPECT_EQ(watched.left(), 0u);
    std::uint64_t expected = 0;
    for (Port source = 0; source < p.nodes; ++source) expected += pattern->messages(source);
    EXPECT_EQ(m.messages, expected);
    EXPECT_EQ(m.bytes, expected * c.traffic.message);
    const TechniqueStatistics& s = m.statistics;
    EXPECT_EQ(s.messages, m.messages);
    EXPECT_EQ(s.bytes, m.bytes);
    EXPECT_EQ(s.hits, watched.hits());
    EXPECT_EQ(s.circuit_messages + s.wormhole_messages, m.messages);
    EXPECT_LE(m.utilisation, 1);
    EXPECT_LE(s.hits, s.circuit_messages);
    EXPECT_GE(s.held, s.held_unused);
    EXPECT_GE(s.held_unused, Time{});
    results.push_back(all_of(m));
  }
  EXPECT_EQ(results[0], results[1]);
}

class Stress : public testing::TestWithParam<std::string> {};

TEST_P(Stress, EveryMessageIsDeliveredUnderEveryPattern) {
  constexpr std::uint64_t kCases = 12;  // per pattern
  for (const std::string_view pattern : registered_names("pattern"))
    for (std::uint64_t seed = 1; seed <= kCases && !HasFailure(); ++seed)
      run(random_case(GetParam(), std::string(pattern), seed));
}

INSTANTIATE_TEST_SUITE_P(Technique, Stress, testing::ValuesIn(switch_techniques()), technique_test_name);

}  // namespace
}  // namespace hybrid
