#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "emulator/replay/operation.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/recording/testing/trace_writer_fixture.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::ElementsAre;
namespace fs = std::filesystem;

TEST_F(TraceWriter, ReportsIncompleteAndMissingRanks) {
  ranks(4);
  rank(0)->finish(100);
  rank(1)->event(EventKind::send, 50, 5, {.peer = 0, .tag = 0, .bytes = 1});
  rank(2)->finish(100);
  processes_.clear();
  {
    std::fstream journal(journal_path(directory_.path(), 2, 0),
                         std::ios::in | std::ios::out | std::ios::binary);
    journal.seekp(offsetof(JournalHeader, lost));
    journal.put(12);
  }
  fs::remove(journal_path(directory_.path(), 3, 0));
  fs::remove(definitions_path(directory_.path(), 3));
  // A journal whose process died before it wrote the header.
  std::ofstream(journal_path(directory_.path(), 2, 1)) << std::string(4096, '\0');
  const TraceSummary summary = write();
  EXPECT_EQ(summary.ranks, 4u);
  EXPECT_THAT(summary.incomplete, ElementsAre(1));
  EXPECT_THAT(summary.missing, ElementsAre(3));
  EXPECT_EQ(summary.lost, 12u);
  EXPECT_EQ(summary.events, 6u);
  EXPECT_EQ(summary.anchor, output() + "/trace.otf2");
  EXPECT_EQ(to_text(summary), "trace: " + summary.anchor +
                                  "\n  4 ranks, 6 events\n"
                                  "  ended without MPI_Finalize: rank 1\n"
                                  "  without a journal: rank 3\n"
                                  "  lost because the disk was full: 12 events\n");
  const auto trace = open_trace(summary.anchor);
  EXPECT_EQ(trace->ranks(), 4u);
  EXPECT_EQ(trace->property("complete"), "no");
  EXPECT_EQ(trace->property("incomplete_ranks"), "1");
  EXPECT_EQ(trace->property("missing_ranks"), "3");
  EXPECT_EQ(trace->property("lost_events"), "12");
  EXPECT_EQ(kinds(operations(*trace, 1)), (std::vector{Kind::send, Kind::finish}));
}

TEST_F(TraceWriter, TheDefinitionsOfAnyRankHaveThePortsOfAll) {
  ranks(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    if (r != 0) rank(r).definitions.property(kPortMap, "5 7-8 7");
    rank(r).definitions.property("port", r == 0 ? "5" : r == 2 ? "8" : "7");
  }
  processes_.clear();
  fs::remove(definitions_path(directory_.path(), 1));
  fs::resize_file(definitions_path(directory_.path(), 2), 5);  // no complete line
  const auto trace = open();
  EXPECT_THAT(trace->placement(), ElementsAre(5, 7, 8, 7));
  EXPECT_EQ(trace->property("missing_ranks"), "1,2");
  EXPECT_EQ(trace->property("unplaced_ranks"), "");
  EXPECT_EQ(trace->property("ports"), "");
}

TEST_F(TraceWriter, RanksWithoutAKnownPortGetSeparatePorts) {
  ranks(3);
  rank(0).definitions.property("port", "1");
  rank(2).definitions.property("port", "0");
  const auto trace = open();
  EXPECT_THAT(trace->placement(), ElementsAre(1, 2, 0));
  EXPECT_EQ(trace->property("unplaced_ranks"), "1");
}

TEST_F(TraceWriter, RejectsAPortThatNoSwitchHas) {
  ranks(2);
  rank(0).definitions.property("port", "0");
  rank(1).definitions.property("port", "4294967295");
  EXPECT_THROW(
      try { open(); } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("rank 1 is on port 4294967295"));
        throw;
      },
      UserError);
}

TEST_F(TraceWriter, NeverOverwritesATrace) {
  ranks(1);
  write();
  EXPECT_THROW(write_trace(directory_.path(), output()), UserError);
  fs::remove(output() + "/trace.otf2");
  EXPECT_THROW(write_trace(directory_.path(), output()), UserError) << "its definitions still exist";
  EXPECT_TRUE(fs::exists(output() + "/trace.def"));
}

TEST_F(TraceWriter, RejectsADirectoryWithoutARecording) {
  const TemporaryDirectory empty;
  EXPECT_THROW(write_trace(empty.path(), output()), UserError);
  EXPECT_THROW(write_trace(empty / "missing", output()), UserError);
  ranks(1);
  processes_.clear();
  EXPECT_THROW(write_trace(directory_.path(), directory_ / "missing"), UserError);
  EXPECT_FALSE(fs::exists(directory_ / "missing"));
}

TEST_F(TraceWriter, IgnoresATruncatedRecordAndAnExtensionWithoutItsEvent) {
  ranks(1);
  rank(0).definitions.region(0, "torn");
  rank(0)->event(EventKind::call, 10, 10, {});
  rank(0)->extension(Extension::counts, 0, 5);
  processes_.clear();
  const std::string file = definitions_path(directory_.path(), 0);
  fs::resize_file(file, fs::file_size(file) - 3);
  const auto trace = open();
  EXPECT_THAT(kinds(operations(*trace, 0)), ElementsAre(Kind::finish));
}

}  // namespace
}  // namespace hybrid
