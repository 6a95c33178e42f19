#include "predictor/reference_predictors.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/random.h"
#include "predictor/belady.h"
#include "predictor/evaluation.h"
#include "predictor/testing/steps.h"

namespace hybrid {
namespace {

using test_steps::expect_decisions;

TEST(Lru, DropsTheLeastRecentlyUsedIfThereIsNoFreePlace) {
  const auto p = PredictorRegistration::make("lru", PredictorShape{.destinations = 8, .capacity = 2});
  expect_decisions(*p, {{0, 3, {}, {3}},
                        {1, 5, {}, {5}},
                        {2, 3, {}, {}},
                        {3, 6, {5}, {6}},
                        {1'000'000'000, 3, {}, {}},  // time has no effect
                        {1'000'000'001, 5, {6}, {5}}});
}

TEST(Lru, KeepsAllWithoutALimit) {
  const auto p = PredictorRegistration::make("lru", PredictorShape{.destinations = 300});
  for (Port d = 0; d < 300; ++d) EXPECT_TRUE(p->on_send({}, d, 8, 0).release.empty());
  for (Port d = 0; d < 300; ++d) EXPECT_TRUE(p->holds(d));
}

PredictorScore score(const std::vector<Port>& sends, std::uint32_t capacity) {
  PredictorEvaluation e("lru", {.destinations = 64, .capacity = capacity});
  for (Port d : sends) e.send({}, d, 8, 0);
  return e.finish({});
}

// Weak on: a round over one destination more than it has places.
TEST(Lru, IsWeakOnARoundLongerThanItsCapacity) {
  std::vector<Port> sends;
  for (int round = 0; round < 20; ++round)
    for (Port d = 0; d < 5; ++d) sends.push_back(d);
  EXPECT_EQ(score(sends, 4).hits, 0u);
  EXPECT_EQ(score(sends, 5).hits, 95u);
  BeladyBound bound;
  for (Port d : sends) bound.send({}, d);
  EXPECT_GT(bound.score(4).hits, 60u);
}

// It is a stack algorithm: a larger capacity never loses hits. This is not guaranteed for the
// counter.
TEST(Lru, NeverLosesHitsWithALargerCapacity) {
  Random random(3);
  std::vector<Port> sends(5'000);
  for (Port& d : sends) d = static_cast<Port>(random.below(1 + random.below(40)));
  std::uint64_t hits = 0;
  for (std::uint32_t capacity = 1; capacity <= 40; ++capacity) {
    const std::uint64_t now = score(sends, capacity).hits;
    EXPECT_GE(now, hits) << capacity;
    hits = now;
  }
  EXPECT_EQ(score(sends, 0).hits, hits);
}

TEST(Oracle, HitsAllButTheFirstFromCapacity2On) {
  const std::vector<Port> stream{3, 3, 1, 4, 1, 5, 2, 6, 5, 3, 5, 5};
  for (std::uint32_t capacity : {1u, 2u, 5u, 0u}) {
    PredictorEvaluation e("oracle", {.destinations = 8, .capacity = capacity, .future = stream});
    for (Port d : stream) e.send({}, d, 8, 0);
    // With one place, which the message needs, only immediate repetitions.
    EXPECT_EQ(e.finish({}).hits, capacity == 1 ? 2u : 11u) << capacity;
  }
}

TEST(Oracle, NeedsTheStream) {
  EXPECT_THROW(PredictorRegistration::make("oracle", PredictorShape{.destinations = 8}), UserError);
}

}  // namespace
}  // namespace hybrid
