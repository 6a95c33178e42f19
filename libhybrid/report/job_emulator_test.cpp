#include "libhybrid/report/job_emulator.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "emulator/replay/testing/jobs.h"

namespace hybrid {
namespace {

// Two ranks send to each other in turn.
std::unique_ptr<JobTrace> ping_pong() {
  constexpr int kTurns = 4'000;
  auto trace = std::make_unique<MemoryTrace>(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    for (int turn = 0; turn < kTurns; ++turn)
      trace->add(rank,
                 make(turn % 2 == static_cast<int>(rank) ? Operation::Kind::send : Operation::Kind::recv,
                      1 - rank, 64));
    trace->add(rank, make(Operation::Kind::finish, 0, 0));
  }
  return trace;
}

TEST(JobEmulator, EstimatesTheTimeOfEmulationsOnlyWhereItIsShown) {
  const auto emulate = [](const ProgressNote& note) {
    JobEmulator job("ping-pong", ping_pong, {});
    job.find_phases({});
    return job.emulate({job.parameters("wormhole", 4), job.parameters("hybrid", 4)}, "emulating", note);
  };
  // Notes come from several threads, one after the other.
  for (const bool shown : {false, true}) {
    SCOPED_TRACE(shown);
    std::vector<double> estimates;
    bool started = false, late = false;
    const auto runs = emulate([&](std::string_view, Progress progress) {
      started |= progress.done != 0;
      if (progress.estimate > 0) {
        estimates.push_back(progress.estimate);
        late |= started;
      }
      return shown;
    });
    EXPECT_EQ(estimates.size(), shown ? 1u : 0u);
    EXPECT_FALSE(late) << "the estimate comes before the emulations";
    const auto silent = emulate({});
    for (std::size_t i = 0; i < runs.size(); ++i)
      EXPECT_EQ(runs[i].measures.value().time, silent[i].measures.value().time);
  }
}

TEST(JobEmulator, EmulatesNoRuns) {
  EXPECT_TRUE(emulate_runs(
                  ping_pong, {}, [](std::size_t) { return ReplayOptions{}; }, 1, "emulating",
                  [](std::string_view, Progress) { return true; }, 1)
                  .empty());
}

TEST(JobEmulator, TheEstimateDoesNotHideAFailure) {
  const auto incomplete = [] {
    auto trace = std::make_unique<MemoryTrace>(2);
    trace->add(0, make(Operation::Kind::recv, 1, 64));
    return trace;
  };
  const auto runs = emulate_runs(
      incomplete, std::vector<SwitchParameters>(1), [](std::size_t) { return ReplayOptions{}; }, 1,
      "emulating", [](std::string_view, Progress) { return true; }, 1);
  EXPECT_FALSE(runs[0].measures);
  EXPECT_NE(runs[0].failure, "");
}

}  // namespace
}  // namespace hybrid
