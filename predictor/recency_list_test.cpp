#include "predictor/recency_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>

#include "core/error.h"
#include "core/random.h"

namespace hybrid {
namespace {

TEST(RecencyList, BehavesLikeAStandardList) {
  for (std::uint32_t destinations : {1u, 2u, 5u, 100u}) {
    Random random(destinations);
    RecencyList list(destinations);
    std::list<Port> model;  // oldest first
    for (int i = 0; i < 20'000; ++i) {
      const auto d = static_cast<Port>(random.below(destinations));
      const auto at = std::find(model.begin(), model.end(), d);
      ASSERT_EQ(list.contains(d), at != model.end());
      if (at == model.end()) {
        const auto below = static_cast<Port>(random.below(destinations));
        const bool has_below = below != d && list.contains(below);
        list.insert(d, has_below ? below : list.top());
        model.insert(has_below ? std::find(model.begin(), model.end(), below) : model.end(), d);
      } else if (random.below(2) == 0) {
        const auto below = static_cast<Port>(random.below(destinations));
        if (below != d && list.contains(below)) {
          list.renew(d, below);
          model.splice(std::find(model.begin(), model.end(), below), model, at);
        } else {
          list.renew(d, list.top());
          model.splice(model.end(), model, at);
        }
      } else {
        list.erase(d);
        model.erase(at);
      }
      if (random.below(1000) == 0) {
        list.clear();
        model.clear();
      }
      ASSERT_EQ(list.size(), model.size());
      ASSERT_EQ(list.empty(), model.empty());
      if (!model.empty()) {
        ASSERT_EQ(list.oldest(), model.front());
      }
    }
    for (; !model.empty(); model.pop_front()) {
      ASSERT_EQ(list.oldest(), model.front());
      list.erase(list.oldest());
    }
  }
}

TEST(RecencyList, RefusesMoreDestinationsThanItsLinksCanName) {
  EXPECT_NO_THROW(RecencyList{RecencyList::kMostDestinations});
  EXPECT_THROW(RecencyList{RecencyList::kMostDestinations + 1}, UserError);
}

TEST(RecencyList, WorksWithItsLastDestination) {
  RecencyList list(RecencyList::kMostDestinations);
  list.insert(RecencyList::kMostDestinations - 1, list.top());
  list.insert(0, list.top());
  EXPECT_EQ(list.oldest(), RecencyList::kMostDestinations - 1);
  list.renew(RecencyList::kMostDestinations - 1, list.top());
  EXPECT_EQ(list.oldest(), 0u);
}

}  // namespace
}  // namespace hybrid
