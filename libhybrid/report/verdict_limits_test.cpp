#include "libhybrid/report/verdict_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace hybrid {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TechniqueResult result(const char* technique, std::uint32_t slots, std::int64_t time_us) {
  TechniqueResult r;
  r.measures.technique = technique;
  r.measures.slots = slots;
  r.measures.time = microseconds(time_us);
  r.measures.communication_time = microseconds(time_us - 100);
  r.measures.compute_time = microseconds(100);
  r.measures.messages = 1000;
  r.measures.hit_rate = slots == 0 ? 0 : 0.9;
  return r;
}

JobBounds bounds(std::int64_t uncontended_us, std::int64_t ideal_us) {
  JobBounds b;
  b.no_network = BoundTimes{microseconds(200), microseconds(100)};
  b.uncontended = BoundTimes{microseconds(uncontended_us), microseconds(uncontended_us - 100)};
  b.ideal = BoundTimes{microseconds(ideal_us), microseconds(ideal_us - 100)};
  return b;
}

TEST(GapClosed, IsRelativeToTheGapOfWormhole) {
  EXPECT_EQ(gap_closed(microseconds(200), microseconds(100), microseconds(150)), 0.5);
  EXPECT_EQ(gap_closed(microseconds(200), microseconds(100), microseconds(250)), -0.5);
  EXPECT_EQ(gap_closed(microseconds(200), microseconds(100), microseconds(50)), 1.5);
}

TEST(GapClosed, IsUnknownIfThereIsHardlyAGap) {
  EXPECT_EQ(gap_closed(microseconds(10'000), microseconds(9'991), microseconds(9'000)), std::nullopt);
  EXPECT_NE(gap_closed(microseconds(10'000), microseconds(9'990), microseconds(9'000)), std::nullopt);
  EXPECT_EQ(gap_closed(microseconds(100), microseconds(120), microseconds(90)), std::nullopt);
  EXPECT_EQ(gap_closed({}, {}, {}), std::nullopt);
}

TEST(Compare, SplitsTheCommunicationTime) {
  std::vector<TechniqueResult> results{result("hybrid", 4, 400), result("no-network", 0, 200)};
  compare(results, bounds(250, 300));
  EXPECT_EQ(results[0].rank_wait, microseconds(100));
  EXPECT_EQ(results[0].network_wait, microseconds(200));
  EXPECT_EQ(results[1].network_wait, Time{});
  EXPECT_EQ(results[0].gap_closed, std::nullopt) << "without wormhole";
}

TEST(Comparison, AGapClosedBeyondTheGapsTenfoldIsNoNumber) {
  EXPECT_EQ(gap_text(std::nullopt), "-");
  EXPECT_EQ(gap_text(0.973), "97.3 %");
  EXPECT_EQ(gap_text(-10), "-1000.0 %");
  EXPECT_EQ(gap_text(-316646.481), "below -1000 %");
  EXPECT_EQ(gap_text(24.84), "above 1000 %");
}

class Limits : public testing::Test {
 protected:
  /// The limits if wormhole and hybrid with longer worms take these times.
  VerdictLimits find(std::vector<TechniqueResult> results, const JobBounds& job_bounds, Bytes worm_limit,
                     std::map<std::string, std::int64_t> with_long_worms) {
    compare(results, job_bounds);
    verdict_ = judge(contenders(results), 4);
    return limits_of(verdict_, results, job_bounds, worm_limit, 4, [&](const Measures& original) {
      emulated_.push_back(original.technique);
      std::optional<Measures> measures;
      if (const auto time = with_long_worms.find(original.technique); time != with_long_worms.end()) {
        measures = original;
        measures->time = microseconds(time->second);
      }
      return measures;
    });
  }
  Verdict verdict_;
  std::vector<std::string> emulated_;
};

TEST_F(Limits, TheVerdictThatDependsOnTheWormLimitSaysSo) {
  const VerdictLimits limits =
      find({result("wormhole", 0, 1000), result("tdm", 4, 805)}, bounds(700, 800), 128, {{"wormhole", 810}});
  EXPECT_EQ(verdict_.technique, "tdm");
  EXPECT_EQ(limits.reference, "wormhole");
  EXPECT_DOUBLE_EQ(*limits.largest_saving, 0.3);
  ASSERT_TRUE(limits.long_worms);
  EXPECT_TRUE(limits.long_worms->changes_verdict);
  EXPECT_EQ(limits.long_worms->verdict.technique, "wormhole");
  EXPECT_DOUBLE_EQ(*limits.long_worms->gap_closed, 0.95);
  EXPECT_EQ(
      limits_text(limits),
      " No switch can save more than 30 % of the job's time with wormhole. This depends on --worm-limit: "
      "with 4 KiB instead of 128 B wormhole takes 810 us, which closes 95 % of its gap to ideal; then no "
      "technique differs by more than 1 %.");
}

TEST_F(Limits, ThePickedTechniqueHasLongerWormsToo) {
  const VerdictLimits limits =
      find({result("wormhole", 0, 1000), result("hybrid", 4, 805), result("hybrid", 8, 900)},
           bounds(500, 600), 128, {{"wormhole", 820}, {"hybrid", 600}});
  EXPECT_THAT(emulated_, testing::ElementsAre("wormhole", "hybrid"));
  ASSERT_TRUE(limits.long_worms);
  EXPECT_FALSE(limits.long_worms->changes_verdict);
  EXPECT_THAT(
      limits_text(limits),
      HasSubstr("With --worm-limit 4 KiB instead of 128 B wormhole takes 820 us, which closes 45 % of its "
                "gap to ideal, and the verdict is the same."));
}

TEST_F(Limits, LongWormsThatAreMuchFasterThanIdealHaveNoPercentage) {
  EXPECT_THAT(limits_text(find({result("wormhole", 0, 1000), result("hybrid", 4, 805)}, bounds(500, 990), 128,
                               {{"wormhole", 820}, {"hybrid", 600}})),
              HasSubstr("wormhole takes 820 us, which is faster than ideal, and the verdict is the same."));
}

TEST_F(Limits, NamesTheTechniqueThatSuitsWithLongerWorms) {
  EXPECT_THAT(
      limits_text(find({result("wormhole", 0, 1000), result("tdm", 4, 900), result("circuit", 0, 1200)},
                       bounds(500, 600), 128, {{"wormhole", 800}})),
      HasSubstr("; then wormhole suits the job."));
}

TEST_F(Limits, LongerWormsAreEmulatedOnlyIfTheyCanChangeTheVerdict) {
  const JobBounds all = bounds(700, 800);
  // No switch can save more than 1 %.
  EXPECT_FALSE(
      find({result("wormhole", 0, 1000), result("tdm", 4, 995)}, bounds(990, 992), 128, {}).long_worms);
  // The worms are that long.
  EXPECT_FALSE(find({result("wormhole", 0, 1000), result("tdm", 4, 805)}, all, 4096, {}).long_worms);
  // Nothing to compare with.
  EXPECT_FALSE(find({result("wormhole", 0, 1000)}, all, 128, {}).long_worms);
  EXPECT_FALSE(find({result("tdm", 4, 805), result("circuit", 0, 900)}, all, 128, {}).long_worms);
  EXPECT_THAT(emulated_, IsEmpty());
}

TEST_F(Limits, ALongerEmulationThatFailsIsLeftOut) {
  const VerdictLimits limits =
      find({result("wormhole", 0, 1000), result("tdm", 4, 805)}, bounds(700, 800), 128, {});
  EXPECT_FALSE(limits.long_worms);
  EXPECT_EQ(limits_text(limits), " No switch can save more than 30 % of the job's time with wormhole.");
}

TEST_F(Limits, WithoutWormholeTheSavingIsOfTheTechniqueThatWasPicked) {
  const VerdictLimits limits =
      find({result("tdm", 4, 1000), result("circuit", 0, 2000)}, bounds(950, 960), 128, {});
  EXPECT_EQ(limits.reference, "tdm");
  EXPECT_DOUBLE_EQ(*limits.largest_saving, 0.05);
}

/// Another order of sending can end sooner than the bound (emulator/switching/uncontended.cpp).
TEST_F(Limits, TheSavingIsNotLessThanThatOfATechnique) {
  EXPECT_DOUBLE_EQ(
      *find({result("wormhole", 0, 1000), result("tdm", 4, 800)}, bounds(900, 950), 4096, {}).largest_saving,
      0.2);
}

TEST_F(Limits, AreEmptyWithoutMessagesOrBounds) {
  TechniqueResult silent = result("wormhole", 0, 1000);
  silent.measures.messages = 0;
  EXPECT_EQ(limits_text(find({silent}, bounds(700, 800), 128, {})), "");
  EXPECT_EQ(limits_text(find({result("wormhole", 0, 1000), result("tdm", 4, 805)}, {}, 128, {})), "");
}

TEST_F(Limits, BoundsAreNotCompared) {
  find({result("wormhole", 0, 1000), result("ideal", 0, 100)}, bounds(90, 100), 128, {});
  EXPECT_EQ(verdict_.technique, "wormhole");
  EXPECT_THAT(verdict_.sentence, HasSubstr("Only wormhole was emulated"));
}

}  // namespace
}  // namespace hybrid
