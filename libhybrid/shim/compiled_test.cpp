// Programs with a compiler's hints and the preloaded library: their phases and preloads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/temporary_directory.h"
#include "libhybrid/shim/testing/recorded_run.h"

namespace hybrid::shim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Compiled {
 public:
  explicit Compiled(const std::string& how, int ranks = 4, Environment environment = {})
      : run_(ranks, {program("shim_compiled_phases"), how}, with(std::move(environment))) {}

  const RecordedRun& run() const { return run_; }
  std::string property(std::uint32_t rank, const char* name) const {
    const auto properties = run_.definitions(rank).properties;
    const auto found = properties.find(name);
    return found == properties.end() ? "none" : found->second;
  }
  std::string preloads(std::uint32_t rank) const { return property(rank, "live_preloads"); }
  /// Begins, ends and flushes.
  std::vector<std::string> phases(std::uint32_t rank) const {
    std::vector<std::string> all = run_.transfers(rank);
    std::erase_if(all, [](const std::string& line) {
      return !line.starts_with("begin ") && !line.starts_with("end ") && line != "flush";
    });
    return all;
  }
  /// Begins and hints.
  std::vector<std::string> hints(std::uint32_t rank) const {
    std::vector<std::string> all = run_.transfers(rank);
    std::erase_if(all, [](const std::string& line) {
      return !line.starts_with("begin ") && !line.starts_with("hint ");
    });
    return all;
  }

 private:
  static Environment with(Environment environment) {
    environment.emplace("HYBRID_LIVE", "on");
    environment.emplace("HYBRID_PRELOAD", "1");
    return environment;
  }
  RecordedRun run_;
};

TEST(Compiled, PhasesNestAndEachIsPreloadedOnce) {
  const Compiled job("nested");
  ASSERT_EQ(job.run().outcome().status, 0) << job.run().outcome().err;
  std::vector<std::string> expected;
  for (int i = 0; i < 3; ++i)
    for (const char* line : {"begin ring", "begin shifted", "end shifted", "end ring"})
      expected.emplace_back(line);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(job.phases(rank), expected) << rank;
    EXPECT_EQ(job.preloads(rank), "2") << "one connection of each phase, in three rounds";
  }
}

TEST(Compiled, PhasesAroundMpiBeginWithIt) {
  const Compiled job("early");
  ASSERT_EQ(job.run().outcome().status, 0) << job.run().outcome().err;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(job.phases(rank), ElementsAre("begin ring")) << rank << ": the trace closes it";
    EXPECT_EQ(job.preloads(rank), "1") << rank;
  }
}

TEST(Compiled, AnInputThatChangedIsEvaluatedAgain) {
  const Compiled job("changing");
  ASSERT_EQ(job.run().outcome().status, 0) << job.run().outcome().err;
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(job.preloads(rank), "2") << "two distances in four rounds";
}

TEST(Compiled, AnInputThatReturnsIsNotEvaluatedAgain) {
  const Compiled job("returning");
  ASSERT_EQ(job.run().outcome().status, 0) << job.run().outcome().err;
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(job.preloads(rank), "2") << "each distance once, in six rounds";
  std::vector<std::string> expected;
  for (int i = 0; i < 6; ++i) {
    expected.emplace_back("begin shifted");
    expected.emplace_back("hint " + std::to_string(1 + i % 2));
  }
  EXPECT_EQ(job.hints(0), expected) << "the recording has the current ranks";
}

TEST(Compiled, HintedRanksAreRecordedWhenTheyChange) {
  const Compiled job("changing");
  EXPECT_THAT(job.hints(0), ElementsAre("begin shifted", "hint 1", "begin shifted", "begin shifted", "hint 2",
                                        "begin shifted"));
  EXPECT_THAT(job.hints(3), ElementsAre("begin shifted", "hint 0", "begin shifted", "begin shifted", "hint 1",
                                        "begin shifted"));
  const Compiled without("nested", 4, {{"HYBRID_LIVE", "off"}});
  EXPECT_THAT(without.hints(0), ElementsAre("begin ring", "hint 1", "begin shifted", "hint 1", "begin ring",
                                            "begin shifted", "begin ring", "begin shifted"))
      << "also without a scheduler";
}

TEST(Compiled, AFlushEndsTheWorkingSetAndPreloadsAreRepeated) {
  const Compiled job("flushing");
  ASSERT_EQ(job.run().outcome().status, 0) << job.run().outcome().err;
  std::vector<std::string> turn = {"begin ring", "end ring", "flush"};
  for (int j = 0; j < 3; ++j) turn.insert(turn.end(), {"begin fresh", "end fresh"});
  turn.emplace_back("flush");
  std::vector<std::string> expected = turn;
  expected.insert(expected.end(), turn.begin(), turn.end());
  EXPECT_EQ(job.phases(0), expected) << "a phase that follows itself does not flush";
  EXPECT_EQ(job.preloads(0), "4");
  EXPECT_EQ(job.property(0, "live_flushes"), "4");
}

TEST(Compiled, APhaseWhoseConditionDoesNotHoldIsNotPreloaded) {
  const Compiled job("conditional");
  ASSERT_EQ(job.run().outcome().status, 0) << job.run().outcome().err;
  EXPECT_EQ(job.preloads(0), "0");
  EXPECT_THAT(job.phases(0), ElementsAre("begin ring", "end ring", "flush", "begin fresh", "end fresh"));
}

TEST(Compiled, PhasesLeftByAJumpAreEnded) {
  const Compiled job("jumping", 1);
  ASSERT_EQ(job.run().outcome().status, 0) << job.run().outcome().err;
  const std::vector<std::string> phases = job.phases(0);
  const auto times = [&](const char* line) { return std::count(phases.begin(), phases.end(), line); };
  EXPECT_EQ(times("begin ring"), 101);
  EXPECT_EQ(times("end ring"), 101);
  EXPECT_EQ(times("begin shifted"), 101);
  EXPECT_EQ(times("end shifted"), 101);
  ASSERT_GE(phases.size(), 7u);
  EXPECT_THAT(std::vector<std::string>(phases.end() - 7, phases.end()),
              ElementsAre("begin ring", "begin shifted", "flush", "begin fresh", "end fresh", "end shifted",
                          "end ring"));
}

TEST(Compiled, UnusableMarksDoNothingAndAreReportedOnce) {
  const Compiled job("disordered");
  ASSERT_EQ(job.run().outcome().status, 0) << job.run().outcome().err;
  EXPECT_THAT(job.phases(0), ElementsAre("begin partly unknown", "end partly unknown"));
  EXPECT_EQ(job.preloads(0), "1") << "the known rank";
  const std::string& err = job.run().outcome().err;
  EXPECT_THAT(err, HasSubstr("version 99"));
  EXPECT_EQ(err.find("version 99"), err.rfind("version 99")) << "reported once in the job: " << err;
  const Compiled quiet("disordered", 4, {{"HYBRID_QUIET", "1"}});
  EXPECT_THAT(quiet.run().outcome().err, Not(HasSubstr("version 99")));
}

TEST(Compiled, AnyThreadMarks) {
  const Compiled job("threads", 2);
  ASSERT_EQ(job.run().outcome().status, 0) << job.run().outcome().err;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const std::vector<Event> events = job.run().events(rank);
    EXPECT_EQ(count(events, EventKind::phase_begin), 8000u);
    EXPECT_EQ(count(events, EventKind::phase_end), 8000u);
    EXPECT_EQ(job.preloads(rank), "2") << "by the first thread";
  }
}

/// The lines of the ranks, which come in any order.
std::multiset<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::multiset<std::string> all;
  for (std::string line; std::getline(stream, line);) all.insert(line);
  return all;
}

TEST(Compiled, ResultsAreTheSameWithoutTheLibrary) {
  for (const char* how : {"nested", "changing", "flushing", "disordered"}) {
    const TemporaryDirectory directory;
    const Outcome bare =
        run_ranks(4, {program("shim_compiled_phases"), how}, {{"LD_PRELOAD", ""}}, directory.path());
    EXPECT_EQ(bare.status, 0);
    EXPECT_EQ(bare.err, "");
    EXPECT_EQ(lines(bare.out).size(), 4u) << how << bare.out;
    EXPECT_EQ(lines(Compiled(how).run().outcome().out), lines(bare.out)) << how;
  }
}

}  // namespace
}  // namespace hybrid::shim::testing
