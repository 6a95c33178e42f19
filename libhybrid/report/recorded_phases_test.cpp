#include "libhybrid/report/recorded_phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "emulator/replay/testing/jobs.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;

Operation at_microsecond(int at, Operation operation) {
  operation.at = microseconds(at);
  return operation;
}

// Rank 0 sends two messages to rank 1 inside a phase, then one outside.
TEST(RecordedPhases, HintsNameThePhasesAndOtherSendsAreOutside) {
  MemoryTrace trace(2);
  trace.regions = {"exchange"};
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const Kind kind = rank == 0 ? Kind::send : Kind::recv;
    trace.add(rank, at_microsecond(0, make_phase(Kind::phase_begin, 0)));
    trace.add(rank, at_microsecond(1, make(kind, 1 - rank, 64)));
    trace.add(rank, at_microsecond(2, make(kind, 1 - rank, 64)));
    trace.add(rank, at_microsecond(4, make_phase(Kind::phase_end, 0)));
    trace.add(rank, at_microsecond(5, make(kind, 1 - rank, 8)));
    trace.add(rank, at_microsecond(6, finish()));
  }
  const FoundPhases phases = find_phases(trace, {}, 2);
  EXPECT_TRUE(phases.hinted);
  ASSERT_EQ(phases.phases.size(), 2u);
  EXPECT_EQ(phases.phases[0].name, "exchange");
  EXPECT_EQ(phases.phases[0].messages, 2u);
  EXPECT_EQ(phases.phases[0].bytes, 128u);
  EXPECT_EQ(phases.phases[1].name, "outside phases");
  EXPECT_EQ(phases.phases[1].messages, 1u);
  EXPECT_THAT(phases.phases[0].working_set, testing::ElementsAre(Connection{0, 1}));
}

TEST(CountedTrace, ShowsItselfWhileItIsRead) {
  auto trace = std::make_unique<MemoryTrace>(1);
  constexpr std::uint64_t kOperations = 10'000;
  for (std::uint64_t i = 0; i < kOperations; ++i) trace->add(0, finish());
  std::vector<std::string> notes;
  const ProgressNote note = [&](std::string_view what, Progress) {
    notes.emplace_back(what);
    return true;
  };
  CountedTrace counted(std::move(trace), "reading", note);
  EXPECT_EQ(notes.size(), 1u) << "before the first operation";
  Operation operation;
  while (counted.next(0, operation)) continue;
  EXPECT_EQ(counted.operations(), kOperations);
  EXPECT_THAT(notes, testing::AllOf(testing::SizeIs(testing::Gt(1)), testing::Each("reading")));
}

TEST(RecordedPhases, AWorkingSetIsInOrderOfSourceAndDestination) {
  MemoryTrace trace(4);
  trace.regions = {"exchange"};
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    trace.add(rank, make_phase(Kind::phase_begin, 0));
    for (const std::uint32_t step : {3u, 1u, 2u, 3u}) {
      trace.add(rank, make(Kind::send_start, (rank + step) % 4, 8, {}, 1));
      trace.add(rank, make(Kind::recv, (rank + 4 - step) % 4, 8));
      trace.add(rank, make(Kind::send_complete, 0, 0, {}, 1));
    }
    trace.add(rank, make_phase(Kind::phase_end, 0));
    trace.add(rank, finish());
  }
  const FoundPhases phases = find_phases(trace, {}, 4);
  ASSERT_EQ(phases.phases.size(), 1u);
  EXPECT_EQ(phases.phases[0].working_set.size(), 12u);
  EXPECT_TRUE(std::ranges::is_sorted(phases.phases[0].working_set));
}

TEST(RecordedPhases, CountsTheOccurrencesOfHintedPhases) {
  MemoryTrace trace(2);
  trace.regions = {"exchange"};
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    for (int i = 0; i < 3; ++i) {
      trace.add(rank, at_microsecond(10 * i, make_phase(Kind::phase_begin, 0)));
      trace.add(rank, at_microsecond(10 * i + 1, make(rank == 0 ? Kind::send : Kind::recv, 1 - rank, 64)));
      trace.add(rank, at_microsecond(10 * i + 4, make_phase(Kind::phase_end, 0)));
    }
    trace.add(rank, at_microsecond(40, finish()));
  }
  const FoundPhases phases = find_phases(trace, {}, 2);
  ASSERT_EQ(phases.phases.size(), 1u);
  EXPECT_EQ(phases.phases[0].occurrences, 3u);
  EXPECT_EQ(phases.phases[0].messages, 3u);
}

}  // namespace
}  // namespace hybrid
