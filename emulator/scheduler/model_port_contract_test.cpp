// The embedded scheduler under random calls, against a checker that knows the contract of
// core/scheduler_port.h but not the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "emulator/scheduler/model_port.h"
#include "emulator/scheduler/slots_for_test.h"

namespace hybrid {
namespace {

constexpr Time kCycle = nanoseconds(80);

SwitchParameters parameters(const std::string& scheduler, std::uint32_t nodes, std::uint32_t slots,
                            std::uint32_t latency) {
  SwitchParameters p;
  p.scheduler_name = scheduler;
  p.nodes = nodes;
  p.slots = slots;
  p.scheduler = {kCycle, latency};
  return p;
}

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

/// With one seed's calls.
void check_contract(const std::string& name, std::uint64_t seed) {
  Random shape(seed);
  const auto n = static_cast<std::uint32_t>(1 + shape.below(seed % 10 == 0 ? 140 : 12));
  const auto k = static_cast<std::uint32_t>(1 + shape.below(5));
  const auto latency = static_cast<std::uint32_t>(shape.below(4));
  const auto port = make_scheduler_port(parameters(name, n, k, latency));
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

TEST(ModelPortContract, RandomCallsKeepTheContract) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) ASSERT_NO_FATAL_FAILURE(check_contract("greedy", seed));
}

TEST(ModelPortContract, EverySchedulerKeepsIt) {
  for (const std::string& name : one_slot_names())
    for (std::uint64_t seed = 1; seed <= 30; ++seed)
      ASSERT_NO_FATAL_FAILURE(check_contract(name, seed)) << name;
}

void check_advancing(const std::string& name, std::uint64_t seed) {
  Random random(seed);
  const std::uint32_t n = 1 + static_cast<std::uint32_t>(random.below(20));
  const std::uint32_t k = 1 + static_cast<std::uint32_t>(random.below(4));
  const auto p = parameters(name, n, k, 1 + static_cast<std::uint32_t>(random.below(3)));
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

TEST(ModelPortContract, HowTimeIsAdvancedDoesNotMatter) {
  for (const std::string& name : one_slot_names())
    for (std::uint64_t seed = 1; seed <= (name == "greedy" ? 60 : 15); ++seed)
      ASSERT_NO_FATAL_FAILURE(check_advancing(name, seed)) << name;
}

}  // namespace
}  // namespace hybrid
