// What UsedHoldings would hold with up to 16 places, without requesting anything: for a contestant that is
// only tried out.
#pragma once

#include <cstddef>
#include <span>

#include "predictor/destination_lanes.h"
#include "predictor/forecaster.h"

namespace hybrid {

/// A destination sent to, then what is expected after it, the likeliest first, none of them twice.
using Plan = DestinationLanes<8>;

/// With at most seven expected, and no more than there are places for.
inline Plan plan_of(Port destination, std::span<const Expected> expected, std::size_t places) {
  Plan plan;
  plan.push_back(destination);
  for (const Expected& e : expected) {
    if (plan.size() == places) break;
    if (!plan.contains(e.destination)) plan.push_back(e.destination);
  }
  return plan;
}

class SmallHoldings {
 public:
  static constexpr std::size_t kMostPlaces = 16;

  /// At most kMostPlaces.
  explicit SmallHoldings(std::size_t places) : places_(places) {}

  /// A send to the first of `plan`: whether it was held. Afterwards the others come, as UsedHoldings has it.
  bool send(const Plan& plan) {
    const Port destination = plan[0];
    std::size_t at = order_.find(destination);
    const bool was_held = at != order_.size();
    if (!was_held && at == places_) at = victim(plan);
    order_.to_front(at, destination);
    plan.for_each_other([&](Port d) {
      if (order_.contains(d)) return;
      if (order_.size() < places_)
        order_.push_back(d);
      else
        order_.to_back(victim(plan), d);
    });
    return was_held;
  }
  void clear() { order_.clear(); }
  /// The next one to be held, older than all that are. Not more than there are places.
  void add_oldest(Port destination) { order_.push_back(destination); }
  std::size_t places() const { return places_; }

 private:
  // The oldest that is not planned; there is one, as no more is planned than there are places.
  std::size_t victim(const Plan& plan) const {
    std::size_t i = order_.size() - 1;
    while (i > 0 && plan.contains(order_[i])) --i;
    return i;
  }

  DestinationLanes<kMostPlaces> order_;  // by last use, the last first; what was only expected comes last
  std::size_t places_;
};

}  // namespace hybrid
