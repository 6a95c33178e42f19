#include "libhybrid/report/hint_worth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "emulator/replay/testing/memory_trace.h"
#include "libhybrid/report/job_hints.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Operation make(Kind kind, std::uint32_t peer, Bytes bytes, Time compute = {}, std::uint64_t request = 0) {
  Operation o;
  o.kind = kind;
  o.peer = peer;
  o.bytes = bytes;
  o.compute = compute;
  o.request = request;
  return o;
}
Operation mark(Kind kind, std::uint32_t region) {
  Operation o;
  o.kind = kind;
  o.region = region;
  return o;
}

enum class Told { everything, nothing, no_phases };

// Two rings that take turns, 2 and 4 KiB; the hints tell of the first only, or of nothing.
std::unique_ptr<JobTrace> rings(Told told) {
  constexpr std::uint32_t kRanks = 6;
  auto trace = std::make_unique<MemoryTrace>(kRanks);
  trace->regions = {"first", "second"};
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint32_t turn = 0; turn < 10; ++turn) {
      const std::uint32_t region = turn % 2, shift = 1 + region;
      if (told != Told::no_phases) trace->add(rank, mark(Kind::phase_begin, region));
      if (told == Told::everything && turn == 0)
        trace->add(rank, make(Kind::hint, (rank + shift) % kRanks, 0));
      trace->add(rank, make(Kind::send_start, (rank + shift) % kRanks, 2048 << region, microseconds(20), 1));
      trace->add(rank, make(Kind::recv, (rank + kRanks - shift) % kRanks, 2048 << region));
      trace->add(rank, make(Kind::send_complete, 0, 0, {}, 1));
      if (told != Told::no_phases) trace->add(rank, mark(Kind::phase_end, region));
    }
    trace->add(rank, make(Kind::finish, 0, 0));
  }
  return trace;
}

JobWorth worth_of(Told told) {
  JobOptions options;
  options.network.slots = 1;
  options.network.predictor = "tournament";
  return hint_worth("rings", [told] { return rings(told); }, options, {nanoseconds(1), microseconds(1)}, {});
}

TEST(HintWorth, ComparesFourWays) {
  const JobWorth worth = worth_of(Told::everything);
  EXPECT_EQ(worth.ranks, 6u);
  EXPECT_EQ(worth.messages, 60u);
  EXPECT_EQ(worth.messages_hinted, 30u);
  EXPECT_THAT(worth.notes, IsEmpty());
  ASSERT_EQ(worth.at.size(), 2u);
  EXPECT_EQ(worth.at[0].slot_length, nanoseconds(100));
  EXPECT_EQ(worth.at[1].slot_length, microseconds(10));
  for (const HintWorth& at : worth.at) {
    const auto [wormhole, prediction, hints, both] = at.ways;
    for (const HintWorth::Way& way : at.ways) {
      EXPECT_TRUE(way.is_known);
      EXPECT_GT(way.time, microseconds(200));
    }
    EXPECT_EQ(wormhole.hit_rate, 0.0);
    EXPECT_EQ(hints.hit_rate, 0.5) << "the first ring's";
    EXPECT_GE(both.hit_rate, hints.hit_rate);
    EXPECT_LT(hints.time, prediction.time) << "which finds its circuits too late";
  }
}

TEST(HintWorth, WhereThereAreNoneItSaysSo) {
  for (const Told told : {Told::nothing, Told::no_phases}) {
    const JobWorth worth = worth_of(told);
    EXPECT_EQ(worth.messages_hinted, 0u);
    ASSERT_EQ(worth.notes.size(), 1u);
    EXPECT_THAT(worth.notes[0], HasSubstr("no hints"));
    EXPECT_TRUE(worth.at[0].ways[1].is_known);
    EXPECT_FALSE(worth.at[0].ways[2].is_known);
    EXPECT_THAT(worth_text({worth}), HasSubstr("  -"));
  }
}

TEST(HintWorth, TheTableHasARowForEachReconfiguration) {
  const std::string text = worth_text({worth_of(Told::everything)});
  EXPECT_THAT(text, HasSubstr("rings"));
  EXPECT_THAT(text, HasSubstr("50.0 %"));
  EXPECT_THAT(text, HasSubstr("  1us  "));
}

TEST(JobHints, AreThoseOfTheRecordingOrOfABinary) {
  const auto open = [] { return rings(Told::everything); };
  const PhaseHints hints = hints_of("recorded", "rings", open, {});
  EXPECT_EQ(hints.phases.at("first").size(), 6u);
  EXPECT_THROW(hints_of("recorded", "rings", [] { return rings(Told::nothing); }, {}), NoHints);
  EXPECT_THROW(hints_of("/no/such/binary", "rings", open, {}), UserError);
  EXPECT_THROW(hints_of("/proc/self/exe", "rings", open, {}), UserError) << "a binary without hints";
}

TEST(JobHints, GapsAreThoseOfTheJobsPhases) {
  PhaseHints hints;
  hints.unknown = {{"first", "x is not known"}, {"elsewhere", "y is not known"}};
  Phase phase;
  phase.name = "first";
  EXPECT_THAT(gaps_of(hints, {phase}),
              ElementsAre("The hints do not know all of phase first: x is not known."));
}

TEST(JobHints, AReportPreloadsThem) {
  JobOptions options;
  options.techniques = {"hybrid"};
  options.slot_counts = {1, 2};
  options.network.predictor = "none";
  options.hints = "recorded";
  const auto open = [] { return rings(Told::everything); };
  const JobReport report = make_report("rings", open, options, {});
  ASSERT_EQ(report.techniques.size(), 2u);
  for (const TechniqueResult& result : report.techniques) EXPECT_EQ(result.measures.hit_rate, 0.5);
  options.hints.clear();
  EXPECT_EQ(make_report("rings", open, options, {}).techniques[0].measures.hit_rate, 0.0);
}

}  // namespace
}  // namespace hybrid
