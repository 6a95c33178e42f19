// Held destinations of a predictor that requests ahead: after a send it holds what it plans for the next
// ones, and what it used or expected within the last `threshold` sends.
//
// A plan is the destination sent to, then the expected ones, the nearest and most likely first. Without a
// place, the one that was used or expected longest ago goes, and among those of one send the one planned
// last: the least probable before the more probable, both after what nothing expects any more.
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

  /// Plans at most `ahead` destinations beside the one sent to. Throws UserError, naming `name`, for an
  /// impossible shape.
  PlannedHoldings(std::string_view name, const PredictorShape& shape, std::size_t ahead)
      : held_(name, shape), most_planned_(std::min<std::size_t>(1 + ahead, held_.capacity())) {}

  /// A send to `destination`: begins its plan.
  void begin(Port destination) {
    held_.count_send();
    planned_ = missing_count_ = 0;
    below_ = held_.top();
    first_ = last_ = kNoPort;
    add(destination);
  }
  /// The most that a plan has beside the destination sent to.
  std::size_t most_ahead() const { return most_planned_ - 1; }
  bool is_full() const { return planned_ == most_planned_; }
  /// Adds to the plan, which is not full. Renews what is held, below the nearer one: what is fresh is planned
  /// already.
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
  /// Holds the plan. The spans stay valid until the next call.
  Predictor::Decisions commit() {
    renew();
    std::size_t released = 0;
    const auto release = [&](Port d) { released_[released++] = d; };
    // All that is planned and held is fresh by now, so that nothing is dropped and requested in the same
    // call.
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
  /// Beside the object itself.
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

  // The plan; of these, the places of those not held.
  std::array<Port, kMostPlanned> plan_{};
  std::array<std::uint8_t, kMostPlanned> missing_{};
  std::size_t planned_ = 0, missing_count_ = 0;
  // The farthest one planned, held and in its place. After it come first_ .. last_, if any: most of a plan is
  // the last plan's end, neighbours that move together.
  Port below_ = kNoPort, first_ = kNoPort, last_ = kNoPort;

  std::array<Port, kMostPlanned> requested_{};
  // A send renews at most a plan together, which turns stale together; as many may go for want of a place.
  std::array<Port, 2 * kMostPlanned> released_{};
};

}  // namespace hybrid
