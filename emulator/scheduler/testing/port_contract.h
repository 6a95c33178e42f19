// Test helper: random calls of a scheduler port, and what its contract (core/scheduler_port.h) states about
// them, independently of the scheduling.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/random.h"
#include "core/scheduler_port.h"
#include "emulator/parameters.h"

namespace hybrid {

inline constexpr Time kPortCycle = nanoseconds(80);

inline SwitchParameters port_parameters(std::uint32_t nodes, std::uint32_t slots, std::uint32_t latency) {
  SwitchParameters p;
  p.nodes = nodes;
  p.slots = slots;
  p.scheduler = {kPortCycle, latency};
  return p;
}

struct PortCall {
  enum class Kind { request, release, flush, preload } kind = Kind::request;
  Time at;
  Connection connection;  // for a flush: its source
  std::uint32_t slot = 0;
  Configuration configuration;
};

inline std::vector<PortCall> random_port_calls(std::uint64_t seed, std::uint32_t n, std::uint32_t k) {
  Random random(seed);
  std::vector<PortCall> calls;
  Time at{};
  const std::uint64_t gap = 1 + random.below(400);
  const std::uint64_t wide = random.below(2) != 0 ? n : 1 + random.below(n);  // number of ports in use
  for (int i = 0; i < 300; ++i) {
    if (random.below(3) != 0) at += nanoseconds(static_cast<std::int64_t>(random.below(gap)));
    if (random.below(5) == 0) at = next_edge(at, kPortCycle);
    PortCall call;
    call.at = at;
    call.connection = {static_cast<Port>(random.below(wide)), static_cast<Port>(random.below(wide))};
    const std::uint64_t dice = random.below(100);
    if (dice < 60) {
      call.kind = PortCall::Kind::request;
    } else if (dice < 90) {
      call.kind = PortCall::Kind::release;
    } else if (dice < 94) {
      call.kind = PortCall::Kind::flush;
      if (random.below(4) == 0) call.connection.source = kNoPort;
    } else {
      call.kind = PortCall::Kind::preload;
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

inline void make_call(SchedulerPort& port, const PortCall& call) {
  switch (call.kind) {
    case PortCall::Kind::request:
      return port.request(call.at, call.connection);
    case PortCall::Kind::release:
      return port.release(call.at, call.connection);
    case PortCall::Kind::flush:
      return port.flush(call.at, call.connection.source);
    case PortCall::Kind::preload:
      return port.preload(call.at, call.slot, call.configuration);
  }
}

/// Replays grants; fails unless they describe K partial permutations with each connection at most once.
class GrantReplay {
 public:
  GrantReplay(std::uint32_t n, std::uint32_t k) : slots_(k, Configuration(n)) {}
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

/// The requests and preloads after the calls so far, as the contract defines them: the level of every request
/// over time, and the preloaded slots.
class ExpectedRequests {
 public:
  ExpectedRequests(std::uint32_t n, std::uint32_t k, Time delay = {}, bool direct = false)
      : preloaded_(k, Configuration(n)), delay_(delay), direct_(direct) {}
  void apply_call(const PortCall& call) {
    const Connection c = call.connection;
    switch (call.kind) {
      case PortCall::Kind::request:
        if (!is_preloaded(c)) set(call.at, c, true);
        break;
      case PortCall::Kind::release:
        set(call.at, c, false);
        break;
      case PortCall::Kind::flush:
        for (auto& [connection, history] : levels_)
          if (c.source == kNoPort || connection.source == c.source) set(call.at, connection, false);
        for (Configuration& slot : preloaded_)
          for (const Connection& held : slot.connections())
            if (c.source == kNoPort || held.source == c.source) slot.remove(held);
        global_edges_.insert(next_edge(call.at, kPortCycle));
        break;
      case PortCall::Kind::preload:
        for (const Connection& held : call.configuration.connections()) {
          for (Configuration& slot : preloaded_) slot.remove(held);
          set(call.at, held, false);
        }
        preloaded_[call.slot] = call.configuration;
        if (direct_) {
          preloads_.insert(call.at);
          // It may follow the changes of a pass that is under way.
          for (Time edge = next_edge(call.at, kPortCycle); edge + delay_ > call.at; edge -= kPortCycle)
            global_edges_.insert(edge);
        } else {
          global_edges_.insert(next_edge(call.at, kPortCycle));
        }
        break;
    }
  }
  bool is_preloaded(Connection c) const {
    return std::any_of(preloaded_.begin(), preloaded_.end(), [c](const auto& s) { return s.holds(c); });
  }
  bool is_requested(Connection c) const {
    const auto it = levels_.find(c);
    return it != levels_.end() && it->second.back().second;
  }
  bool was_requested(Connection c, Time edge) const {
    const auto it = levels_.find(c);
    bool level = false;
    if (it != levels_.end())
      for (const auto& [at, to] : it->second)
        if (at <= edge) level = to;
    return level;
  }
  /// Whether a flush or preload acted on this edge: then any connection may be released, and preloaded ones
  /// be established.
  bool all_may_change(Time edge) const { return global_edges_.contains(edge); }
  /// Whether a direct preload arrived at `at`.
  bool preloads_at(Time at) const { return preloads_.contains(at); }
  const std::vector<Configuration>& preloaded() const { return preloaded_; }
  std::vector<Connection> all_requested() const {
    std::vector<Connection> all;
    for (const auto& [c, history] : levels_)
      if (history.back().second) all.push_back(c);
    return all;
  }

 private:
  void set(Time at, Connection c, bool level) { levels_[c].push_back({at, level}); }
  std::map<Connection, std::vector<std::pair<Time, bool>>> levels_;
  std::vector<Configuration> preloaded_;
  Time delay_;
  bool direct_;  // preloads take no pass
  std::set<Time> global_edges_, preloads_;
};

}  // namespace hybrid
