// What UsedHoldings would hold with up to 16 places, without requesting anything: for a contestant that is
// only tried out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "predictor/forecaster.h"

namespace hybrid {

class SmallHoldings {
 public:
  static constexpr std::size_t kMostPlaces = 16;

  /// At most kMostPlaces.
  explicit SmallHoldings(std::size_t places) : places_(places) {}

  /// A send to `destination`: whether it was held. Afterwards `expected` come, as UsedHoldings has it.
  bool send(Port destination, std::span<const Expected> expected) {
    std::array<std::uint16_t, kMostPlaces> plan;
    std::size_t planned = 0;
    plan[planned++] = static_cast<std::uint16_t>(destination);
    for (const Expected& e : expected) {
      if (planned == places_) break;
      if (!contains(plan, planned, e.destination))
        plan[planned++] = static_cast<std::uint16_t>(e.destination);
    }
    std::size_t at = place_of(destination);
    const bool was_held = at != count_;
    if (!was_held) at = count_ < places_ ? count_++ : victim(plan, planned);
    std::copy_backward(order_.begin(), order_.begin() + at, order_.begin() + at + 1);
    order_[0] = static_cast<std::uint16_t>(destination);
    for (std::size_t i = 1; i < planned; ++i) {
      if (place_of(plan[i]) != count_) continue;
      if (count_ < places_) {
        order_[count_++] = plan[i];
        continue;
      }
      const std::size_t gone = victim(plan, planned);
      std::copy(order_.begin() + gone + 1, order_.begin() + count_, order_.begin() + gone);
      order_[count_ - 1] = plan[i];
    }
    return was_held;
  }
  void clear() { count_ = 0; }
  /// The next one to be held, older than all that are. Not more than there are places.
  void add_oldest(Port destination) { order_[count_++] = static_cast<std::uint16_t>(destination); }
  std::size_t places() const { return places_; }

 private:
  using Destinations = std::array<std::uint16_t, kMostPlaces>;

  static bool contains(const Destinations& list, std::size_t count, Port d) {
    for (std::size_t i = 0; i < count; ++i)
      if (list[i] == d) return true;
    return false;
  }
  // count_ where it has none.
  std::size_t place_of(Port d) const {
    std::size_t i = 0;
    while (i < count_ && order_[i] != d) ++i;
    return i;
  }
  // The oldest that is not planned; there is one, as no more is planned than there are places.
  std::size_t victim(const Destinations& plan, std::size_t planned) const {
    std::size_t i = count_ - 1;
    while (i > 0 && contains(plan, planned, order_[i])) --i;
    return i;
  }

  Destinations order_{};  // by last use, the last first; what was only expected comes last
  std::size_t count_ = 0, places_;
};

}  // namespace hybrid
