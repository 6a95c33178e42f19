// Scheduler port for tests. It grants every request at its time, in slot K - 1 (several connections of one
// port share the slot, as if it had room for all), logs every call, and fails the test if a call breaks the
// contract of the port (core/scheduler_port.h).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/scheduler_port.h"

namespace hybrid {

class InstantPort final : public SchedulerPort {
 public:
  /// `log` outlives the port; each call adds a line such as "request 3>5 at 10".
  InstantPort(Shape shape, std::vector<std::string>* log) : shape_(shape), log_(log) {}

  Shape shape() const override { return shape_; }

  void preload(Time at, std::uint32_t slot, const Configuration& configuration) override {
    std::string line = "preload slot " + std::to_string(slot) + ":";
    for (const Connection& c : configuration.connections()) line += " " + text(c);
    log_call(at, line);
    EXPECT_LT(slot, shape_.slots);
    for (auto it = preloaded_.begin(); it != preloaded_.end();)
      it = it->second == slot ? (change(at, slot, it->first, Grant::Kind::released), preloaded_.erase(it))
                              : std::next(it);
    for (const Connection& c : configuration.connections()) {
      EXPECT_FALSE(preloaded_.contains(c)) << text(c) << " would be in two slots";
      if (requested_.erase(c) != 0) change(at, shape_.slots - 1, c, Grant::Kind::released);
      preloaded_[c] = slot;
      change(at, slot, c, Grant::Kind::established);
    }
  }
  void request(Time at, Connection c) override {
    log_call(at, "request " + text(c));
    if (preloaded_.contains(c) || !requested_.insert(c).second) return;
    change(at, shape_.slots - 1, c, Grant::Kind::established);
  }
  void release(Time at, Connection c) override {
    log_call(at, "release " + text(c));
    if (requested_.erase(c) != 0) change(at, shape_.slots - 1, c, Grant::Kind::released);
  }
  void flush(Time at, Port source) override {
    log_call(at, "flush " + std::to_string(source));
    std::erase_if(requested_, [&](Connection c) {
      if (c.source != source) return false;
      change(at, shape_.slots - 1, c, Grant::Kind::released);
      return true;
    });
    std::erase_if(preloaded_, [&](const auto& held) {
      if (held.first.source != source) return false;
      change(at, held.second, held.first, Grant::Kind::released);
      return true;
    });
  }
  void advance(Time until, std::vector<Grant>& grants) override {
    EXPECT_GE(until, last_);
    last_ = until;
    grants.insert(grants.end(), pending_.begin(), pending_.end());
    pending_.clear();
  }
  Time next_change() const override { return pending_.empty() ? Time::never() : last_; }

  static std::string text(Connection c) {
    return std::to_string(c.source) + ">" + std::to_string(c.destination);
  }

 private:
  void log_call(Time at, const std::string& call) {
    EXPECT_GE(at, last_) << "time went back";
    last_ = at;
    if (log_ != nullptr) log_->push_back(call + " at " + std::to_string(at.ps));
  }
  void change(Time at, std::uint32_t slot, Connection c, Grant::Kind kind) {
    pending_.push_back({at, slot, c, kind});
  }

  Shape shape_;
  std::vector<std::string>* log_;
  Time last_{};
  std::set<Connection> requested_;
  std::map<Connection, std::uint32_t> preloaded_;
  std::vector<Grant> pending_;
};

}  // namespace hybrid
