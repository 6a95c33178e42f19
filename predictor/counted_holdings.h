// CountedHoldings: held destinations with the counters of D 5.2.2. The counter of a destination is the number
// of sends since it was last renewed; at the threshold the destination is stale.
//
// Counters are not incremented. Each send has a number, a destination stores the number of the send that last
// renewed it, and its counter is the difference. The numbers have 16 bits and wrap. The counters of held
// destinations stay below the threshold, so that the difference is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/zeroed_array.h"
#include "predictor/predictor.h"
#include "predictor/recency_list.h"

namespace hybrid {

class CountedHoldings {
 public:
  static constexpr std::uint32_t kMostThreshold = 65'535;

  /// Throws UserError, with `predictor` as the name of the predictor, unless 1 <= shape.threshold <=
  /// kMostThreshold.
  CountedHoldings(std::string_view predictor, const PredictorShape& shape);

  /// Limit on the held destinations: shape.capacity, or all destinations.
  std::uint32_t capacity() const { return capacity_; }
  bool holds(Port d) const { return held_.contains(d); }

  /// Counts a send: increments every counter.
  void count_send() { ++sends_; }
  /// Whether `d` is held and was renewed or added since the last count_send.
  bool is_fresh(Port d) const { return held_.contains(d) && renewed_at_[d] == sends_; }
  /// Value for `below`: the newest position.
  Port top() const { return held_.top(); }
  /// Sets the counter of the held `d` to 0 and makes it the next older one of `below`, which is fresh or
  /// top().
  void renew(Port d, Port below) {
    held_.renew(d, below);
    renewed_at_[d] = sends_;
  }
  /// renew() for a run of neighbours in two steps: resets the counter of each, newest first; then moves all.
  void reset_counter(Port d) { renewed_at_[d] = sends_; }
  void renew_run(Port first, Port last, Port below) { held_.renew_run(first, last, below); }
  /// The next older one of the held `d`, or top().
  Port older(Port d) const { return held_.older(d); }
  /// Drops every destination with a counter at the threshold, and calls `release(d)` for each.
  template <class Release>
  void drop_stale(Release&& release) {
    while (!held_.empty() && counter(held_.oldest()) >= threshold_) drop_oldest(release);
  }
  /// Adds `d` with counter 0. If there is no place, drops the least recently renewed. Requires: `d` is not
  /// held.
  template <class Release>
  void add(Port d, Port below, Release&& release) {
    if (held_.size() == capacity_) drop_oldest(release);
    held_.insert(d, below);
    renewed_at_[d] = sends_;
  }
  void clear() { held_.clear(); }
  /// Memory outside the object itself.
  std::size_t heap_bytes() const { return held_.heap_bytes() + renewed_at_.size() * sizeof(std::uint16_t); }

 private:
  std::uint16_t counter(Port d) const { return static_cast<std::uint16_t>(sends_ - renewed_at_[d]); }
  template <class Release>
  void drop_oldest(Release&& release) {
    const Port d = held_.oldest();
    held_.erase(d);
    release(d);
  }

  RecencyList held_;
  ZeroedArray<std::uint16_t> renewed_at_;
  std::uint32_t capacity_;
  std::uint32_t threshold_;
  std::uint16_t sends_ = 0;
};

}  // namespace hybrid
