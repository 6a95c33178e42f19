// The shim's options and what they control: output directory, quiet mode, report, and yielding in empty
// polls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "libhybrid/shim/testing/recorded_run.h"

namespace hybrid::shim::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string mode_of(const std::string& path) {
  const auto bits = static_cast<unsigned>(fs::status(path).permissions());
  std::string text;
  for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (bits >> shift & 7));
  return text;
}

TEST(Options, AWrongValueEndsTheProgramBeforeItsWork) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_ranks(2, {program("shim_same_transfers")}, {{"HYBRID_CLOCK", "sundial"}}, directory.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("HYBRID_CLOCK"));
  EXPECT_THAT(outcome.err, HasSubstr("sundial"));
  EXPECT_EQ(outcome.err.find("sundial"), outcome.err.rfind("sundial")) << "reported once: " << outcome.err;
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(Options, AThresholdThatIsTooLargeEndsTheProgramBeforeItsWork) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_ranks(2, {program("shim_same_transfers")},
                                    {{"HYBRID_PREDICTOR_THRESHOLD", "65536"}}, directory.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("predictor-threshold: 65536"));
  EXPECT_THAT(outcome.err, HasSubstr("at most 65535"));
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(Options, UnknownVariablesAreNamedOnce) {
  const RecordedRun run(4, {program("shim_same_transfers")}, {{"HYBRID_PLACEMNT", "core"}});
  EXPECT_EQ(run.outcome().status, 0);
  EXPECT_THAT(run.outcome().err, HasSubstr("HYBRID_PLACEMNT"));
  EXPECT_THAT(run.outcome().err, HasSubstr("HYBRID_PLACEMENT"));
  EXPECT_EQ(run.outcome().err.find("HYBRID_PLACEMNT"), run.outcome().err.rfind("HYBRID_PLACEMNT"));
}

TEST(Options, VariablesOverrideTheFile) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/run.toml";
  std::ofstream(file) << "clock = \"cpu\"\nplacement = \"host\"\n";
  const RecordedRun run(4, {program("shim_same_transfers")},
                        {{"HYBRID_CONFIG", file}, {"HYBRID_PLACEMENT", "core"}});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_EQ(run.definitions(0).properties.at("clock"), "cpu");
  EXPECT_EQ(run.definitions(0).properties.at("placement"), "core");
}

TEST(Options, AnExistingDirectoryIsNotUsed) {
  const TemporaryDirectory directory;
  const std::string old = directory.path() + "/old";
  fs::create_directory(old);
  std::ofstream(old + "/precious") << "kept";
  const Outcome outcome =
      run_ranks(2, {program("shim_same_transfers")}, {{"HYBRID_OUTPUT", old}}, directory.path());
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(old));
  EXPECT_EQ(std::distance(fs::directory_iterator(old), {}), 1);
}

TEST(Options, WithoutADirectoryTheProgramRunsUnrecorded) {
  const Outcome outcome = run_ranks(2, {program("shim_p2p_ring")}, {}, "/proc");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "sum 1\n");
  EXPECT_THAT(outcome.err, HasSubstr("the program runs unrecorded: output: cannot make the directory"));
  EXPECT_EQ(outcome.err.find("unrecorded"), outcome.err.rfind("unrecorded")) << outcome.err;
}

TEST(Options, OnlyTheFirstProgramOfAJobIsRecorded) {
  const TemporaryDirectory directory;
  const std::string job = directory.path() + "/job";
  fs::create_directory(job);
  const Environment environment{{"HYBRID_OUTPUT", job}, {"HYBRID_AT_FINALIZE", "journal"}};
  const Outcome first = run_ranks(1, {program("shim_p2p_ring")}, environment, directory.path());
  EXPECT_EQ(first.err, "");
  const Outcome second = run_ranks(1, {program("shim_p2p_ring")}, environment, directory.path());
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(second.out, "sum 0\n");
  EXPECT_THAT(second.err, HasSubstr("the first MPI program of this job is recorded"));
}

TEST(Options, JournalsAreKeptInANewDirectory) {
  const TemporaryDirectory directory;
  const std::string job = directory.path() + "/job";
  const Environment environment{{"HYBRID_OUTPUT", job}, {"HYBRID_AT_FINALIZE", "journal"}};
  const Outcome outcome = run_ranks(2, {program("shim_p2p_ring")}, environment, directory.path());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(mode_of(job), "700");
  EXPECT_TRUE(fs::exists(job + "/recording/rank-1.definitions"));
  EXPECT_FALSE(fs::exists(job + "/trace.otf2"));
}

TEST(Options, TheRecordingIsPrivateToTheUser) {
  const RecordedRun run(4, {program("shim_same_transfers")});
  EXPECT_EQ(mode_of(run.recording()), "700");
  for (const auto& entry : fs::directory_iterator(run.recording())) EXPECT_EQ(mode_of(entry.path()), "600");
}

TEST(Options, QuietPrintsNothing) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_ranks(4, {program("shim_same_transfers")},
                {{"HYBRID_QUIET", "1"}, {"HYBRID_AT_FINALIZE", "trace"}, {"HYBRID_NO_SUCH_THING", "1"}},
                directory.path());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST(Options, QuietStillPrintsWhyTheJobEnds) {
  const TemporaryDirectory directory;
  for (const Environment& environment :
       {Environment{{"HYBRID_QUIET", "maybe"}}, Environment{{"HYBRID_QUIET", "1"}, {"HYBRID_SLOTS", "abc"}},
        Environment{{"HYBRID_QUIET", "1"}, {"HYBRID_OUTPUT", directory.path()}}}) {
    const Outcome outcome = run_ranks(2, {program("shim_same_transfers")}, environment, directory.path());
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("libhybrid: "));
    EXPECT_EQ(outcome.err.find("libhybrid: "), outcome.err.rfind("libhybrid: ")) << outcome.err;
  }
}

TEST(Finalize, RankZeroReportsOnStandardErrorAndCleansUp) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_ranks(4, {program("shim_p2p_ring")}, {}, directory.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "sum 6\n") << "standard output is unchanged";
  EXPECT_THAT(outcome.err, HasSubstr("4 ranks"));
  const std::string output = directory.path() + "/hybrid-shim_p2p_ring-1";
  EXPECT_TRUE(fs::exists(output + "/report.json"));
  EXPECT_TRUE(fs::exists(output + "/trace.otf2"));
  EXPECT_FALSE(fs::exists(output + "/recording")) << "journals are gone after a clean end";
  const Outcome again =
      run_ranks(4, {program("shim_p2p_ring")}, {{"HYBRID_AT_FINALIZE", "trace"}}, directory.path());
  EXPECT_EQ(again.status, 0);
  EXPECT_TRUE(fs::exists(directory.path() + "/hybrid-shim_p2p_ring-2"));
}

TEST(Finalize, TheReportEndsAtItsLimit) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_ranks(4, {program("shim_p2p_ring")}, {{"HYBRID_REPORT_LIMIT", "1ns"}}, directory.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string output = directory.path() + "/hybrid-shim_p2p_ring-1";
  EXPECT_THAT(outcome.err, HasSubstr("HYBRID_REPORT_LIMIT"));
  EXPECT_THAT(outcome.err, HasSubstr("hybrid replay " + output + "/trace.otf2"));
  EXPECT_TRUE(fs::exists(output + "/trace.otf2"));
  EXPECT_FALSE(fs::exists(output + "/report.json"));
}

TEST(Finalize, AQuietJobWritesTheTraceOnly) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_ranks(2, {program("shim_p2p_ring")}, {{"HYBRID_QUIET", "on"}}, directory.path());
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string output = directory.path() + "/hybrid-shim_p2p_ring-1";
  EXPECT_TRUE(fs::exists(output + "/trace.otf2"));
  EXPECT_FALSE(fs::exists(output + "/report.json"));
  const Outcome explicit_report =
      run_ranks(2, {program("shim_p2p_ring")}, {{"HYBRID_QUIET", "on"}, {"HYBRID_AT_FINALIZE", "emulate"}},
                directory.path());
  ASSERT_EQ(explicit_report.status, 0) << explicit_report.err;
  EXPECT_TRUE(fs::exists(directory.path() + "/hybrid-shim_p2p_ring-2/report.json"));
}

constexpr int kPolls = 500;  // polling.c

// How often the shim yielded during the empty polls with each of the functions.
std::map<std::string, int> yields_of(int ranks, const std::string& setting) {
  const RecordedRun run(ranks, {program("shim_polling")},
                        {{"LD_PRELOAD", preload_library() + ":" + program("libshim_yield_counter.so")},
                         {"HYBRID_YIELD", setting}});
  EXPECT_EQ(run.outcome().status, 0) << run.outcome().err;
  std::map<std::string, int> yields;
  std::istringstream text(run.outcome().out);
  std::string function, word;
  for (int empty = 0, count = 0; text >> function >> empty >> word >> count >> word;) {
    EXPECT_EQ(empty, kPolls) << function;
    yields[function] = count;
  }
  return yields;
}

// A poll that is empty for the program may have moved data inside MPI.
constexpr int kMost = kPolls - 20;

TEST(Yield, EveryEmptyPollYieldsWhileTheJobIsOversubscribed) {
  EXPECT_THAT(yields_of(2, "auto"), ElementsAre(Pair("MPI_Iprobe", Ge(kMost)), Pair("MPI_Test", Ge(kMost))));
}

TEST(Yield, NoPollYieldsWithEnoughCores) {
  EXPECT_THAT(yields_of(1, "auto"), ElementsAre(Pair("MPI_Test", 0)));
}

TEST(Yield, TheOptionOverridesTheDefault) {
  EXPECT_THAT(yields_of(2, "off"), ElementsAre(Pair("MPI_Iprobe", 0), Pair("MPI_Test", 0)));
  EXPECT_THAT(yields_of(1, "on"), ElementsAre(Pair("MPI_Test", Ge(kMost))));
}

TEST(Yield, IsRecordedAndCanBeSwitchedOff) {
  const RecordedRun off(4, {program("shim_same_transfers")}, {{"HYBRID_YIELD", "off"}});
  EXPECT_EQ(off.definitions(0).properties.at("yield"), "no");
  const RecordedRun on(4, {program("shim_same_transfers")}, {{"HYBRID_YIELD", "on"}});
  EXPECT_EQ(on.definitions(0).properties.at("yield"), "yes");
  EXPECT_EQ(on.transfers(1), off.transfers(1));
}

}  // namespace
}  // namespace hybrid::shim::testing
