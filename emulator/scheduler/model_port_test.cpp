#include "emulator/scheduler/model_port.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/random.h"

namespace hybrid {
namespace {

constexpr Time kCycle = nanoseconds(80);

SwitchParameters parameters(std::uint32_t nodes, std::uint32_t slots, Clocked clock = {kCycle, 1}) {
  SwitchParameters p;
  p.nodes = nodes;
  p.slots = slots;
  p.scheduler = clock;
  return p;
}

std::vector<Grant> advance(SchedulerPort& port, Time until) {
  std::vector<Grant> grants;
  port.advance(until, grants);
  return grants;
}

Grant established(std::int64_t ns, std::uint32_t slot, Connection c) {
  return {nanoseconds(ns), slot, c, Grant::Kind::established};
}
Grant released(std::int64_t ns, std::uint32_t slot, Connection c) {
  return {nanoseconds(ns), slot, c, Grant::Kind::released};
}
using Grants = std::vector<Grant>;

Configuration configuration(std::size_t ports, const std::vector<Connection>& connections) {
  Configuration all(ports);
  for (const Connection& c : connections) EXPECT_TRUE(all.add(c));
  return all;
}

TEST(ModelPort, ARequestIsGrantedOnePassAfterTheNextEdge) {
  // D 5.5.1: 80 ns of wire, 80 ns of scheduling: sent at 0, asked at 80, granted at 160.
  const auto port = make_scheduler_port(parameters(4, 2));
  port->request(nanoseconds(80), {0, 1});
  port->request(nanoseconds(81), {2, 3});
  EXPECT_EQ(port->next_change(), nanoseconds(160));
  EXPECT_TRUE(advance(*port, nanoseconds(159)).empty());
  EXPECT_EQ(advance(*port, nanoseconds(160)), (Grants{established(160, 0, {0, 1})}));
  EXPECT_EQ(advance(*port, nanoseconds(1000)), (Grants{established(240, 0, {2, 3})}));
  EXPECT_EQ(port->next_change(), Time::never());
}

TEST(ModelPort, AskingAtAnEdgeBeforeOrAfterAdvancingToItIsTheSame) {
  const auto port = make_scheduler_port(parameters(4, 2));
  EXPECT_TRUE(advance(*port, nanoseconds(80)).empty());
  port->request(nanoseconds(80), {0, 1});
  EXPECT_EQ(advance(*port, nanoseconds(200)), (Grants{established(160, 0, {0, 1})}));
}

TEST(ModelPort, LatencyDelaysGrantsWithoutSlowingPasses) {
  // ch8: 100 MHz, latency 2 cycles. Two requests for one output go into slots 0 and 1 on successive cycles.
  const auto port = make_scheduler_port(parameters(4, 2, {nanoseconds(10), 2}));
  port->request(Time{}, {0, 3});
  port->request(Time{}, {1, 3});
  EXPECT_EQ(advance(*port, nanoseconds(100)),
            (Grants{established(20, 0, {0, 3}), established(30, 1, {1, 3})}));
}

TEST(ModelPort, WithoutLatencyGrantsAreVisibleOnTheEdgeItself) {
  const auto port = make_scheduler_port(parameters(4, 1, {nanoseconds(10), 0}));
  port->request(nanoseconds(10), {0, 3});
  EXPECT_EQ(advance(*port, nanoseconds(10)), (Grants{established(10, 0, {0, 3})}));
  port->request(nanoseconds(10), {1, 2});  // the pass on this edge is over
  EXPECT_EQ(port->next_change(), nanoseconds(20));
  EXPECT_EQ(advance(*port, nanoseconds(50)), (Grants{established(20, 0, {1, 2})}));
}

TEST(ModelPort, RequestsFillTheLowSlotsFirst) {
  const auto port = make_scheduler_port(parameters(8, 4));
  std::int64_t at = 0;
  for (Port p = 0; p < 8; ++p, at += 1000) {
    port->request(nanoseconds(at), {p, (p + 1) % 8});
    for (const Grant& g : advance(*port, nanoseconds(at + 999))) EXPECT_EQ(g.slot, 0u);
  }
}

TEST(ModelPort, WithoutRoomARequestStaysPendingAndCostsNoTime) {
  const auto port = make_scheduler_port(parameters(4, 2));
  for (Port p = 0; p < 3; ++p) port->request(Time{}, {p, 3});
  // The first sweep begins with input 0: slot 0, slot 1; then a sweep finds no room for the third.
  EXPECT_EQ(advance(*port, microseconds(1)),
            (Grants{established(80, 0, {0, 3}), established(160, 1, {1, 3})}));
  EXPECT_EQ(port->next_change(), Time::never());
  EXPECT_TRUE(advance(*port, milliseconds(3'600'000)).empty());

  const std::int64_t hour = 3'600'000'000'000;  // a multiple of the cycle
  port->release(nanoseconds(hour), {0, 3});
  const Grants grants = advance(*port, nanoseconds(hour + 10'000));
  // The third sweep has its priority at input 2, whose row is over when row 0 frees the output.
  EXPECT_EQ(grants, (Grants{released(hour + 80, 0, {0, 3}), established(hour + 240, 0, {2, 3})}));
}

TEST(ModelPort, AReleasedPendingRequestIsNotGranted) {
  const auto port = make_scheduler_port(parameters(4, 1));
  port->request(Time{}, {0, 3});
  port->request(Time{}, {1, 3});
  EXPECT_EQ(advance(*port, nanoseconds(500)).size(), 1u);
  port->release(nanoseconds(500), {1, 3});
  port->release(nanoseconds(500), {0, 3});
  EXPECT_EQ(advance(*port, microseconds(5)), (Grants{released(640, 0, {0, 3})}));
}

TEST(ModelPort, ARequestBeforeTheReleaseIsCarriedOutKeepsTheConnection) {
  const auto port = make_scheduler_port(parameters(4, 1));
  port->request(Time{}, {0, 3});
  EXPECT_EQ(advance(*port, nanoseconds(500)).size(), 1u);
  port->release(nanoseconds(500), {0, 3});
  port->request(nanoseconds(510), {0, 3});
  EXPECT_EQ(port->next_change(), Time::never());
  EXPECT_TRUE(advance(*port, microseconds(5)).empty());
}

TEST(ModelPort, RepeatedAndNeedlessCallsChangeNothing) {
  const auto port = make_scheduler_port(parameters(4, 2));
  port->release(Time{}, {0, 1});
  EXPECT_EQ(port->next_change(), Time::never());
  port->request(Time{}, {0, 1});
  port->request(Time{}, {0, 1});
  EXPECT_EQ(advance(*port, nanoseconds(300)).size(), 1u);
  port->request(nanoseconds(300), {0, 1});
  EXPECT_EQ(port->next_change(), Time::never());
}

TEST(ModelPort, PreloadedSlotsAreFixed) {
  const auto port = make_scheduler_port(parameters(4, 2));
  port->preload(nanoseconds(10), 0, configuration(4, {{0, 1}, {1, 0}}));
  EXPECT_EQ(advance(*port, nanoseconds(160)),
            (Grants{established(160, 0, {0, 1}), established(160, 0, {1, 0})}));
  port->release(nanoseconds(160), {0, 1});
  port->request(nanoseconds(160), {0, 1});
  port->release(nanoseconds(160), {0, 1});
  port->request(nanoseconds(160), {2, 3});  // fits into slot 0, but that is not for requests
  EXPECT_EQ(advance(*port, microseconds(2)), (Grants{established(240, 1, {2, 3})}));

  port->preload(nanoseconds(2000), 0, configuration(4, {{1, 0}, {3, 1}}));
  EXPECT_EQ(advance(*port, nanoseconds(3000)),
            (Grants{released(2080, 0, {0, 1}), established(2080, 0, {3, 1})}));
  port->preload(nanoseconds(3000), 0, Configuration(4));
  port->request(nanoseconds(3000), {0, 2});
  EXPECT_EQ(advance(*port, nanoseconds(4000)),
            (Grants{released(3120, 0, {1, 0}), released(3120, 0, {3, 1}), established(3120, 0, {0, 2})}))
      << "an empty configuration makes the slot dynamic again";
}

TEST(ModelPort, PreloadingTakesConnectionsAlongAndGrantsPendingOnes) {
  const auto port = make_scheduler_port(parameters(4, 2));
  port->request(Time{}, {0, 1});
  port->request(Time{}, {2, 1});
  port->request(Time{}, {3, 1});  // pending: output 1 is taken in both slots
  EXPECT_EQ(advance(*port, nanoseconds(1000)).size(), 2u);
  // (0,1) of slot 0 moves to slot 1; (2,1) loses its slot but is still wanted, and finds slot 0.
  port->preload(nanoseconds(1000), 1, configuration(4, {{0, 1}, {2, 3}}));
  EXPECT_EQ(advance(*port, nanoseconds(1120)),
            (Grants{released(1120, 1, {2, 1}), released(1120, 0, {0, 1}), established(1120, 1, {0, 1}),
                    established(1120, 1, {2, 3}), established(1120, 0, {2, 1})}));
  port->preload(nanoseconds(2000), 0, configuration(4, {{3, 1}}));
  const Grants grants = advance(*port, nanoseconds(9000));
  EXPECT_EQ(grants, (Grants{released(2080, 0, {2, 1}), established(2080, 0, {3, 1})}));
  EXPECT_EQ(port->next_change(), Time::never()) << "(2,1) is pending, but every slot is preloaded";
}

TEST(ModelPort, FlushDropsEverythingOfAPort) {
  const auto port = make_scheduler_port(parameters(4, 3));
  port->preload(Time{}, 0, configuration(4, {{0, 1}}));
  port->request(Time{}, {0, 2});
  port->request(Time{}, {1, 2});
  EXPECT_EQ(advance(*port, nanoseconds(400)).size(), 3u);
  port->request(nanoseconds(400), {0, 3});
  port->flush(nanoseconds(400), 0);
  EXPECT_EQ(advance(*port, nanoseconds(480)), (Grants{released(480, 0, {0, 1}), released(480, 1, {0, 2})}));
  EXPECT_EQ(port->next_change(), Time::never()) << "the request on the way is flushed too";
  port->request(nanoseconds(480), {3, 0});
  EXPECT_EQ(advance(*port, nanoseconds(900)), (Grants{established(560, 0, {3, 0})}))
      << "the preloaded slot is empty and so dynamic again";
  port->flush(nanoseconds(960));
  EXPECT_EQ(advance(*port, nanoseconds(2000)),
            (Grants{released(1040, 0, {3, 0}), released(1040, 2, {1, 2})}));
}

TEST(ModelPort, ContestedOutputsAreSharedFairly) {
  // One slot, three inputs that always want one output, each releasing it as soon as it has it.
  const auto port = make_scheduler_port(parameters(3, 1));
  std::map<Port, int> won;
  for (Port p = 0; p < 3; ++p) port->request(Time{}, {p, 0});
  for (int i = 0; i < 3000; ++i) {
    const Time now = port->next_change();
    ASSERT_NE(now, Time::never());
    for (const Grant& g : advance(*port, now)) {
      if (g.kind == Grant::Kind::established) {
        ++won[g.connection.source];
        port->release(now, g.connection);
      } else {
        port->request(now, g.connection);
      }
    }
  }
  const auto [least, most] = std::minmax_element(
      won.begin(), won.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  ASSERT_EQ(won.size(), 3u);
  EXPECT_GT(least->second * 2, most->second);
}

TEST(ModelPort, RefusesImpossibleShapesAndTimeBackwards) {
  EXPECT_THROW(make_scheduler_port(parameters(0, 1)), UserError);
  EXPECT_THROW(make_scheduler_port(parameters(4, 0)), UserError);
  EXPECT_THROW(make_scheduler_port(parameters(4, 1, {Time{}, 1})), UserError);
  SwitchParameters unknown = parameters(4, 1);
  unknown.scheduler_name = "greddy";
  EXPECT_THROW(make_scheduler_port(unknown), UserError);
  const auto port = make_scheduler_port(parameters(4, 1));
  advance(*port, nanoseconds(5));
  EXPECT_THROW(port->request(nanoseconds(4), {0, 1}), std::logic_error);
}

// ---- random calls, against a checker that knows the contract but not the model ----

struct Call {
  enum class Kind { request, release, flush, preload } kind = Kind::request;
  Time at;
  Connection connection;  // flush: the source
  std::uint32_t slot = 0;
  Configuration configuration;
};

std::vector<Call> random_calls(std::uint64_t seed, std::uint32_t n, std::uint32_t k) {
  Random random(seed);
  std::vector<Call> calls;
  Time at{};
  const std::uint64_t gap = 1 + random.below(400);
  const std::uint64_t wide = random.below(2) != 0 ? n : 1 + random.below(n);  // ports in use
  for (int i = 0; i < 300; ++i) {
    if (random.below(3) != 0) at += nanoseconds(static_cast<std::int64_t>(random.below(gap)));
    if (random.below(5) == 0) at = next_edge(at, kCycle);
    Call call;
    call.at = at;
    call.connection = {static_cast<Port>(random.below(wide)), static_cast<Port>(random.below(wide))};
    const std::uint64_t dice = random.below(100);
    if (dice < 60) {
      call.kind = Call::Kind::request;
    } else if (dice < 90) {
      call.kind = Call::Kind::release;
    } else if (dice < 94) {
      call.kind = Call::Kind::flush;
      if (random.below(4) == 0) call.connection.source = kNoPort;
    } else {
      call.kind = Call::Kind::preload;
      call.slot = static_cast<std::uint32_t>(random.below(k));
      call.configuration = Configuration(n);
      for (std::uint64_t c = random.below(2 * wide); c > 0; --c)
        call.configuration.add(
            {static_cast<Port>(random.below(wide)), static_cast<Port>(random.below(wide))});
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

void make(SchedulerPort& port, const Call& call) {
  switch (call.kind) {
    case Call::Kind::request:
      return port.request(call.at, call.connection);
    case Call::Kind::release:
      return port.release(call.at, call.connection);
    case Call::Kind::flush:
      return port.flush(call.at, call.connection.source);
    case Call::Kind::preload:
      return port.preload(call.at, call.slot, call.configuration);
  }
}

/// Replays grants; fails when they do not describe K partial permutations with each connection once.
class Replay {
 public:
  Replay(std::uint32_t n, std::uint32_t k) : slots_(k, Configuration(n)) {}
  void apply(const Grant& g) {
    ASSERT_GE(g.at, last_);
    last_ = g.at;
    if (g.kind == Grant::Kind::established) {
      for (const Configuration& other : slots_) ASSERT_FALSE(other.holds(g.connection));
      ASSERT_TRUE(slots_[g.slot].add(g.connection));
    } else {
      ASSERT_TRUE(slots_[g.slot].remove(g.connection));
    }
  }
  const std::vector<Configuration>& slots() const { return slots_; }
  bool holds(Connection c) const {
    return std::any_of(slots_.begin(), slots_.end(), [c](const Configuration& s) { return s.holds(c); });
  }

 private:
  std::vector<Configuration> slots_;
  Time last_{};
};

/// What the contract says is asked: the level of every request, with its history, and the preloaded slots.
class Asked {
 public:
  Asked(std::uint32_t n, std::uint32_t k) : preloaded_(k, Configuration(n)) {}
  void make(const Call& call) {
    const Connection c = call.connection;
    switch (call.kind) {
      case Call::Kind::request:
        if (!is_preloaded(c)) set(call.at, c, true);
        break;
      case Call::Kind::release:
        set(call.at, c, false);
        break;
      case Call::Kind::flush:
        for (auto& [connection, history] : levels_)
          if (c.source == kNoPort || connection.source == c.source) set(call.at, connection, false);
        for (Configuration& slot : preloaded_)
          for (const Connection& held : slot.connections())
            if (c.source == kNoPort || held.source == c.source) slot.remove(held);
        everything_.insert(next_edge(call.at, kCycle));
        break;
      case Call::Kind::preload:
        for (const Connection& held : call.configuration.connections()) {
          for (Configuration& slot : preloaded_) slot.remove(held);
          set(call.at, held, false);
        }
        preloaded_[call.slot] = call.configuration;
        everything_.insert(next_edge(call.at, kCycle));
        break;
    }
  }
  bool is_preloaded(Connection c) const {
    return std::any_of(preloaded_.begin(), preloaded_.end(), [c](const auto& s) { return s.holds(c); });
  }
  bool wanted(Connection c) const {
    const auto it = levels_.find(c);
    return it != levels_.end() && it->second.back().second;
  }
  bool wanted_at(Connection c, Time edge) const {
    const auto it = levels_.find(c);
    bool level = false;
    if (it != levels_.end())
      for (const auto& [at, to] : it->second)
        if (at <= edge) level = to;
    return level;
  }
  /// Whether a flush or preload acted on this edge: then any connection may go, and preloaded ones come.
  bool anything_goes(Time edge) const { return everything_.contains(edge); }
  const std::vector<Configuration>& preloaded() const { return preloaded_; }
  std::vector<Connection> all_wanted() const {
    std::vector<Connection> all;
    for (const auto& [c, history] : levels_)
      if (history.back().second) all.push_back(c);
    return all;
  }

 private:
  void set(Time at, Connection c, bool level) { levels_[c].push_back({at, level}); }
  std::map<Connection, std::vector<std::pair<Time, bool>>> levels_;
  std::vector<Configuration> preloaded_;
  std::set<Time> everything_;
};

/// At rest: preloaded slots are as asked; in the others exactly wanted connections; those wanted and not
/// established have room in none of them.
void check_rest(const Replay& replay, const Asked& asked, std::uint64_t seed) {
  for (std::size_t s = 0; s < replay.slots().size(); ++s) {
    const Configuration& slot = replay.slots()[s];
    const Configuration& preloaded = asked.preloaded()[s];
    if (!preloaded.empty()) {
      ASSERT_EQ(slot, preloaded) << "seed " << seed << " slot " << s;
      continue;
    }
    for (const Connection& c : slot.connections()) ASSERT_TRUE(asked.wanted(c)) << "seed " << seed;
    for (const Connection& c : asked.all_wanted())
      if (!replay.holds(c)) {
        ASSERT_FALSE(slot.fits(c)) << "seed " << seed;
      }
  }
}

TEST(ModelPort, RandomCallsKeepTheContract) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random shape(seed);
    const auto n = static_cast<std::uint32_t>(1 + shape.below(seed % 10 == 0 ? 140 : 12));
    const auto k = static_cast<std::uint32_t>(1 + shape.below(5));
    const auto latency = static_cast<std::uint32_t>(shape.below(4));
    const auto port = make_scheduler_port(parameters(n, k, {kCycle, latency}));
    Replay replay(n, k);
    Asked asked(n, k);
    const auto see = [&](Time until) {
      std::vector<Grant> grants;
      const Time bound = port->next_change();
      port->advance(until, grants);
      for (const Grant& g : grants) {
        ASSERT_LE(g.at, until);
        ASSERT_GE(g.at, bound) << "earlier than next_change() allowed";
        ASSERT_NO_FATAL_FAILURE(replay.apply(g)) << "seed " << seed;
        const Time edge = g.at - kCycle * latency;
        ASSERT_EQ(next_edge(edge, kCycle), edge);
        if (asked.anything_goes(edge)) continue;
        ASSERT_EQ(asked.wanted_at(g.connection, edge), g.kind == Grant::Kind::established) << "seed " << seed;
      }
    };
    Time now{};
    for (const Call& call : random_calls(seed, n, k)) {
      // Up to just before the call: without latency, an edge that was advanced to has had its pass.
      if (call.at > now) {
        ASSERT_NO_FATAL_FAILURE(see(call.at - picoseconds(1)));
      }
      now = call.at;
      make(*port, call);
      asked.make(call);
    }
    for (Time t = port->next_change(); t != Time::never(); t = port->next_change())
      ASSERT_NO_FATAL_FAILURE(see(t));
    check_rest(replay, asked, seed);
  }
}

TEST(ModelPort, HowTimeIsAdvancedDoesNotMatter) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const std::uint32_t n = 1 + static_cast<std::uint32_t>(random.below(20));
    const std::uint32_t k = 1 + static_cast<std::uint32_t>(random.below(4));
    const auto p = parameters(n, k, {kCycle, 1 + static_cast<std::uint32_t>(random.below(3))});
    const auto calls = random_calls(seed, n, k);
    const Time end = calls.back().at + microseconds(100);

    std::vector<Grant> in_one_go, step_by_step, at_random;
    const auto a = make_scheduler_port(p);
    for (const Call& call : calls) make(*a, call);
    a->advance(end, in_one_go);

    const auto b = make_scheduler_port(p);
    for (const Call& call : calls) {
      while (b->next_change() < call.at) b->advance(b->next_change(), step_by_step);
      make(*b, call);
    }
    while (b->next_change() <= end) b->advance(b->next_change(), step_by_step);

    const auto c = make_scheduler_port(p);
    Time now{};
    for (const Call& call : calls) {
      while (now < call.at) {
        now = std::min(call.at, now + picoseconds(static_cast<std::int64_t>(random.below(200'000))));
        c->advance(now, at_random);
      }
      make(*c, call);
    }
    c->advance(end, at_random);

    ASSERT_EQ(in_one_go, step_by_step) << "seed " << seed;
    ASSERT_EQ(in_one_go, at_random) << "seed " << seed;
    ASSERT_FALSE(in_one_go.empty());
  }
}

}  // namespace
}  // namespace hybrid
