// A network without contention for tests of the traffic, and short forms of its parameters.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "emulator/network/technique.h"
#include "emulator/traffic/pattern.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {

/// Ideal network: a source hands over one message at a time at link rate, and each message arrives after a
/// fixed time. With `needs_slot`, a message arrives only when its connection is preloaded, and is then a hit.
class IdealNetwork : public Technique {
 public:
  IdealNetwork(const SwitchParameters& p, bool needs_slot)
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

inline SwitchParameters small_switch(std::uint32_t nodes, std::uint32_t preload = 0) {
  SwitchParameters p;
  p.nodes = nodes;
  p.preload = preload;
  return p;
}

inline TrafficOptions traffic_named(const std::string& pattern, std::uint64_t messages = 0) {
  TrafficOptions o;
  o.pattern = pattern;
  o.messages = messages;
  return o;
}

inline std::unique_ptr<Pattern> pattern_for(const SwitchParameters& p, const TrafficOptions& o) {
  return PatternRegistration::make(o.pattern, PatternShape{p.nodes, o.messages, p.seed});
}

}  // namespace hybrid
