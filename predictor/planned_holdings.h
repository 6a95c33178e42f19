// PlannedHoldings: held destinations of a predictor that requests ahead. After a send the planned
// destinations are held, and those that were used or expected within the last `threshold` sends.
//
// A plan is the destination of the send, then the expected ones, the nearest and most likely first. If there
// is no free place, the destination that was used or expected longest ago is dropped; among those of one
// send, the one planned last. So a destination that is no longer expected goes first, then the least
// probable.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "predictor/counted_holdings.h"
#include "predictor/predictor.h"

namespace hybrid {

class PlannedHoldings {
 public:
  static constexpr std::size_t kMostAhead = 8;

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

  static constexpr std::size_t kMostPlanned = 1 + kMostAhead;

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
