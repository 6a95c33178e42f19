// How programs start and end under the preloaded library, well and badly, and what else must not change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/journal.h"
#include "libhybrid/shim/clock.h"
#include "libhybrid/shim/testing/recorded_run.h"

namespace hybrid::shim::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string mode_of(const std::string& path) {
  const auto bits = static_cast<unsigned>(fs::status(path).permissions());
  std::string text;
  for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (bits >> shift & 7));
  return text;
}

TEST(Endings, AbortLeavesTheJournalsAndTheCode) {
  const RecordedRun run(2, {program("shim_endings"), "abort"});
  EXPECT_EQ(run.outcome().status, 7);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(run.transfers(rank).size(), 3u) << "one exchange";
    EXPECT_FALSE(run.complete(rank));
  }
}

TEST(Endings, AKilledRankLosesNothingRecorded) {
  const RecordedRun run(2, {program("shim_endings"), "killed"});
  EXPECT_NE(run.outcome().status, 0);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(run.transfers(rank).size(), 3u);
    EXPECT_FALSE(run.complete(rank));
    EXPECT_THAT(run.definitions(rank).communicators.at(0).members, ElementsAre(0, 1));
  }
}

TEST(Endings, WithoutFinalizeTheJournalsStay) {
  const RecordedRun run(2, {program("shim_endings"), "no-finalize"});
  EXPECT_EQ(run.transfers(0).size(), 3u);
  EXPECT_FALSE(run.complete(0));
}

TEST(Endings, TheExitStatusIsTheProgram) {
  const RecordedRun run(2, {program("shim_endings"), "return-3"});
  EXPECT_EQ(run.outcome().status, 3);
  EXPECT_TRUE(run.complete(0) && run.complete(1));
}

TEST(Endings, ErrorCodesHandlersJumpsAndExceptionsAreThePrograms) {
  const TemporaryDirectory directory;
  const Outcome without = run_ranks(1, {program("shim_errors")}, {{"LD_PRELOAD", ""}}, directory.path());
  ASSERT_EQ(without.status, 0) << without.out << without.err;
  const RecordedRun run(1, {program("shim_errors")});
  EXPECT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_EQ(run.outcome().out, without.out);
  const auto lines = run.transfers(0);
  ASSERT_GE(lines.size(), 6u);
  EXPECT_EQ(lines[lines.size() - 5], "recv 0 tag 88 4") << "on MPI_COMM_WORLD, which could not be freed";
  EXPECT_EQ(lines[lines.size() - 2], "recv 0 tag 77 4 comm 2") << "calls after a jump are still seen";
}

TEST(Endings, DestructorsAndHandlersOfExitMayCallMpi) {
  for (const std::string how : {"static", "atexit"}) {
    const RecordedRun run(2, {program("shim_destructors"), how});
    EXPECT_EQ(run.outcome().status, 0) << how << run.outcome().out << run.outcome().err;
    EXPECT_THAT(run.outcome().out, HasSubstr("as it should be")) << how;
    EXPECT_EQ(run.threads(0), 1u) << how;
    EXPECT_TRUE(run.complete(0)) << how;
    EXPECT_EQ(count(run.events(0), EventKind::recv_complete), 80u) << how;
  }
}

TEST(Endings, DestructorsOfAThreadMayCallMpi) {
  const RecordedRun run(2, {program("shim_destructors"), "thread"});
  EXPECT_EQ(run.outcome().status, 0) << run.outcome().out << run.outcome().err;
  EXPECT_THAT(run.outcome().out, HasSubstr("thread's object: as it should be"));
  EXPECT_THAT(run.outcome().out, HasSubstr("thread's key: as it should be"));
  EXPECT_TRUE(run.complete(0));
  EXPECT_EQ(count(run.events(0), EventKind::recv_complete), 3u * 3u * 40u);
  EXPECT_EQ(run.threads(0), 2u) << "a thread's journal is handed on to the next";
}

TEST(Endings, AnErrorHandlerMayEndMpi) {
  const RecordedRun run(2, {program("shim_ends_in_handler"), "finalize"});
  EXPECT_THAT(run.outcome().out, HasSubstr("ended by the handler"));
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(run.transfers(rank).size(), 1u) << "the barrier";
    EXPECT_TRUE(run.complete(rank)) << "the recording ended with MPI";
  }
}

#if defined(__x86_64__)
TEST(Endings, WithoutASteadyCycleCounterTheClockIsMonotonic) {
  const std::uint64_t before = nanoseconds_of(CLOCK_MONOTONIC);
  const RecordedRun run(2, {program("shim_p2p"), "blocking"}, {{"LIBHYBRID_CYCLE_COUNTER", "off"}});
  const std::uint64_t after = nanoseconds_of(CLOCK_MONOTONIC);
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_EQ(run.outcome().err, "");
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const JournalReader journal(journal_path(run.recording(), rank, 0));
    EXPECT_GE(journal.header().origin_ticks, before);
    for (const Event& event : run.events(rank)) {
      if (event.kind == EventKind::extension) continue;
      EXPECT_GE(event.begin, before);
      EXPECT_LE(event.begin, after);
    }
  }
}
#endif

TEST(Endings, AFullDiskIsToldOnceAndTheProgramGoesOn) {
  // The program forbids itself larger files once MPI has started: no journal gets a second segment.
  const RecordedRun run(4, {program("shim_full_disk")});
  EXPECT_EQ(run.outcome().status, 0) << run.outcome().err;
  const std::string& text = run.outcome().err;
  const std::size_t first = text.find("the disk is full");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("the disk is full", first + 1), std::string::npos) << text;
  const JournalReader journal(journal_path(run.recording(), 0, 0));
  EXPECT_EQ(journal.events().size(), JournalWriter::kSegmentEvents);
  // Start, 40000 sends, finish, and a call or two of no data.
  EXPECT_GE(journal.header().lost, 40002 - JournalWriter::kSegmentEvents);
  EXPECT_LE(journal.header().lost, 40010 - JournalWriter::kSegmentEvents);
}

// Runs a script in a mount name space of its own, where DIR is a full disk of 64 KiB; skips the test where
// that is not allowed.
class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    disk_ = directory_.path() + "/disk";
    fs::create_directory(disk_);
    if (in_full_disk("true").status != 0) GTEST_SKIP() << "needs the right to mount a file system";
  }
  Outcome in_full_disk(const std::string& script) const {
    return run({"unshare", "--mount", "sh", "-c",
                "mount -t tmpfs -o size=64k none '" + disk_ + "' || exit 99; cat /dev/zero > '" + disk_ +
                    "/ballast' 2>/dev/null; " + script},
               {}, directory_.path());
  }
  std::string ranks(int count, const std::string& program_path, const std::string& settings) const {
    return std::string(HYBRID_MPIEXEC) + " -n " + std::to_string(count) + " -genv LD_PRELOAD " +
           preload_library() + " " + settings + " " + program_path;
  }

  TemporaryDirectory directory_;
  std::string disk_;
};

TEST_F(FullDisk, FromTheStartTheProgramRunsAndTheLossIsTold) {
  const Outcome outcome =
      in_full_disk(ranks(4, program("shim_p2p_ring"), "-genv HYBRID_OUTPUT '" + disk_ + "/job'"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "sum 6\n");
  const std::size_t first = outcome.err.find("the program goes on, but not all of it is recorded");
  ASSERT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("the program goes on", first + 1), std::string::npos) << outcome.err;
  // Of each of the four ranks a hundred exchanges, and the rest of its calls.
  const std::size_t told = outcome.err.find(" events are lost");
  ASSERT_NE(told, std::string::npos) << outcome.err;
  const std::size_t line = outcome.err.rfind(' ', told - 1) + 1;
  EXPECT_GE(std::stoull(outcome.err.substr(line, told - line)), 400u) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("nothing is recorded: the disk was full"));
  EXPECT_EQ(outcome.err.find("hybrid recover"), std::string::npos) << "there is nothing to recover";
}

TEST_F(FullDisk, ThatFillsWhileTheProgramRunsIsToldInTheReport) {
  // 64 KiB are room for definitions and the journal's header, not for its first events.
  const Outcome outcome =
      in_full_disk("rm '" + disk_ + "/ballast'; " +
                   ranks(1, program("shim_p2p_ring"), "-genv HYBRID_OUTPUT '" + disk_ + "/job'"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "sum 0\n");
  EXPECT_THAT(outcome.err, HasSubstr("the disk is full: the program goes on"));
  EXPECT_THAT(outcome.err, HasSubstr("events are missing: the disk was full while the job ran"));
}

TEST_F(FullDisk, ThatFillsWhileTheTraceIsWrittenLeavesNoEmptyOne) {
  for (int kib = 16; kib <= 48; kib += 4) {
    SCOPED_TRACE(kib);
    const std::string trace = "'" + disk_ + "/job/trace.otf2'", definitions = "'" + disk_ + "/job/trace.def'";
    const Outcome outcome = in_full_disk(
        "umount '" + disk_ + "'; mount -t tmpfs -o size=" + std::to_string(kib) + "k none '" + disk_ +
        "' || exit 99; " + ranks(2, program("shim_p2p_ring"), "-genv HYBRID_OUTPUT '" + disk_ + "/job'") +
        "; test ! -e " + trace + " || test -s " + trace + " -a -s " + definitions + " || exit 42");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
}

TEST_F(FullDisk, WithoutRoomForADirectoryTheProgramRunsUnrecorded) {
  const Outcome outcome =
      in_full_disk("umount '" + disk_ + "'; mount -t tmpfs -o nr_inodes=1 none '" + disk_ + "' || exit 99; " +
                   ranks(2, program("shim_p2p_ring"), "-genv HYBRID_OUTPUT '" + disk_ + "/job'"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "sum 1\n");
  EXPECT_THAT(outcome.err, HasSubstr("the program runs unrecorded: output: cannot make the directory"));
  EXPECT_EQ(outcome.err.find("unrecorded"), outcome.err.rfind("unrecorded")) << outcome.err;
}

TEST(Endings, AFileSizeLimitFromTheStartKillsNobody) {
  // SIGXFSZ would: at the definitions, the journal, the live scheduler's memory, the trace.
  const TemporaryDirectory directory;
  const Outcome outcome = run_ranks(
      2, {program("shim_p2p_ring")},
      {{"LD_PRELOAD", preload_library() + ":" + program("libshim_limiting_tool.so")}}, directory.path());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "sum 1\n");
  EXPECT_THAT(outcome.err, HasSubstr("the program goes on"));
  EXPECT_THAT(outcome.err, HasSubstr(" events are lost"));
}

TEST(Endings, ARankThatMayNotWriteLosesNoReportOfTheOthers) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_ranks(
      3, {program("shim_p2p_ring")},
      {{"LD_PRELOAD", preload_library() + ":" + program("libshim_limiting_tool.so")}, {"LIMITED_RANK", "1"}},
      directory.path());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("No journal of rank 1 can be read"));
  EXPECT_TRUE(fs::exists(directory.path() + "/hybrid-shim_p2p_ring-1/report.json"));
}

TEST(Start, NonMpiProgramsAreLeftAlone) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run({program("shim_not_mpi")}, {{"LD_PRELOAD", preload_library()}}, directory.path());
  EXPECT_EQ(outcome.status, 5);
  EXPECT_EQ(outcome.out, "hello\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(fs::is_empty(directory.path()));
  const Outcome bound = run({program("shim_not_mpi")},
                            {{"LD_PRELOAD", preload_library()}, {"LD_BIND_NOW", "1"}}, directory.path());
  EXPECT_EQ(bound.status, 5) << bound.err;
}

TEST(Start, AnotherMpiIsRefusedInOneClearSentence) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run({program("shim_uses_other_mpi")}, {{"LD_PRELOAD", preload_library()}}, directory.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("mpicc.mpich"));
}

TEST(Start, ProgramsWithHintsRunWithoutTheLibrary) {
  const TemporaryDirectory directory;
  for (const char* name : {"shim_phases", "shim_phases_fixed_address"}) {
    const Outcome outcome = run({program(name)}, {}, directory.path());
    EXPECT_EQ(outcome.status, 0) << name << outcome.err;
    EXPECT_EQ(outcome.out, "done\n");
  }
}

TEST(Start, HintsAreSeenInProgramsAtAFixedAddress) {
  const RecordedRun run(2, {program("shim_phases_fixed_address")});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_EQ(run.transfers(0).size(), 9u);
}

TEST(Options, AWrongValueEndsTheProgramBeforeItsWork) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_ranks(2, {program("shim_same_transfers")}, {{"HYBRID_CLOCK", "sundial"}}, directory.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("HYBRID_CLOCK"));
  EXPECT_THAT(outcome.err, HasSubstr("sundial"));
  EXPECT_EQ(outcome.err.find("sundial"), outcome.err.rfind("sundial")) << "told once: " << outcome.err;
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(Options, WhatPredictorsCannotCountIsRefusedBeforeTheProgramsWork) {
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

TEST(Options, AFileSetsThemAndVariablesWin) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/run.toml";
  std::ofstream(file) << "clock = \"cpu\"\nplacement = \"host\"\n";
  const RecordedRun run(4, {program("shim_same_transfers")},
                        {{"HYBRID_CONFIG", file}, {"HYBRID_PLACEMENT", "core"}});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_EQ(run.definitions(0).properties.at("clock"), "cpu");
  EXPECT_EQ(run.definitions(0).properties.at("placement"), "core");
}

TEST(Options, AnExistingDirectoryIsNeverWrittenInto) {
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

TEST(Options, WhereNoDirectoryCanBeTheProgramRunsUnrecorded) {
  const Outcome outcome = run_ranks(2, {program("shim_p2p_ring")}, {}, "/proc");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "sum 1\n");
  EXPECT_THAT(outcome.err, HasSubstr("the program runs unrecorded: output: cannot make the directory"));
  EXPECT_EQ(outcome.err.find("unrecorded"), outcome.err.rfind("unrecorded")) << outcome.err;
}

TEST(Options, OfTwoProgramsOfOneJobTheFirstIsRecorded) {
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

TEST(Options, JournalsAreLeftInANewDirectoryToo) {
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

TEST(Options, QuietPrintsNothingAtAll) {
  const TemporaryDirectory directory;
  const Outcome outcome =
      run_ranks(4, {program("shim_same_transfers")},
                {{"HYBRID_QUIET", "1"}, {"HYBRID_AT_FINALIZE", "trace"}, {"HYBRID_NO_SUCH_THING", "1"}},
                directory.path());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST(Options, EvenQuietSaysWhyTheJobIsEnded) {
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
  EXPECT_EQ(outcome.out, "sum 6\n") << "standard output is the program's";
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

}  // namespace
}  // namespace hybrid::shim::testing
