#include "libhybrid/report/job_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/temporary_directory.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/recording/definitions.h"
#include "libhybrid/recording/testing/recorded_process.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;

class OutputDirectory : public testing::Test {
 protected:
  const TemporaryWorkingDirectory root_;
};

TEST_F(OutputDirectory, IsNewAndPrivate) {
  const std::string made = create_output_directory("results", "/usr/bin/app");
  EXPECT_EQ(made, "results");
  struct stat status{};
  ASSERT_EQ(::stat("results", &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
}

TEST_F(OutputDirectory, CountsUpIfNoneIsNamed) {
  EXPECT_EQ(create_output_directory("", "/opt/my app"), "hybrid-my_app-1");
  EXPECT_EQ(create_output_directory("", "/opt/my app"), "hybrid-my_app-2");
  EXPECT_EQ(create_output_directory("", "other"), "hybrid-other-1");
}

TEST_F(OutputDirectory, IsNeverAnExistingOne) {
  fs::create_directory("old");
  std::ofstream("old/precious") << "data";
  std::ofstream("file") << "data";
  EXPECT_THROW(create_output_directory("old", "app"), UserError);
  EXPECT_THROW(create_output_directory("file", "app"), UserError);
  EXPECT_THROW(create_output_directory("no/such/folder", "app"), UserError);
  EXPECT_TRUE(fs::exists("old/precious"));
  EXPECT_FALSE(fs::exists("no"));
}

using testing::HasSubstr;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A job of three ranks at the ports 4, 4 and 6. Each rank sends to the next.
class FinishJob : public testing::Test {
 protected:
  FinishJob() {
    options_.output = directory_ / "job";
    options_.at_finalize = "emulate";
    options_.techniques = {"wormhole"};
    fs::create_directories(recording());
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      RecordedProcess process(recording(), rank, 3, test_clock());
      process.definitions.property(kPortMap, "4 4 6");
      process.definitions.property("port", rank == 2 ? "6" : "4");
      process.definitions.property("arguments", "app \xff\xfe");
      process.definitions.region(0, "solve \xff");
      process->start();
      process->event(EventKind::phase_begin, 50, 0, {.request = 0});
      process->event(EventKind::send_start, 100, 10,
                     {.peer = static_cast<std::int32_t>((rank + 1) % 3), .bytes = 64, .request = 1});
      process->event(EventKind::recv, 150, 10,
                     {.peer = static_cast<std::int32_t>((rank + 2) % 3), .bytes = 64});
      process->finish(200);
    }
  }
  std::string recording() const { return directory_ / "job/recording"; }
  nlohmann::json report() const { return nlohmann::json::parse(text_of(options_.output + "/report.json")); }

  TemporaryDirectory directory_;
  JobOptions options_;
};

TEST_F(FinishJob, RemovesTheJournalsAfterTheReport) {
  finish_job(recording(), options_, nullptr, nullptr);
  EXPECT_FALSE(fs::exists(recording()));
  EXPECT_EQ(report()["job"]["ports"], 2);
}

TEST_F(FinishJob, KeepsTheJournalsWithoutAReport) {
  options_.replay.placement = {0, 1};
  EXPECT_THROW(finish_job(recording(), options_, nullptr, nullptr), RunError);
  EXPECT_TRUE(fs::exists(options_.output + "/trace.otf2"));
  EXPECT_TRUE(fs::exists(journal_path(recording(), 0, 0)));
  EXPECT_TRUE(fs::exists(definitions_path(recording(), 2)));
}

// What finish_job prints to a stream.
std::string printed(const std::function<void(std::FILE*)>& finish) {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* const out = open_memstream(&text, &length);
  finish(out);
  std::fclose(out);
  std::string result(text, length);
  std::free(text);
  return result;
}

TEST_F(FinishJob, AnInterruptedEmulationKeepsTheTraceAndSaysHowToContinue) {
  options_.slot_counts = {3};
  FinishedJob finished;
  const std::string text = printed([&](std::FILE* out) {
    int calls = 0;
    finished = finish_job(recording(), options_, out, nullptr, [&calls] { return ++calls > 2; });
  });
  EXPECT_TRUE(finished.stopped);
  EXPECT_THAT(text, HasSubstr("Interrupted: no report was made. The trace has all that was recorded. "
                              "Continue with:\n  hybrid replay " +
                              options_.output + "/trace.otf2 --technique wormhole --slots 3\n"));
  EXPECT_TRUE(fs::exists(options_.output + "/trace.otf2"));
  EXPECT_FALSE(fs::exists(options_.output + "/report.json"));
  EXPECT_FALSE(fs::exists(recording())) << "the trace has everything";
}

TEST_F(FinishJob, TheEmulationEndsAtTheLimit) {
  options_.report_limit = picoseconds(1);
  FinishedJob finished;
  const std::string text =
      printed([&](std::FILE* out) { finished = finish_job(recording(), options_, nullptr, out); });
  EXPECT_TRUE(finished.stopped);
  EXPECT_THAT(text, HasSubstr("--report-limit"));
  EXPECT_FALSE(fs::exists(options_.output + "/report.json"));
}

TEST_F(FinishJob, AnErrorInWritingTheReportNamesTheKeptFiles) {
  fs::create_directory(options_.output + "/report.txt");
  try {
    finish_job(recording(), options_, nullptr, nullptr);
    FAIL();
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("cannot write " + options_.output + "/report.txt: File exists"),
                                    HasSubstr("hybrid replay " + options_.output + "/trace.otf2")));
  }
  EXPECT_TRUE(fs::exists(recording()));
}

TEST_F(FinishJob, NamesADamagedJournalAndReportsTheOthers) {
  options_.keep_journals = true;
  fs::resize_file(journal_path(recording(), 1, 0), 100);
  EXPECT_THAT(finish_job(recording(), options_, nullptr, nullptr).warnings,
              AllOf(HasSubstr("No journal of rank 1 can be read"),
                    HasSubstr("The recording is damaged: " + journal_path(recording(), 1, 0) +
                              ": too short for a journal (100 bytes)")));
}

TEST_F(FinishJob, NamesDamagedDefinitions) {
  options_.keep_journals = true;
  {
    std::fstream file(definitions_path(recording(), 1), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(40).put('x');
  }
  EXPECT_THAT(
      finish_job(recording(), options_, nullptr, nullptr).warnings,
      HasSubstr("The recording is damaged: " + definitions_path(recording(), 1) + ":2: the checksum"));
}

TEST_F(FinishJob, StatesHowTheJobEnded) {
  finish_job(recording(), options_, nullptr, nullptr, {}, "'./app' ended by SIGKILL (signal 9) on rank 1");
  std::ifstream text(options_.output + "/report.txt");
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(text), {}),
              HasSubstr("warning      './app' ended by SIGKILL (signal 9) on rank 1."));
  std::ifstream json(options_.output + "/report.json");
  EXPECT_EQ(nlohmann::json::parse(json)["warnings"][0], "'./app' ended by SIGKILL (signal 9) on rank 1.");
}

TEST_F(FinishJob, WritesNoReportIfAllJournalsAreDamaged) {
  for (const auto& entry : fs::directory_iterator(recording()))
    if (entry.path().extension() == ".journal") fs::resize_file(entry.path(), 100);
  EXPECT_THROW(finish_job(recording(), options_, nullptr, nullptr), UserError);
  EXPECT_FALSE(fs::exists(options_.output + "/trace.otf2"));
}

TEST_F(FinishJob, DistinguishesAFullDiskFromADeadRank) {
  options_.keep_journals = true;
  const std::string path = journal_path(recording(), 1, 0);
  const auto put = [&path](std::uint64_t at, std::uint64_t value) {
    std::fstream(path, std::ios::binary | std::ios::in | std::ios::out)
        .seekp(static_cast<std::streamoff>(at))
        .write(reinterpret_cast<const char*>(&value), sizeof value);
  };
  // The rank died before its finish event: its last block is not complete, and has no checksum.
  // The event is a new template of four words.
  JournalHeader header = JournalReader(path).header();
  put(offsetof(JournalHeader, events), header.events - 1);
  put(offsetof(JournalHeader, words), header.words - 4);
  put(4096 + JournalWriter::kBlockWords * sizeof(std::uint64_t), 0);
  EXPECT_THAT(finish_job(recording(), options_, nullptr, nullptr).warnings,
              HasSubstr("Rank 1 ended without MPI_Finalize (by exit, a failure or a signal)"));
  put(offsetof(JournalHeader, lost), 1);
  options_.output = directory_ / "again";
  fs::create_directory(options_.output);
  EXPECT_THAT(finish_job(recording(), options_, nullptr, nullptr).warnings,
              AllOf(HasSubstr("1 event is missing: the disk was full"), Not(HasSubstr("ended without"))));
}

TEST_F(FinishJob, ReportsWithoutTheDefinitionsOfARank) {
  for (const std::uintmax_t left : {22, 5, 0}) {
    SCOPED_TRACE(left);
    fs::resize_file(definitions_path(recording(), 1), left);
    options_.keep_journals = true;
    options_.output = directory_ / ("job-" + std::to_string(left));
    fs::create_directory(options_.output);
    EXPECT_THAT(finish_job(recording(), options_, nullptr, nullptr).warnings,
                left == 22 ? HasSubstr("event is missing") : HasSubstr("No journal of rank 1 can be read"));
    EXPECT_EQ(report()["job"]["ports"], 2) << "the definitions of the others contain its port";
  }
}

TEST_F(FinishJob, ReportsArgumentsAndPhasesThatAreNotUtf8) {
  const fs::path text = directory_ / "printed";
  std::FILE* const out = std::fopen(text.c_str(), "w");
  finish_job(recording(), options_, out, nullptr);
  std::fclose(out);
  EXPECT_THAT(text_of(text), HasSubstr("solve \\xff"));
  EXPECT_EQ(report()["phases"][0]["name"], "solve \xef\xbf\xbd");
}

}  // namespace
}  // namespace hybrid
