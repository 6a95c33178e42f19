// Held destinations by their last use alone: what is expected takes a place, but no rank.
//
// After a send it holds the destination, the expected ones, and of the others the last used, up to the
// capacity. What was expected and not used is the first to go once nothing expects it any more, so that wrong
// expectations cost places for one send only. Nothing goes before its place is needed, unless there is no
// capacity: then what was neither used nor requested within the last `threshold` sends goes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "predictor/predictor.h"
#include "predictor/recency_list.h"
#include "predictor/small_holdings.h"

namespace hybrid {

class UsedHoldings {
 public:
  explicit UsedHoldings(const PredictorShape& shape)
      : held_(shape.destinations),
        requested_at_(shape.capacity == 0 ? shape.destinations : 0),
        capacity_(most_held(shape)),
        threshold_(shape.threshold),
        is_limited_(shape.capacity != 0) {}

  /// A send to the first of `plan`, after which the others come, no more than there are places for: they are
  /// held. The spans stay valid until the next call.
  Predictor::Decisions send(const Plan& plan) {
    requested_count_ = released_count_ = 0;
    ++sends_;
    const Port destination = plan[0];
    if (held_.contains(destination)) {
      held_.renew(destination, held_.top());
      note(destination);
    } else {
      request(destination, plan, true);
    }
    plan.for_each_other([&](Port d) {
      if (!held_.contains(d)) request(d, plan, !is_limited_);
    });
    if (!is_limited_) drop_stale(plan);
    return {{released_.data(), released_count_}, {requested_.data(), requested_count_}};
  }

  void clear() { held_.clear(); }
  /// As much of what is held as it has places for, the last used first.
  void copy_to(SmallHoldings& copy) const {
    copy.clear();
    if (held_.empty()) return;
    Port d = held_.newest();
    for (std::size_t left = std::min<std::size_t>(copy.places(), held_.size());;) {
      copy.add_oldest(d);
      if (--left == 0) return;
      d = held_.older(d);
    }
  }
  bool holds(Port destination) const { return held_.contains(destination); }
  /// Beside the object itself.
  std::size_t heap_bytes() const { return held_.heap_bytes() + requested_at_.size() * sizeof(std::uint16_t); }

 private:
  static constexpr std::size_t kMostPlanned = 8;

  void note(Port d) {
    if (!is_limited_) requested_at_[d] = sends_;
  }
  void request(Port d, const Plan& plan, bool as_used) {
    if (held_.size() == capacity_) {
      Port victim = held_.oldest();
      while (plan.contains(victim)) victim = held_.newer(victim);
      drop(victim);
    }
    held_.insert(d, as_used || held_.empty() ? held_.top() : held_.oldest());
    note(d);
    requested_[requested_count_++] = d;
  }
  void drop(Port d) {
    held_.erase(d);
    released_[released_count_++] = d;
  }
  // Of one send no more than a plan turns stale together. Numbers of sends wrap; counters do not get as far.
  void drop_stale(const Plan& plan) {
    while (released_count_ < kMostPlanned && !held_.empty()) {
      const Port d = held_.oldest();
      if (static_cast<std::uint16_t>(sends_ - requested_at_[d]) < threshold_ || plan.contains(d)) return;
      drop(d);
    }
  }

  RecencyList held_;                         // by last use; what was only expected is older than all others
  std::vector<std::uint16_t> requested_at_;  // or used: the number of that send; without a capacity
  std::uint32_t capacity_;
  std::uint32_t threshold_;
  bool is_limited_;
  std::uint16_t sends_ = 0;
  std::array<Port, kMostPlanned> requested_{}, released_{};
  std::size_t requested_count_ = 0, released_count_ = 0;
};

}  // namespace hybrid
