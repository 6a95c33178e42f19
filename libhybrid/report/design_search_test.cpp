#include "libhybrid/report/design_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/random.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Times = std::function<std::optional<Time>(const DesignPoint&)>;

// Runs a search to its end; returns the evaluated points.
std::set<DesignPoint> run(DesignSearch& search, const Times& time) {
  std::set<DesignPoint> evaluated;
  for (auto points = search.wanted(); !points.empty(); points = search.wanted())
    for (const DesignPoint& point : points) {
      EXPECT_TRUE(evaluated.insert(point).second) << "evaluated twice";
      search.learn(point, time(point));
    }
  return evaluated;
}

// Independent of the search: all points of three dimensions.
std::optional<Time> least(const std::vector<std::size_t>& sizes, const Times& time) {
  std::optional<Time> result;
  for (std::size_t a = 0; a < sizes[0]; ++a)
    for (std::size_t b = 0; b < sizes[1]; ++b)
      for (std::size_t c = 0; c < sizes[2]; ++c)
        if (const auto t = time({a, b, c}); t && (!result || *t < *result)) result = t;
  return result;
}

const std::vector<std::size_t> kSizes{5, 4, 3};

TEST(DesignSearch, FindsTheOptimumOfASmallSpaceCompletely) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Times time = [seed](const DesignPoint& p) -> std::optional<Time> {
      Random random(seed * 1000 + p[0] * 100 + p[1] * 10 + p[2]);
      const std::uint64_t value = random.below(1000);
      if (value < 200) return std::nullopt;  // impossible
      return nanoseconds(static_cast<std::int64_t>(value));
    };
    DesignSearch search(kSizes, {2, 1, 1}, 60);
    EXPECT_EQ(run(search, time).size(), 60u);
    EXPECT_EQ(search.time_of(*search.best()), least(kSizes, time)) << "seed " << seed;
  }
}

TEST(DesignSearch, FindsTheOptimumOfALargeSpaceWhereEachDimensionCountsAlone) {
  const Times time = [](const DesignPoint& p) -> std::optional<Time> {
    static constexpr std::int64_t kA[] = {9, 4, 7, 3, 8}, kB[] = {5, 9, 1, 3}, kC[] = {2, 0, 6};
    return nanoseconds(100 + kA[p[0]] + kB[p[1]] + kC[p[2]]);
  };
  for (const DesignPoint& start : {DesignPoint{0, 0, 0}, DesignPoint{4, 3, 2}, DesignPoint{3, 2, 1}}) {
    DesignSearch search(kSizes, start, 59);
    EXPECT_LT(run(search, time).size(), 20u) << "not the 60 points of the space";
    EXPECT_THAT(*search.best(), ElementsAre(3, 2, 1));
    EXPECT_EQ(search.time_of(*search.best()), least(kSizes, time));
  }
}

TEST(DesignSearch, EndsWhereNoChangeOfOneDimensionImproves) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Times time = [seed](const DesignPoint& p) -> std::optional<Time> {
      Random random(seed * 1000 + p[0] * 100 + p[1] * 10 + p[2]);
      return nanoseconds(static_cast<std::int64_t>(random.below(1000)));
    };
    DesignSearch search(kSizes, {2, 1, 1}, 0);
    run(search, time);
    const DesignPoint best = *search.best();
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t value = 0; value < kSizes[d]; ++value) {
        DesignPoint other = best;
        other[d] = value;
        ASSERT_TRUE(search.time_of(other)) << "the lines through the result are known";
        EXPECT_GE(*search.time_of(other), *search.time_of(best));
      }
  }
}

TEST(DesignSearch, LeavesAnImpossibleStart) {
  const Times time = [](const DesignPoint& p) -> std::optional<Time> {
    if (p[0] != 3) return std::nullopt;
    return nanoseconds(10 + static_cast<std::int64_t>(p[1] + p[2]));
  };
  DesignSearch search(kSizes, {0, 3, 2}, 0);
  run(search, time);
  EXPECT_THAT(*search.best(), ElementsAre(3, 0, 0));
  DesignSearch impossible(kSizes, {0, 3, 2}, 0);
  run(impossible, [](const DesignPoint&) { return std::nullopt; });
  EXPECT_EQ(impossible.best(), std::nullopt);
}

TEST(DesignSearch, ContinuesWithAFixedValue) {
  const Times time = [](const DesignPoint& p) -> std::optional<Time> {
    return nanoseconds(100 - static_cast<std::int64_t>(10 * p[0] + p[1] + p[2]));
  };
  DesignSearch search(kSizes, {0, 0, 0}, 0);
  run(search, time);
  ASSERT_THAT(*search.best(), ElementsAre(4, 3, 2));
  search.fix(0, {1, 3, 2});
  run(search, time);
  EXPECT_THAT(*search.best(), ElementsAre(1, 3, 2));
  for (const DesignPoint& point : search.around({1, 3, 2})) search.learn(point, time(point));
  for (std::size_t value = 0; value < kSizes[0]; ++value) EXPECT_TRUE(search.time_of({value, 3, 2}));
  EXPECT_THAT(search.around({1, 3, 2}), IsEmpty());
  EXPECT_THAT(*search.best(), ElementsAre(1, 3, 2)) << "the value stays fixed";
}

TEST(DesignSearch, HasTheBestKnownPointWhenItIsEndedEarly) {
  DesignSearch search(kSizes, {2, 1, 1}, 60);
  EXPECT_EQ(search.best(), std::nullopt);
  ASSERT_THAT(search.wanted(), ElementsAre(DesignPoint{2, 1, 1})) << "the start comes first";
  search.learn({2, 1, 1}, nanoseconds(7));
  EXPECT_THAT(*search.best(), ElementsAre(2, 1, 1));
}

TEST(DesignSearch, ASpaceWithoutDimensionsIsOnePoint) {
  DesignSearch search({}, {}, 1);
  EXPECT_EQ(run(search, [](const DesignPoint&) { return nanoseconds(3); }).size(), 1u);
  EXPECT_THAT(*search.best(), IsEmpty());
}

}  // namespace
}  // namespace hybrid
