#include "libhybrid/report/hint_worth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "emulator/replay/testing/jobs.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/recorded_phases.h"
#include "libhybrid/report/report_text.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

enum class Given { phases_and_hints, phases, neither };

// Two rings in turn, with 2 and 4 KiB; the hints describe the first only.
std::unique_ptr<JobTrace> rings(Given given) {
  constexpr std::uint32_t kRanks = 6;
  auto trace = std::make_unique<MemoryTrace>(kRanks);
  trace->regions = {"first", "second"};
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint32_t turn = 0; turn < 10; ++turn) {
      const std::uint32_t region = turn % 2, shift = 1 + region;
      if (given != Given::neither) trace->add(rank, make_phase(Kind::phase_begin, region));
      if (given == Given::phases_and_hints && turn == 0)
        trace->add(rank, make(Kind::hint, (rank + shift) % kRanks, 0));
      trace->add(rank, make(Kind::send_start, (rank + shift) % kRanks, 2048 << region, microseconds(20), 1));
      trace->add(rank, make(Kind::recv, (rank + kRanks - shift) % kRanks, 2048 << region));
      trace->add(rank, make(Kind::send_complete, 0, 0, {}, 1));
      if (given != Given::neither) trace->add(rank, make_phase(Kind::phase_end, region));
    }
    trace->add(rank, make(Kind::finish, 0, 0));
  }
  return trace;
}

JobOptions one_slot() {
  JobOptions options;
  options.network.slots = 1;
  options.network.predictor = "tournament";
  options.network.allocation = "adaptive";
  options.network.misses_use_worms = true;  // otherwise unhinted messages have circuits, too
  options.network.evicts_at_once = false;
  return options;
}

JobWorth worth_of(Given given) {
  return hint_worth("rings", [given] { return rings(given); }, one_slot(), {nanoseconds(1), microseconds(1)},
                    {});
}

TEST(HintWorth, ComparesTheVariants) {
  const JobWorth worth = worth_of(Given::phases_and_hints);
  EXPECT_EQ(worth.ranks, 6u);
  EXPECT_EQ(worth.messages, 60u);
  EXPECT_EQ(worth.messages_hinted, 30u);
  EXPECT_THAT(worth.notes, IsEmpty());
  ASSERT_EQ(worth.at.size(), 2u);
  EXPECT_EQ(worth.at[0].slot_length, nanoseconds(100));
  EXPECT_EQ(worth.at[1].slot_length, microseconds(10));
  for (const HintWorth& at : worth.at) {
    const auto [wormhole, prediction, hints, both, none] = at.variants;
    for (const HintWorth::Variant& variant : at.variants) {
      EXPECT_TRUE(variant.is_known);
      EXPECT_GT(variant.time, microseconds(200));
    }
    EXPECT_EQ(wormhole.hit_rate, 0.0);
    EXPECT_EQ(hints.hit_rate, 0.5) << "the messages of the first ring";
    EXPECT_GE(both.hit_rate, hints.hit_rate);
    EXPECT_LT(hints.time, prediction.time) << "prediction establishes its circuits too late";
    EXPECT_EQ(none.hit_rate, 0.0) << "circuits are requested when their message waits";
    EXPECT_EQ(at.time_ratio(none), 1.0);
    EXPECT_EQ(at.time_ratio(hints), static_cast<double>(hints.time.ps) / static_cast<double>(none.time.ps));
    EXPECT_LT(at.time_ratio(hints), 1.0);
  }
}

TEST(HintWorth, NotesMissingHints) {
  for (const Given given : {Given::phases, Given::neither}) {
    const JobWorth worth = worth_of(given);
    EXPECT_EQ(worth.messages_hinted, 0u);
    ASSERT_EQ(worth.notes.size(), 1u);
    EXPECT_THAT(worth.notes[0], HasSubstr("no hints"));
    EXPECT_TRUE(worth.at[0].variants[1].is_known);
    EXPECT_FALSE(worth.at[0].variants[2].is_known);
    EXPECT_THAT(worth_text({worth}, 150), testing::Not(testing::ContainsRegex("  (hints|both) ")));
  }
}

TEST(HintWorth, TheTableHasARowForEachReconfigurationAndVariant) {
  const std::string text = worth_text({worth_of(Given::phases_and_hints)}, 150);
  EXPECT_THAT(text, testing::StartsWith("rings ("));
  EXPECT_THAT(text, HasSubstr("50.0 % of them hinted; time ratio: against the variant none)"));
  EXPECT_THAT(text, testing::ContainsRegex("\n +1us  wormhole "));
  EXPECT_THAT(text, testing::ContainsRegex("\n +1us  none +[0-9.]+ .s +1.000 +below -1000 % +[0-9]+ us "));
  EXPECT_THAT(text, testing::ContainsRegex("\n  ideal +[0-9]+ us  wormhole without scheduling delay"));
}

TEST(JobHints, ComeFromTheRecordingOrABinary) {
  const auto open = [] { return rings(Given::phases_and_hints); };
  const PhaseHints hints = hints_of("recorded", "rings", open, {});
  EXPECT_EQ(hints.phases.at("first").size(), 6u);
  EXPECT_THROW(hints_of("recorded", "rings", [] { return rings(Given::phases); }, {}), NoHints);
  EXPECT_THROW(hints_of("/no/such/binary", "rings", open, {}), UserError);
  EXPECT_THROW(hints_of("/proc/self/exe", "rings", open, {}), UserError) << "a binary without hints";
}

TEST(JobHints, ActByDefaultIfTheyHelp) {
  JobOptions options = one_slot();
  options.techniques = {"wormhole", "hybrid"};
  options.slot_counts = {1};
  const auto report_of = [&](Given given) {
    return make_report("rings", [given] { return rings(given); }, options, {});
  };
  const JobReport with = report_of(Given::phases_and_hints), without = report_of(Given::phases);
  EXPECT_FALSE(with.techniques[0].time_without_hints) << "wormhole has no slots";
  const TechniqueResult& hybrid = with.techniques[1];
  ASSERT_TRUE(hybrid.time_without_hints);
  EXPECT_LT(hybrid.measures.time, *hybrid.time_without_hints);
  EXPECT_EQ(*hybrid.time_without_hints, without.techniques[1].measures.time);
  EXPECT_FALSE(without.techniques[1].time_without_hints);
  EXPECT_THAT(to_text(with, 100), HasSubstr("hybrid with K = 1 uses the program's hints: "));
  // The program is compiled: it gives no hints since its destinations are not known before.
  const auto open = [] { return rings(Given::phases); };
  FoundPhases phases;
  phases.hinted = true;
  try {
    hints_of("recorded", "rings", open, phases);
    FAIL();
  } catch (const NoHints& none) {
    EXPECT_THAT(none.what(), testing::Not(HasSubstr("Compile it with hybridcc")));
  }
}

TEST(JobHints, GapsNameThePhasesOfTheJobOnly) {
  PhaseHints hints;
  hints.unknown = {{"first", "x is not known"}, {"elsewhere", "y is not known"}};
  Phase phase;
  phase.name = "first";
  EXPECT_THAT(gaps_of(hints, {phase}),
              ElementsAre("The hints of phase first are incomplete: x is not known."));
}

TEST(JobHints, AReportPreloadsThemIntoItsSlots) {
  JobOptions options;
  options.techniques = {"hybrid"};
  options.slot_counts = {1, 2};
  options.network.misses_use_worms = true;
  options.network.predictor = "none";
  options.hints = "recorded";
  const auto open = [] { return rings(Given::phases_and_hints); };
  const JobReport report = make_report("rings", open, options, {});
  ASSERT_EQ(report.techniques.size(), 2u);
  for (const TechniqueResult& result : report.techniques) EXPECT_EQ(result.measures.hit_rate, 0.5);
  options.hints = "none";
  EXPECT_EQ(make_report("rings", open, options, {}).techniques[0].measures.hit_rate, 0.0);
}

}  // namespace
}  // namespace hybrid
