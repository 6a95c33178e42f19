// Held destinations for the tournament, in the order of their last use: UsedHoldings, and SmallHoldings for a
// small capacity.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "predictor/destination_lanes.h"
#include "predictor/forecaster.h"
#include "predictor/holdings.h"
#include "predictor/predictor.h"

namespace hybrid {

/// A send to `destination` and the destinations expected after it, the most likely first; together at most
/// kMost.
struct Plan {
  static constexpr std::size_t kMost = 8;
  Port destination = kNoPort;
  std::span<const Expected> expected;
  bool contains(Port d) const {
    bool found = d == destination;
    for (const Expected& e : expected) found |= d == e.destination;
    return found;
  }
};

/// SmallHoldings: the held destinations of a port with up to 16 places, in machine words. The policy is that
/// of UsedHoldings. Used for the holdings of a port, and for the hypothetical holdings of a contestant,
/// without callbacks.
class SmallHoldings {
 public:
  static constexpr std::size_t kMostPlaces = 16;

  /// Requires: places <= kMostPlaces.
  explicit SmallHoldings(std::size_t places) : places_(places) {}

  /// Holds the plan's destination, and as many of the expected ones as there are places for. Returns whether
  /// the destination was held before. Calls `release` and `request` for each change, in an order in which the
  /// number of held destinations never exceeds the places.
  template <class Release, class Request>
  bool send(const Plan& plan, Release&& release, Request&& request) {
    const Port destination = plan.destination;
    std::size_t at = order_.find(destination);
    const bool was_held = at != order_.size();
    std::uint32_t planned = was_held ? 1u << at : 0;  // by place
    std::array<Port, Plan::kMost> missing;
    std::size_t missing_count = 0, room = places_ - 1;
    for (const Expected& e : plan.expected) {
      if (room == 0) break;
      const std::size_t place = order_.find(e.destination);
      if (place != order_.size()) {
        if ((planned >> place & 1) != 0) continue;
        planned |= 1u << place;
      } else {
        bool is_known = e.destination == destination;
        for (std::size_t i = 0; i < missing_count; ++i) is_known |= missing[i] == e.destination;
        if (is_known) continue;
        missing[missing_count++] = e.destination;
      }
      --room;
    }
    if (at == places_) {
      at = last_but(planned);
      release(order_[at]);
    }
    if (!was_held) request(destination);
    order_.to_front(at, destination);
    const std::uint32_t newer = (1u << at) - 1;
    planned = (planned & ~(newer << 1 | 1)) | (planned & newer) << 1 | 1;
    for (std::size_t i = 0; i < missing_count; ++i) {
      if (order_.size() < places_) {
        planned |= 1u << order_.size();
        order_.push_back(missing[i]);
      } else {
        const std::size_t victim = last_but(planned);
        release(order_[victim]);
        order_.to_back(victim, missing[i]);
        // NOLINTNEXTLINE(clang-analyzer-core.BitwiseShift): some place is not planned
        const std::uint32_t before = (1u << victim) - 1;
        planned = (planned & before) | (planned >> 1 & ~before) | 1u << (places_ - 1);
      }
      request(missing[i]);
    }
    return was_held;
  }
  /// The same without callbacks.
  bool send(const Plan& plan) {
    return send(plan, [](Port) {}, [](Port) {});
  }
  void clear() { order_.clear(); }
  /// Adds a destination that is older than all held ones. Requires: it is not held, and there is a place.
  void add_oldest(Port destination) { order_.push_back(destination); }
  bool holds(Port destination) const { return order_.contains(destination); }
  std::size_t places() const { return places_; }

 private:
  // The oldest place that is not `planned`. Requires: there is one.
  std::size_t last_but(std::uint32_t planned) const {
    const std::uint32_t all = (1u << order_.size()) - 1;
    return static_cast<std::size_t>(std::bit_width(all & ~planned)) - 1;
  }

  DestinationLanes<kMostPlaces> order_;  // by last use, latest first; destinations only expected come last
  std::size_t places_;
};

/// UsedHoldings: held destinations in the order of their last use. An expected destination takes a place, but
/// does not count as used.
///
/// After a send the destination, the expected destinations and the last used others are held, up to the
/// capacity. A destination that was expected and not used is the first to be dropped when it is no longer
/// expected, so that a wrong expectation costs a place for one send only. A destination is dropped only when
/// its place is needed. Without a capacity, a destination that was neither used nor requested within the last
/// `threshold` sends is dropped.
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
