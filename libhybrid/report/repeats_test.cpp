#include "libhybrid/report/repeats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.h"

namespace hybrid {
namespace {

using testing::HasSubstr;
using testing::Not;

// A report with the job times, in microseconds, of wormhole, circuit, and tdm with K = 4.
JobReport report_of(std::int64_t wormhole, std::int64_t circuit, std::int64_t tdm) {
  JobReport report;
  report.trace = "run";
  report.job.ranks = 4;
  const auto add = [&](const char* technique, std::uint32_t slots, std::int64_t time) {
    TechniqueResult& result = report.techniques.emplace_back();
    result.measures.technique = technique;
    result.measures.slots = slots;
    result.measures.time = microseconds(time);
  };
  add("wormhole", 0, wormhole);
  add("circuit", 0, circuit);
  add("tdm", 4, tdm);
  return report;
}

TEST(Spread, IsMedianAndExtremes) {
  const Spread odd = spread_of({5, 1, 3}), even = spread_of({4, 1, 2, 9});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.least, 1);
  EXPECT_EQ(odd.most, 5);
  EXPECT_EQ(even.median, 3);
}

TEST(Repeats, ADifferenceInEveryRunIsAVerdict) {
  // The job times of the runs differ more than the techniques in each.
  const RepeatedReport report =
      compare_repeats({report_of(100, 101, 90), report_of(200, 200, 184), report_of(150, 152, 132)});
  EXPECT_EQ(report.technique, "tdm");
  EXPECT_EQ(report.slots, 4u);
  EXPECT_EQ(report.sentence,
            "TDM with K = 4 suits this job: it takes 90.0 % of wormhole's job time (median of 3 runs; "
            "88.0 to 92.0 %).");
  EXPECT_EQ(report.techniques[2].time_ns.median, 132'000);
}

TEST(Repeats, OfTechniquesThatHardlyDifferTheSimplestSuits) {
  const RepeatedReport report = compare_repeats({report_of(1000, 805, 800), report_of(1000, 806, 800)});
  EXPECT_EQ(report.technique, "circuit");
}

TEST(Repeats, ADifferenceWithinTheSpreadIsNoVerdict) {
  const RepeatedReport report = compare_repeats({report_of(100, 120, 90), report_of(100, 120, 101)});
  EXPECT_EQ(report.technique, "");
  EXPECT_THAT(report.sentence, HasSubstr("No verdict: the difference is within the spread of the runs."));
}

TEST(Repeats, ASmallDifferenceInEveryRunIsNoVerdict) {
  const RepeatedReport report = compare_repeats({report_of(1000, 1200, 987), report_of(1000, 1200, 991)});
  EXPECT_EQ(report.technique, "");
  EXPECT_EQ(report.sentence,
            "No verdict: the best, tdm with K = 4, is faster in every run, but in some by 1 % or less. It "
            "takes 98.9 % of wormhole's job time (median of 2 runs; 98.7 to 99.1 %).");
}

TEST(Repeats, TheReferenceSuitsIfNothingIsFasterInAnyRun) {
  const RepeatedReport report = compare_repeats({report_of(1000, 1200, 995), report_of(1000, 1300, 1010)});
  EXPECT_EQ(report.technique, "wormhole");
  EXPECT_THAT(to_text(report), HasSubstr("Wormhole suits this job"));
}

TEST(Repeats, TechniquesThatFailInARunAreLeftOut) {
  JobReport without = report_of(100, 90, 80);
  without.techniques.pop_back();
  const RepeatedReport report = compare_repeats({report_of(100, 90, 80), without});
  EXPECT_EQ(report.techniques.size(), 2u);
  EXPECT_EQ(report.technique, "circuit");
  const auto json = to_json(report);
  EXPECT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["repeats"]["results"][1]["time_ratio"]["median"], 0.9);
  EXPECT_EQ(json["repeats"]["verdict"]["technique"], "circuit");
}

TEST(Repeats, HasBoundsGapsAndWaitsIfAllRunsHaveThem) {
  const auto with_bounds = [](std::int64_t ideal) {
    JobReport report = report_of(1000, 950, 900);
    for (TechniqueResult& r : report.techniques) r.measures.communication_time = r.measures.time;
    report.bounds.no_network = {microseconds(300), microseconds(300)};
    report.bounds.ideal = {microseconds(ideal), microseconds(ideal)};
    compare(report.techniques, report.bounds);
    return report;
  };
  const RepeatedReport report = compare_repeats({with_bounds(800), with_bounds(900), with_bounds(850)});
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr(R"(
Gap closed (from wormhole to ideal) and mean wait of a rank: medians
  technique  K  gap closed  network wait  wait for other ranks
  wormhole   -       0.0 %        700 us                300 us
  circuit    -      33.3 %        650 us                300 us
  tdm        4      66.7 %        600 us                300 us

Bounds
  bound       job time, median     min     max
  no-network            300 us  300 us  300 us
  ideal                 850 us  800 us  900 us

Verdict
)"));
  const auto json = to_json(report)["repeats"];
  EXPECT_EQ(json["results"][2]["gap_closed"]["max"], 1.0);
  EXPECT_EQ(json["results"][1]["network_wait_ns"]["median"], 650'000.0);
  EXPECT_EQ(json["results"][1]["rank_wait_ns"]["min"], 300'000.0);
  EXPECT_EQ(json["bounds"]["ideal_ns"]["median"], 850'000.0);
  EXPECT_TRUE(json["bounds"]["uncontended_ns"].is_null());

  const RepeatedReport partly = compare_repeats({with_bounds(800), report_of(1000, 950, 900)});
  EXPECT_TRUE(to_json(partly)["repeats"]["results"][2]["gap_closed"].is_null());
  EXPECT_THAT(to_text(partly), Not(HasSubstr("Bounds")));
}

TEST(Repeats, RecordingsOfDifferentJobsAreRefused) {
  JobReport other = report_of(100, 100, 100);
  other.job.ranks = 8;
  EXPECT_THROW(compare_repeats({report_of(100, 100, 100), other}), UserError);
}

}  // namespace
}  // namespace hybrid
