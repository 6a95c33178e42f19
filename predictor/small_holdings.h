// SmallHoldings: the held destinations of a port with up to 16 places, in machine words. The policy is that
// of UsedHoldings. Used for the holdings of a port, and for the hypothetical holdings of a contestant,
// without callbacks.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "predictor/destination_lanes.h"
#include "predictor/forecaster.h"

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

}  // namespace hybrid
