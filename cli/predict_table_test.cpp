#include "cli/predict_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace hybrid {
namespace {

using testing::HasSubstr;
using testing::Not;

PredictorScore score(const char* predictor, std::uint32_t capacity, std::uint64_t hits, std::uint64_t sends) {
  PredictorScore s;
  s.predictor = predictor;
  s.capacity = capacity;
  s.hits = hits;
  s.sends = sends;
  return s;
}

std::vector<PredictorScore> example() {
  PredictorScore cycle = score("better-cycle", 4, 990, 1000);
  cycle.requests = 250;
  cycle.held = nanoseconds(200);
  cycle.held_unused = nanoseconds(30);
  cycle.ahead = 10;
  cycle.ahead_used = 4;
  cycle.lead = microseconds(6);
  cycle.state_bytes = 2048;
  cycle.spent_ns = 37'000;
  return {score("better-cycle", 1, 100, 1000), cycle,
          score("counter", 1, 100, 1000),      score("counter", 4, 700, 1000),
          score("lru", 1, 100, 1000),          score("lru", 4, 800, 1000),
          score("oracle", 1, 100, 1000),       score("oracle", 4, 999, 1000),
          score("tournament", 1, 100, 1000),   score("tournament", 4, 985, 1000),
          score("belady", 1, 100, 1000),       score("belady", 4, 900, 1000)};
}

std::string line_of(const std::string& text, const std::string& beginning) {
  const std::size_t at = text.find(beginning);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(PredictTable, ShowsTheHitRateForEachCapacityAndTheCostForOne) {
  const std::string table = score_table(example(), 4);
  EXPECT_THAT(
      line_of(table, "predictor"),
      testing::MatchesRegex(
          "predictor +K = 1 +K = 4 +held unused +requests per message +mean lead +state +time per event"));
  EXPECT_THAT(line_of(table, "better-cycle"),
              testing::MatchesRegex("better-cycle +10.0 % +99.0 % +15.0 % +0.250 +1.50 us +2.0 KiB +37 ns"));
  EXPECT_THAT(line_of(table, "counter"), testing::MatchesRegex("counter +10.0 % +70.0 % +- +0.000 +- +- +-"));
}

TEST(PredictTable, SummaryComparesTheBestWithTheBoundsAndNamesThePredictorsBelowTheFloor) {
  const std::string table = summary_table({{"a", 3, example()}}, 4);
  // Oracle, tournament and Belady's bound are no single predictors; 99.0 of 90.0 is 110 %.
  EXPECT_THAT(
      line_of(table, "a "),
      testing::MatchesRegex("a +90.0 % +better-cycle +99.0 % +110.0 % +98.5 % +-0.50 +80.0 % +counter"));
  std::vector<PredictorScore> alone{score("lru", 4, 1, 2)};
  EXPECT_THAT(line_of(summary_table({{"b", 1, alone}}, 4), "b "),
              testing::MatchesRegex("b +- +lru +50.0 % +- +- +- +50.0 % +none"));
}

TEST(PredictTable, AJobWithoutMessagesHasNoNumbers) {
  const std::vector<PredictorScore> nothing{score("lru", 4, 0, 0), score("tournament", 4, 0, 0),
                                            score("belady", 4, 0, 0)};
  const std::string text =
      score_table(nothing, 4) + summary_table({{"c", 0, nothing}}, 4) + scores_csv({{"c", 0, nothing}});
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(text, Not(HasSubstr("inf")));
  EXPECT_THAT(line_of(text, "lru"), testing::MatchesRegex("lru +- +- +- +- +- +-"));
  EXPECT_THAT(line_of(text, "c,lru"), testing::StrEq("c,lru,4,0,0,0.000000,0,0.000000,0,0.000000,0,0,0,0"));
}

TEST(PredictTable, CsvHasALineForEachScoreWithoutMeasuredTimes) {
  std::vector<PredictorScore> scores = example();
  const std::string csv = scores_csv({{"a, \"b\"", 3, scores}});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 12);
  EXPECT_THAT(csv,
              HasSubstr("\n\"a, \"\"b\"\"\",better-cycle,4,1000,990,0.990000,250,0.250000,0,0.150000,10,4,"
                        "1500,2048\n"));
  for (PredictorScore& s : scores) s.spent_ns += 1'000'000;
  EXPECT_EQ(scores_csv({{"a, \"b\"", 3, scores}}), csv);
}

}  // namespace
}  // namespace hybrid
