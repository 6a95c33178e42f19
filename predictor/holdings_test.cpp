#include "predictor/holdings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <vector>

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

TEST(RecencyList, MovesRunsOfNeighbours) {
  Random random(5);
  constexpr std::uint32_t kDestinations = 12;
  RecencyList list(kDestinations);
  std::vector<Port> model;  // newest first
  for (Port d = 0; d < kDestinations; ++d) {
    list.insert(d, list.top());
    model.insert(model.begin(), d);
  }
  for (int i = 0; i < 5'000; ++i) {
    const std::size_t begin = random.below(kDestinations);
    const std::size_t end = begin + 1 + random.below(kDestinations - begin);
    const std::vector<Port> run(model.begin() + static_cast<std::ptrdiff_t>(begin),
                                model.begin() + static_cast<std::ptrdiff_t>(end));
    std::erase_if(model, [&](Port d) { return std::find(run.begin(), run.end(), d) != run.end(); });
    const std::size_t at = random.below(model.size() + 1);
    list.renew_run(run.front(), run.back(), at == 0 ? list.top() : model[at - 1]);
    model.insert(model.begin() + static_cast<std::ptrdiff_t>(at), run.begin(), run.end());
    ASSERT_EQ(list.newest(), model.front());
    ASSERT_EQ(list.oldest(), model.back());
    for (std::size_t k = 1; k < kDestinations; ++k) {
      ASSERT_EQ(list.older(model[k - 1]), model[k]);
      ASSERT_EQ(list.newer(model[k]), model[k - 1]);
    }
    ASSERT_EQ(list.older(model.back()), list.top());
  }
}

TEST(RecencyList, RejectsTooManyDestinations) {
  EXPECT_NO_THROW(RecencyList{RecencyList::kMostDestinations});
  EXPECT_THROW(RecencyList{RecencyList::kMostDestinations + 1}, UserError);
}

TEST(RecencyList, WorksWithTheLastDestination) {
  RecencyList list(RecencyList::kMostDestinations);
  list.insert(RecencyList::kMostDestinations - 1, list.top());
  list.insert(0, list.top());
  EXPECT_EQ(list.oldest(), RecencyList::kMostDestinations - 1);
  list.renew(RecencyList::kMostDestinations - 1, list.top());
  EXPECT_EQ(list.oldest(), 0u);
}

}  // namespace
}  // namespace hybrid
