#include "predictor/evaluation.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace hybrid {
namespace {

constexpr PredictorShape kTimeout100{.destinations = 8, .timeout = nanoseconds(100)};

TEST(PredictorEvaluation, ScoresAHandCheckedSequence) {
  PredictorEvaluation e("timeout", kTimeout100);
  e.send(nanoseconds(0), 1, 8, 0);    // miss, held from 0
  e.send(nanoseconds(50), 1, 8, 0);   // hit; released at 150
  e.send(nanoseconds(120), 2, 8, 0);  // miss, held from 120; released at 220 without a hit
  e.send(nanoseconds(400), 1, 8, 0);  // miss, held from 400
  e.send(nanoseconds(430), 1, 8, 0);  // hit; held at the end
  const PredictorScore s = e.finish(nanoseconds(500));
  EXPECT_EQ(s.predictor, "timeout");
  EXPECT_EQ(s.sends, 5u);
  EXPECT_EQ(s.hits, 2u);
  EXPECT_DOUBLE_EQ(s.hit_rate(), 0.4);
  EXPECT_EQ(s.requests, 3u);
  EXPECT_EQ(s.releases, 2u);
  EXPECT_EQ(s.held, nanoseconds(150 + 100 + 100));
  EXPECT_EQ(s.held_unused, nanoseconds(100));
}

TEST(PredictorEvaluation, ReleasesAtEqualTimesBeforeTheSend) {
  PredictorEvaluation e("timeout", kTimeout100);
  e.send(nanoseconds(0), 1, 8, 0);
  e.send(nanoseconds(100), 1, 8, 0);  // released at this time: a miss
  const PredictorScore s = e.finish(nanoseconds(100));
  EXPECT_EQ(s.hits, 0u);
  EXPECT_EQ(s.requests, 2u);
  EXPECT_EQ(s.releases, 1u);
  EXPECT_EQ(s.held, nanoseconds(100));
}

TEST(PredictorEvaluation, EndsOpenHoldingsAtTheEndWithoutARelease) {
  PredictorEvaluation e("counter", {.destinations = 8, .threshold = 5});
  e.send(nanoseconds(10), 1, 8, 0);
  e.send(nanoseconds(30), 2, 8, 0);
  e.send(nanoseconds(35), 1, 8, 0);
  const PredictorScore s = e.finish(nanoseconds(100));
  EXPECT_EQ(s.releases, 0u);
  EXPECT_EQ(s.held, nanoseconds(90 + 70));
  EXPECT_EQ(s.held_unused, nanoseconds(70));
}

TEST(PredictorEvaluation, AFlushEndsEveryHolding) {
  PredictorEvaluation e("timeout", kTimeout100);
  e.send(nanoseconds(0), 1, 8, 0);
  e.send(nanoseconds(10), 2, 8, 0);
  e.flush(nanoseconds(40));
  e.send(nanoseconds(60), 1, 8, 0);  // miss again
  const PredictorScore s = e.finish(nanoseconds(100));
  EXPECT_EQ(s.hits, 0u);
  EXPECT_EQ(s.requests, 3u);
  EXPECT_EQ(s.releases, 0u);
  EXPECT_EQ(s.held, nanoseconds(40 + 30 + 40));
}

TEST(PredictorEvaluation, CountsAHoldingRequestedAheadAsUnusedUntilItsFirstHit) {
  // After 0 1 0 1 0 1 the first-order chain expects 1 after 0; then there is no send to 1.
  PredictorEvaluation e("markov1", {.destinations = 8, .threshold = 2});
  std::int64_t at = 0;
  for (Port d : {0, 1, 0, 1, 0, 1}) e.send(nanoseconds(at++), d, 8, 0);
  e.flush(nanoseconds(6));           // end of the holdings: 0 from 0, 1 from 1, both hit
  e.send(nanoseconds(10), 0, 8, 0);  // 0 and 1 requested
  e.send(nanoseconds(13), 5, 8, 0);  // a different one; 1 was renewed last at 10
  e.send(nanoseconds(15), 5, 8, 0);  // hit; 0 and 1 are stale now
  const PredictorScore s = e.finish(nanoseconds(20));
  EXPECT_EQ(s.hits, 5u);  // four of the first six, one of 5
  EXPECT_EQ(s.requests, 5u);
  EXPECT_EQ(s.releases, 2u);
  EXPECT_EQ(s.held, nanoseconds(6 + 5 + 5 + 5 + 7));
  EXPECT_EQ(s.held_unused, nanoseconds(5 + 5));
}

TEST(PredictorEvaluation, CountsUsedRequestsAheadAndTheirLead) {
  const std::vector<Port> stream{0, 1, 2, 2, 3};
  PredictorEvaluation e("oracle", {.destinations = 8, .capacity = 2, .future = stream});
  e.send(nanoseconds(0), 0, 8, 0);    // requests 0, and 1 ahead
  e.send(nanoseconds(10), 1, 8, 0);   // hit after 10; 2 ahead
  e.send(nanoseconds(30), 2, 8, 0);   // hit after 20; 3 ahead, two sends before it
  e.send(nanoseconds(60), 2, 8, 0);   // hit
  e.send(nanoseconds(100), 3, 8, 0);  // hit after 70
  const PredictorScore s = e.finish(nanoseconds(100));
  EXPECT_EQ(s.hits, 4u);
  EXPECT_EQ(s.requests, 4u);
  EXPECT_EQ(s.ahead, 3u);
  EXPECT_EQ(s.ahead_used, 3u);
  EXPECT_EQ(s.lead, nanoseconds(10 + 20 + 70));
  EXPECT_EQ(s.mean_lead(), picoseconds(33'333));
  EXPECT_DOUBLE_EQ(s.accuracy(), 1.0);
  EXPECT_DOUBLE_EQ(s.requests_per_message(), 0.8);
  EXPECT_DOUBLE_EQ(s.waste(), 10.0 / (10 + 30 + 90 + 70));  // 0 was held unused until 10
  EXPECT_GT(s.state_bytes, 0u);
}

TEST(PredictorScore, RatiosOfAnEmptyScoreAreZero) {
  const PredictorScore s;
  EXPECT_EQ(s.hit_rate() + s.requests_per_message() + s.accuracy() + s.waste(), 0.0);
  EXPECT_EQ(s.mean_lead(), Time{});
}

TEST(PredictorEvaluation, ATimeBeforeThePreviousOneCountsAsThePreviousOne) {
  PredictorEvaluation e("timeout", kTimeout100);
  e.send(nanoseconds(50), 1, 8, 0);
  e.send(nanoseconds(20), 1, 8, 0);  // at 50: deadline 150
  const PredictorScore s = e.finish(nanoseconds(10));
  EXPECT_EQ(s.hits, 1u);
  EXPECT_EQ(s.held, Time{});
}

TEST(PredictorEvaluation, NoneHasNoHitsAndNoHoldings) {
  PredictorEvaluation e("none", kTimeout100);
  for (int i = 0; i < 10; ++i) e.send(nanoseconds(i), 1, 8, 0);
  const PredictorScore s = e.finish(nanoseconds(10));
  EXPECT_EQ(s.sends, 10u);
  EXPECT_EQ(s.hits + s.requests + s.releases, 0u);
  EXPECT_EQ(s.held, Time{});
}

TEST(PredictorEvaluation, AnEmptyStreamScoresNothing) {
  PredictorEvaluation e("timeout", kTimeout100);
  const PredictorScore s = e.finish(Time::never());
  EXPECT_EQ(s.sends, 0u);
  EXPECT_EQ(s.hit_rate(), 0.0);
}

TEST(PredictorEvaluation, RejectsAnUnknownPredictor) {
  try {
    PredictorEvaluation("markov3", kTimeout100);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("markov3"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("Did you mean 'markov"), std::string::npos);
  }
}

TEST(PredictorScore, IsSummedOverRanks) {
  PredictorScore sum;
  for (int rank = 1; rank <= 3; ++rank) {
    PredictorEvaluation e("timeout", {.destinations = 8, .capacity = 4, .timeout = nanoseconds(100)});
    for (int i = 0; i <= rank; ++i) e.send(nanoseconds(10 * i), 1, 8, 0);
    sum.add(e.finish(nanoseconds(1000)));
  }
  EXPECT_EQ(sum.predictor, "timeout");
  EXPECT_EQ(sum.capacity, 4u);
  EXPECT_EQ(sum.sends, 2u + 3u + 4u);
  EXPECT_EQ(sum.hits, 1u + 2u + 3u);
  EXPECT_EQ(sum.requests, 3u);
  EXPECT_EQ(sum.releases, 3u);
  EXPECT_EQ(sum.held, nanoseconds(110 + 120 + 130));
}

}  // namespace
}  // namespace hybrid
