// Starts and ends of programs with the preloaded library, including abnormal ones.
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
using ::testing::Not;

void expect_no_empty_file(const RecordedRun& run) {
  for (const auto& file : fs::directory_iterator(run.recording()))
    EXPECT_GT(file.file_size(), 0u) << file.path();
}

TEST(Endings, AbortLeavesTheJournalsAndTheCode) {
  const RecordedRun run(2, {program("shim_endings"), "abort"});
  EXPECT_EQ(run.outcome().status, 7);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(run.transfers(rank).size(), 3u) << "one exchange";
    EXPECT_FALSE(run.complete(rank));
  }
  expect_no_empty_file(run);
}

TEST(Endings, AKilledRankLosesNothingRecorded) {
  const RecordedRun run(2, {program("shim_endings"), "killed"});
  EXPECT_NE(run.outcome().status, 0);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(run.transfers(rank).size(), 3u);
    EXPECT_FALSE(run.complete(rank));
    EXPECT_THAT(run.definitions(rank).communicators.at(0).members, ElementsAre(0, 1));
  }
  expect_no_empty_file(run);
}

TEST(Endings, WithoutFinalizeTheJournalsStay) {
  const RecordedRun run(2, {program("shim_endings"), "no-finalize"});
  EXPECT_EQ(run.transfers(0).size(), 3u);
  EXPECT_FALSE(run.complete(0));
  expect_no_empty_file(run);
}

TEST(Endings, TheExitStatusIsTheProgramsOwn) {
  const RecordedRun run(2, {program("shim_endings"), "return-3"});
  EXPECT_EQ(run.outcome().status, 3);
  EXPECT_TRUE(run.complete(0) && run.complete(1));
}

TEST(Endings, ErrorCodesHandlersJumpsAndExceptionsAreUnchanged) {
  const TemporaryDirectory directory;
  const Outcome without = run_ranks(1, {program("shim_errors")}, {{"LD_PRELOAD", ""}}, directory.path());
  ASSERT_EQ(without.status, 0) << without.out << without.err;
  const RecordedRun run(1, {program("shim_errors")});
  EXPECT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_EQ(run.outcome().out, without.out);
  const auto lines = run.transfers(0);
  ASSERT_GE(lines.size(), 6u);
  EXPECT_EQ(lines[lines.size() - 5], "recv 0 tag 88 4") << "on MPI_COMM_WORLD, which could not be freed";
  EXPECT_EQ(lines[lines.size() - 2], "recv 0 tag 77 4 comm 2") << "calls after a jump are still recorded";
}

TEST(Endings, DestructorsAndHandlersOfExitMayCallMpi) {
  for (const std::string how : {"static", "atexit"}) {
    const RecordedRun run(2, {program("shim_destructors"), how});
    EXPECT_EQ(run.outcome().status, 0) << how << run.outcome().out << run.outcome().err;
    EXPECT_THAT(run.outcome().out, HasSubstr(how == "static" ? "static object: correct" : "atexit: correct"))
        << how;
    EXPECT_EQ(run.threads(0), 1u) << how;
    EXPECT_TRUE(run.complete(0)) << how;
    EXPECT_EQ(count(run.events(0), EventKind::recv_complete), 80u) << how;
  }
}

TEST(Endings, DestructorsOfAThreadMayCallMpi) {
  const RecordedRun run(2, {program("shim_destructors"), "thread"});
  EXPECT_EQ(run.outcome().status, 0) << run.outcome().out << run.outcome().err;
  EXPECT_THAT(run.outcome().out, HasSubstr("thread's object: correct"));
  EXPECT_THAT(run.outcome().out, HasSubstr("thread's key: correct"));
  EXPECT_TRUE(run.complete(0));
  EXPECT_EQ(count(run.events(0), EventKind::recv_complete), 3u * 3u * 40u);
  EXPECT_EQ(run.threads(0), 2u) << "the next thread continues the journal of an ended one";
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

TEST(Endings, AFullDiskIsReportedOnceAndTheProgramContinues) {
  // The program limits its file size after MPI has started: no journal gets a second segment.
  // The CPU clock would add events.
  const RecordedRun run(4, {program("shim_full_disk")}, {{"HYBRID_CLOCK", "wall"}});
  EXPECT_EQ(run.outcome().status, 0) << run.outcome().err;
  const std::string& text = run.outcome().err;
  const std::size_t first = text.find("the disk is full");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("the disk is full", first + 1), std::string::npos) << text;
  const JournalReader journal(journal_path(run.recording(), 0, 0));
  EXPECT_GT(journal.size(), 1000u);
  EXPECT_LE(journal.size(), 7 * JournalWriter::kBlockWords);
  // Start, 40000 sends, finish, and a call or two of no data.
  EXPECT_GE(journal.header().lost, 40002 - journal.size());
  EXPECT_LE(journal.header().lost, 40010 - journal.size());
}

// Runs a script in a separate mount name space, where disk_ is a full disk of 80 KiB. Skips the test when
// mounting is not permitted.
class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    disk_ = directory_.path() + "/disk";
    fs::create_directory(disk_);
    if (in_full_disk("true").status != 0) GTEST_SKIP() << "needs the right to mount a file system";
  }
  Outcome in_full_disk(const std::string& script) const {
    return run({"unshare", "--mount", "sh", "-c",
                "mount -t tmpfs -o size=80k none '" + disk_ + "' || exit 99; cat /dev/zero > '" + disk_ +
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

TEST_F(FullDisk, FromTheStartTheProgramRunsAndTheLossIsReported) {
  const Outcome outcome =
      in_full_disk(ranks(4, program("shim_p2p_ring"), "-genv HYBRID_OUTPUT '" + disk_ + "/job'"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "sum 6\n");
  const std::size_t first = outcome.err.find("the program continues, but not all of it is recorded");
  ASSERT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("the program continues", first + 1), std::string::npos) << outcome.err;
  // A hundred exchanges of each of the four ranks, and its other calls.
  const std::size_t lost = outcome.err.find(" events are lost");
  ASSERT_NE(lost, std::string::npos) << outcome.err;
  const std::size_t line = outcome.err.rfind(' ', lost - 1) + 1;
  EXPECT_GE(std::stoull(outcome.err.substr(line, lost - line)), 400u) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("nothing is recorded: the disk was full"));
  EXPECT_EQ(outcome.err.find("hybrid recover"), std::string::npos) << "there is nothing to recover";
}

TEST_F(FullDisk, ThatFillsWhileTheProgramRunsIsInTheReport) {
  // 80 KiB are enough for definitions, the journal's header and its open block, but not for its checksums.
  const Outcome outcome =
      in_full_disk("rm '" + disk_ + "/ballast'; " +
                   ranks(1, program("shim_p2p_ring") + " long", "-genv HYBRID_OUTPUT '" + disk_ + "/job'"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "sum 0\n");
  EXPECT_THAT(outcome.err, HasSubstr("the disk is full: the program continues"));
  EXPECT_THAT(outcome.err, HasSubstr("events are missing: the disk was full while the job ran"));
}

TEST_F(FullDisk, ThatFillsWhileTheTraceIsWrittenLeavesNoEmptyTrace) {
  for (int kib = 16; kib <= 120; kib += 4) {
    SCOPED_TRACE(kib);
    const std::string trace = "'" + disk_ + "/job/trace.otf2'", definitions = "'" + disk_ + "/job/trace.def'";
    const Outcome outcome = in_full_disk(
        "umount '" + disk_ + "'; mount -t tmpfs -o size=" + std::to_string(kib) + "k none '" + disk_ +
        "' || exit 99; " + ranks(2, program("shim_p2p_ring"), "-genv HYBRID_OUTPUT '" + disk_ + "/job'") +
        "; test ! -e " + trace + " || test -s " + trace + " -a -s " + definitions + " || exit 42");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("truncated or damaged")));
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

TEST(Endings, AFileSizeLimitFromTheStartKillsNoRank) {
  // Without protection, SIGXFSZ kills it at the definitions, the journal, the live scheduler's memory or the
  // trace.
  const TemporaryDirectory directory;
  const Outcome outcome = run_ranks(
      2, {program("shim_p2p_ring")},
      {{"LD_PRELOAD", preload_library() + ":" + program("libshim_limiting_tool.so")}}, directory.path());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "sum 1\n");
  EXPECT_THAT(outcome.err, HasSubstr("the program continues"));
  EXPECT_THAT(outcome.err, HasSubstr(" events are lost"));
}

TEST(Endings, ARankThatCannotWriteDoesNotPreventTheReport) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_ranks(
      3, {program("shim_p2p_ring")},
      {{"LD_PRELOAD", preload_library() + ":" + program("libshim_limiting_tool.so")}, {"LIMITED_RANK", "1"}},
      directory.path());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("No journal of rank 1 can be read"));
  EXPECT_TRUE(fs::exists(directory.path() + "/hybrid-shim_p2p_ring-1/report.json"));
}

TEST(Start, ProgramsWithoutMpiAreUnchanged) {
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

TEST(Start, AnotherMpiIsRejectedWithAMessage) {
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

TEST(Start, HintsAreRecordedInProgramsAtAFixedAddress) {
  const RecordedRun run(2, {program("shim_phases_fixed_address")});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_EQ(run.transfers(0).size(), 9u);
}

}  // namespace
}  // namespace hybrid::shim::testing
