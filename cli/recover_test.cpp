// `hybrid recover` on journals made by hand: what it makes, and what it leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/child.h"
#include "libhybrid/recording/testing/recorded_process.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// A job of two ranks that died after one message: its output directory with the journals in it.
class Recover : public testing::Test {
 protected:
  Recover() {
    fs::create_directories(recording());
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
      RecordedProcess process(recording(), rank, 2, test_clock());
      process->start();
      Event transfer;
      transfer.peer = static_cast<std::int32_t>(1 - rank);
      transfer.bytes = 64;
      process->event(rank == 0 ? EventKind::send : EventKind::recv, 100, 10, transfer);
    }
    names_ = names();
  }

  std::string job() const { return directory_ / "job"; }
  std::string recording() const { return job() + "/recording"; }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(recording(), none))
      all.push_back(entry.path().filename());
    return all;
  }
  std::string recover(std::vector<std::string> words, int code = 0) const {
    words.insert(words.begin(), {HYBRID_COMMAND, "recover"});
    ChildEnd end;
    std::string text = output_of(words, end);
    EXPECT_EQ(end.exit_code, code) << text;
    return text;
  }

  TemporaryDirectory directory_;
  std::vector<std::string> names_;
};

// Both ranks end; rank 1 has received a message that rank 0 never sent.
TEST_F(Recover, AnInconsistentTraceIsReportedUpToTheFault) {
  const std::string other = directory_ / "other";
  fs::create_directories(other + "/recording");
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    RecordedProcess process(other + "/recording", rank, 2, test_clock());
    process->start();
    Event transfer;
    transfer.peer = static_cast<std::int32_t>(1 - rank);
    transfer.bytes = 64;
    process->event(rank == 0 ? EventKind::send : EventKind::recv, 100, 10, transfer);
    if (rank == 1) process->event(EventKind::recv, 200, 10, transfer);
    process->finish(300);
  }
  const std::string reason = "rank 1 waits forever to receive from rank 0";
  EXPECT_THAT(recover({other, "--delete-journals"}, 1),
              AllOf(HasSubstr("Phases (found"), testing::ContainsRegex("wormhole +- +failed"),
                    HasSubstr(reason), HasSubstr("kept in " + other + "/recording")));
  EXPECT_TRUE(fs::exists(other + "/report.json"));
  EXPECT_FALSE(fs::is_empty(other + "/recording"));
  ChildEnd end;
  const std::string text = output_of({HYBRID_COMMAND, "replay", other}, end);
  EXPECT_EQ(end.exit_code, 2) << text;
  EXPECT_THAT(text, AllOf(HasSubstr("Predictors"), HasSubstr("hybrid: " + other), HasSubstr(reason)));
}

TEST_F(Recover, NothingIsRemoved) {
  ASSERT_EQ(names_.size(), 4u);
  EXPECT_THAT(recover({job()}), AllOf(HasSubstr("2 ranks"), HasSubstr("kept in " + recording())));
  EXPECT_TRUE(fs::exists(job() + "/trace.otf2"));
  EXPECT_TRUE(fs::exists(job() + "/report.json"));
  EXPECT_THAT(names(), testing::UnorderedElementsAreArray(names_));
  // So that it can be done again, elsewhere.
  recover({job(), "--trace-only", "-o", directory_ / "again"});
  EXPECT_TRUE(fs::exists(directory_ / "again/trace.otf2"));
}

TEST_F(Recover, JournalsAreDeletedOnRequest) {
  EXPECT_THAT(recover({job(), "--trace-only", "--delete-journals"}), Not(HasSubstr("kept in")));
  EXPECT_TRUE(fs::exists(job() + "/trace.otf2"));
  EXPECT_FALSE(fs::exists(recording()));
}

TEST_F(Recover, OtherFilesAreKept) {
  const std::string notes = recording() + "/notes.txt";
  ASSERT_TRUE(fs::create_directory(notes));
  recover({job(), "--trace-only", "--delete-journals"});
  EXPECT_EQ(names(), std::vector<std::string>{"notes.txt"});
}

TEST_F(Recover, KeepingCanBeRequested) {
  recover({job(), "--trace-only", "--keep-journals"});
  EXPECT_THAT(names(), testing::UnorderedElementsAreArray(names_));
  EXPECT_THAT(recover({job(), "--keep-journals", "--delete-journals"}, 2), HasSubstr("--delete-journals"));
}

}  // namespace
}  // namespace hybrid
