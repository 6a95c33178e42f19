// UsedHoldings: held destinations in the order of their last use. An expected destination takes a place, but
// does not count as used.
//
// After a send the destination, the expected destinations and the last used others are held, up to the
// capacity. A destination that was expected and not used is the first to be dropped when it is no longer
// expected, so that a wrong expectation costs a place for one send only. A destination is dropped only when
// its place is needed. Without a capacity, a destination that was neither used nor requested within the last
// `threshold` sends is dropped.
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
      : is_small_(shape.capacity != 0 && most_held(shape) <= SmallHoldings::kMostPlaces),
        is_limited_(shape.capacity != 0),
        small_(is_small_ ? most_held(shape) : 0),
        held_(is_small_ ? 0 : shape.destinations),
        requested_at_(is_limited_ ? 0 : shape.destinations),
        capacity_(most_held(shape)),
        threshold_(shape.threshold) {}

  /// Holds the destinations of the plan. Requires: there are enough places. The spans are valid until the
  /// next call.
  Predictor::Decisions send(const Plan& plan) {
    requested_count_ = released_count_ = 0;
    if (is_small_)
      small_.send(
          plan, [this](Port d) { released_[released_count_++] = d; },
          [this](Port d) { requested_[requested_count_++] = d; });
    else
      send_to_many(plan);
    return {{released_.data(), released_count_}, {requested_.data(), requested_count_}};
  }

  void clear() {
    held_.clear();
    small_.clear();
  }
  /// Whether the capacity is at most SmallHoldings::kMostPlaces.
  bool is_small() const { return is_small_; }
  /// Copies the last used destinations, as many as `copy` has places for. If is_small(), copies everything.
  void copy_to(SmallHoldings& copy) const {
    if (is_small_) {
      copy = small_;
      return;
    }
    copy.clear();
    if (held_.empty()) return;
    Port d = held_.newest();
    for (std::size_t left = std::min<std::size_t>(copy.places(), held_.size());;) {
      copy.add_oldest(d);
      if (--left == 0) return;
      d = held_.older(d);
    }
  }
  bool holds(Port destination) const {
    return is_small_ ? small_.holds(destination) : held_.contains(destination);
  }
  /// Memory outside the object itself.
  std::size_t heap_bytes() const { return held_.heap_bytes() + requested_at_.size() * sizeof(std::uint16_t); }

 private:
  void send_to_many(const Plan& plan) {
    ++sends_;
    if (held_.contains(plan.destination)) {
      held_.renew(plan.destination, held_.top());
      note(plan.destination);
    } else {
      request(plan.destination, plan, true);
    }
    for (const Expected& e : plan.expected)
      if (!held_.contains(e.destination)) request(e.destination, plan, !is_limited_);
    if (!is_limited_) drop_stale(plan);
  }
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
  // At most the destinations of one plan become stale with one send. Send numbers wrap; counters stay below
  // the wrap.
  void drop_stale(const Plan& plan) {
    while (released_count_ < Plan::kMost && !held_.empty()) {
      const Port d = held_.oldest();
      if (static_cast<std::uint16_t>(sends_ - requested_at_[d]) < threshold_ || plan.contains(d)) return;
      drop(d);
    }
  }

  bool is_small_, is_limited_;
  SmallHoldings small_;
  // If not small:
  RecencyList held_;  // by last use; destinations only expected are the oldest
  std::vector<std::uint16_t>
      requested_at_;  // number of the send of the last use or request; without a capacity only
  std::uint32_t capacity_;
  std::uint32_t threshold_;
  std::uint16_t sends_ = 0;
  std::array<Port, Plan::kMost> requested_{}, released_{};
  std::size_t requested_count_ = 0, released_count_ = 0;
};

}  // namespace hybrid
