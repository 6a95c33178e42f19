#include "predictor/destination_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/random.h"

namespace hybrid {
namespace {

// Neighbouring numbers, 0 and the largest one, which a search by words might confuse.
Port any(Random& random) {
  const Port d = static_cast<Port>(random.below(24));
  return d < 20 ? d : 65'534 - (d - 20);
}

TEST(DestinationLanes, BehaveLikeAVector) {
  DestinationLanes<11> lanes;
  std::vector<Port> model;
  Random random(1);
  for (int i = 0; i < 50'000; ++i) {
    const Port d = any(random);
    const auto found = std::find(model.begin(), model.end(), d);
    ASSERT_EQ(lanes.contains(d), found != model.end());
    ASSERT_EQ(lanes.find(d), static_cast<std::size_t>(found - model.begin()));
    const auto at = static_cast<std::ptrdiff_t>(random.below(std::min<std::size_t>(model.size() + 1, 11)));
    switch (random.below(3)) {
      case 0:
        if (model.size() == 11) break;
        lanes.push_back(d);
        model.push_back(d);
        break;
      case 1:
        lanes.to_front(static_cast<std::size_t>(at), d);
        if (at != static_cast<std::ptrdiff_t>(model.size())) model.erase(model.begin() + at);
        model.insert(model.begin(), d);
        break;
      default:
        if (at == static_cast<std::ptrdiff_t>(model.size())) break;
        lanes.to_back(static_cast<std::size_t>(at), d);
        model.erase(model.begin() + at);
        model.push_back(d);
    }
    if (random.below(100) == 0) {
      lanes.clear();
      model.clear();
    }
    ASSERT_EQ(lanes.size(), model.size());
    for (std::size_t k = 0; k < model.size(); ++k) ASSERT_EQ(lanes[k], model[k]) << i;
  }
}

}  // namespace
}  // namespace hybrid
