// Held destinations with the counters of D 5.2.2: a destination's counter is the number of sends since it was
// last renewed; at the threshold it is stale.
//
// No counter is ever incremented: a send is numbered, a destination keeps the number of the send that last
// renewed it, and its counter is the difference. Numbers are 16-bit and wrap: counters of held destinations
// stay below the threshold, so that the difference is exact.
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

  /// Throws UserError, naming `predictor`, unless 1 <= shape.threshold <= kMostThreshold.
  CountedHoldings(std::string_view predictor, const PredictorShape& shape);

  /// The most that may be held: shape.capacity, or all destinations.
  std::uint32_t capacity() const { return capacity_; }
  bool holds(Port d) const { return held_.contains(d); }

  /// One more send: every counter goes up by one.
  void count_send() { ++sends_; }
  /// Whether `d` is held and was renewed or added since the last count_send.
  bool is_fresh(Port d) const { return held_.contains(d) && renewed_at_[d] == sends_; }
  /// The place of what is dropped last for want of a place, for `below`.
  Port top() const { return held_.top(); }
  /// The counter of the held `d` goes to 0. It is the next to be dropped before `below`, which is fresh, or
  /// top().
  void renew(Port d, Port below) {
    held_.renew(d, below);
    renewed_at_[d] = sends_;
  }
  /// As renew, in two steps: the counters of some that are neighbours, newest first, go to 0; then all move.
  void reset_counter(Port d) { renewed_at_[d] = sends_; }
  void renew_run(Port first, Port last, Port below) { held_.renew_run(first, last, below); }
  /// The next to be dropped before the held `d`, or top().
  Port older(Port d) const { return held_.older(d); }
  /// Drops every destination whose counter has reached the threshold, calling `release(d)` for each.
  template <class Release>
  void drop_stale(Release&& release) {
    while (!held_.empty() && counter(held_.oldest()) >= threshold_) drop_oldest(release);
  }
  /// Holds `d`, which is not held, with counter 0; drops the least recently renewed if there is no place.
  template <class Release>
  void add(Port d, Port below, Release&& release) {
    if (held_.size() == capacity_) drop_oldest(release);
    held_.insert(d, below);
    renewed_at_[d] = sends_;
  }
  void clear() { held_.clear(); }
  /// Beside the object itself.
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
