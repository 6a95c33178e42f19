// Held destinations of a predictor, in three layers:
// - RecencyList: in the order of their last use;
// - CountedHoldings: with the counters of D 5.2.2;
// - PlannedHoldings: for predictors that request ahead.
//
// UsedHoldings (used_holdings.h) is an alternative for the tournament, without counters.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/connection.h"
#include "core/zeroed_array.h"
#include "predictor/predictor.h"

namespace hybrid {

/// RecencyList: held destinations in the order of their last use.
///
/// Intrusive doubly linked list over destinations 0 .. n-1. All operations are O(1), except clear(), which is
/// O(size). No allocation after construction. Links have 16 bits, so that 4096 destinations take 16 KiB and
/// fit into the first-level cache. Links are initially 0 (ZeroedArray), so that unused lists in a large
/// emulated switch cost nothing.
///
/// In the functions below, `below` is a member or top(): the position next older than `below`.
class RecencyList {
 public:
  static constexpr std::uint32_t kMostDestinations = 65'534;

  /// Throws UserError for more than kMostDestinations.
  explicit RecencyList(std::uint32_t destinations);

  bool contains(Port d) const { return links_[place(d)].newer != kAbsent; }
  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  /// The oldest member. Requires: not empty.
  Port oldest() const { return links_[place(end_)].newer - Port{1}; }

  /// The newest member. Requires: not empty.
  Port newest() const { return links_[place(end_)].older - Port{1}; }
  /// The next older member of the member `d`; for the oldest, top().
  Port older(Port d) const { return links_[place(d)].older - Port{1}; }
  /// The next newer member of the member `d`. Requires: `d` is not the newest.
  Port newer(Port d) const { return links_[place(d)].newer - Port{1}; }

  /// The position above the newest member, for `below`.
  Port top() const { return end_; }
  /// Adds `d` next older than `below`. Requires: `d` is not a member.
  void insert(Port d, Port below) {
    if (size_ == 0) links_[place(end_)] = {place(end_), place(end_)};  // not earlier: the list may stay empty
    link(d, below);
    ++size_;
  }
  /// Moves the member `d` next older than `below`. Requires: below != d.
  void renew(Port d, Port below) {
    unlink(d);
    link(d, below);
  }
  /// Moves the run of neighbours from `first` to the older `last` next older than `below`, which is not in
  /// the run.
  void renew_run(Port first, Port last, Port below) {
    const Index newer = links_[place(first)].newer, older = links_[place(last)].older;
    if (newer == place(below)) return;
    links_[newer].older = older;
    links_[older].newer = newer;
    const Index next = links_[place(below)].older;
    links_[place(first)].newer = place(below);
    links_[place(last)].older = next;
    links_[next].newer = place(last);
    links_[place(below)].older = place(first);
  }
  /// Removes the member `d`.
  void erase(Port d) {
    unlink(d);
    links_[place(d)].newer = kAbsent;
    --size_;
  }
  void clear();
  /// Memory outside the object itself.
  std::size_t heap_bytes() const { return links_.size() * sizeof(Links); }

 private:
  using Index = std::uint16_t;
  static constexpr Index kAbsent = 0;
  static constexpr Index place(Port d) { return static_cast<Index>(d + 1); }
  // By place. The place of end_ closes the ring: its `newer` is the oldest member, its `older` the newest.
  struct Links {
    Index newer = kAbsent, older = kAbsent;
  };

  void link(Port d, Port below) {
    Links& next = links_[place(below)];
    links_[place(d)] = {place(below), next.older};
    links_[next.older].newer = place(d);
    next.older = place(d);
  }
  void unlink(Port d) {
    // Two loads instead of one of 32 bits, which would stall if its halves were stored separately shortly
    // before.
    const Index newer = links_[place(d)].newer, older = links_[place(d)].older;
    links_[newer].older = older;
    links_[older].newer = newer;
  }

  ZeroedArray<Links> links_;
  std::uint32_t size_ = 0;
  Port end_ = 0;
};

/// Limit on the destinations that a predictor of `shape` holds.
constexpr std::uint32_t most_held(const PredictorShape& shape) {
  return shape.capacity == 0 || shape.capacity > shape.destinations ? shape.destinations : shape.capacity;
}

/// CountedHoldings: held destinations with the counters of D 5.2.2. The counter of a destination is the
/// number of sends since it was last renewed; at the threshold the destination is stale.
///
/// Counters are not incremented. Each send has a number, a destination stores the number of the send that
/// last renewed it, and its counter is the difference. The numbers have 16 bits and wrap. The counters of
/// held destinations stay below the threshold, so that the difference is exact.
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

/// PlannedHoldings: held destinations of a predictor that requests ahead. After a send the planned
/// destinations are held, and those that were used or expected within the last `threshold` sends.
///
/// A plan is the destination of the send, then the expected ones, the nearest and most likely first. If there
/// is no free place, the destination that was used or expected longest ago is dropped; among those of one
/// send, the one planned last. So a destination that is no longer expected goes first, then the least
/// probable.
class PlannedHoldings {
 public:
  /// A plan has at most `ahead` destinations in addition to the destination of the send. Throws UserError,
  /// with `name` as the name of the predictor, for an invalid shape.
  PlannedHoldings(std::string_view name, const PredictorShape& shape, std::size_t ahead)
      : held_(name, shape), most_planned_(std::min<std::size_t>(1 + ahead, held_.capacity())) {}

  /// Begins the plan of a send to `destination`.
  void begin(Port destination) {
    held_.count_send();
    planned_ = missing_count_ = 0;
    below_ = held_.top();
    first_ = last_ = kNoPort;
    add(destination);
  }
  /// Limit on the expected destinations in a plan.
  std::size_t most_ahead() const { return most_planned_ - 1; }
  bool is_full() const { return planned_ == most_planned_; }
  /// Adds an expected destination to the plan; a held one becomes the next older one of the destination
  /// planned before it. A destination that is fresh is already in the plan. Requires: the plan is not full.
  void add(Port destination) {
    if (held_.holds(destination)) {
      if (held_.is_fresh(destination)) return;
      held_.reset_counter(destination);
      if (first_ == kNoPort || held_.older(last_) != destination) {
        renew();
        first_ = destination;
      }
      last_ = destination;
    } else {
      for (std::size_t i = 0; i < missing_count_; ++i)
        if (plan_[missing_[i]] == destination) return;
      missing_[missing_count_++] = static_cast<std::uint8_t>(planned_);
    }
    plan_[planned_++] = destination;
  }
  /// Holds the destinations of the plan. The spans are valid until the next call.
  Predictor::Decisions commit() {
    renew();
    std::size_t released = 0;
    const auto release = [&](Port d) { released_[released++] = d; };
    // All held destinations of the plan are fresh by now, so that none is dropped and requested in one call.
    held_.drop_stale(release);
    for (std::size_t i = 0; i < missing_count_; ++i) {
      const std::size_t at = missing_[i];
      held_.add(plan_[at], at == 0 ? held_.top() : plan_[at - 1], release);
      requested_[i] = plan_[at];
    }
    return {{released_.data(), released}, {requested_.data(), missing_count_}};
  }

  void clear() { held_.clear(); }
  bool holds(Port destination) const { return held_.holds(destination); }
  std::uint32_t capacity() const { return held_.capacity(); }
  /// Memory outside the object itself.
  std::size_t heap_bytes() const { return held_.heap_bytes(); }

 private:
  void renew() {
    if (first_ == kNoPort) return;
    held_.renew_run(first_, last_, below_);
    below_ = last_;
  }

  static constexpr std::size_t kMostPlanned = 1 + PredictorShape::kMostAhead;

  CountedHoldings held_;
  std::size_t most_planned_;

  // The plan, and the positions in it of destinations that are not held.
  std::array<Port, kMostPlanned> plan_{};
  std::array<std::uint8_t, kMostPlanned> missing_{};
  std::size_t planned_ = 0, missing_count_ = 0;
  // below_: the last planned destination that is already in its new place. first_ .. last_ (if any) are to be
  // moved after it in one step: most of a plan is the end of the previous plan, a run of neighbours.
  Port below_ = kNoPort, first_ = kNoPort, last_ = kNoPort;

  std::array<Port, kMostPlanned> requested_{};
  // The destinations of one plan become stale together; as many may be dropped for a place.
  std::array<Port, 2 * kMostPlanned> released_{};
};

}  // namespace hybrid
