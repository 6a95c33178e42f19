#include "emulator/replay/trace_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.h"
#include "core/temporary_directory.h"
#include "emulator/replay/testing/memory_trace.h"

namespace hybrid {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// A format of this test alone: a file that ends in .ranks and has the number of ranks, or a directory that
/// ends so.
class RanksFormat final : public TraceFormat {
 public:
  bool recognises(const std::string& path) const override { return path.ends_with(".ranks"); }
  std::string_view expected() const override { return "a number of ranks, in a file that ends in .ranks"; }
  std::unique_ptr<JobTrace> open(const std::string& path) const override {
    std::uint32_t ranks = 7;
    std::ifstream(path) >> ranks;
    return std::make_unique<MemoryTrace>(std::filesystem::is_directory(path) ? 7 : ranks);
  }
};

const TraceFormatRegistration kRanks{
    "test-ranks", "of trace_format_test.cpp",
    []() -> std::unique_ptr<TraceFormat> { return std::make_unique<RanksFormat>(); }};

class TraceFormats : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { std::ofstream(directory / name) << text; }
  static std::string error_of(const std::string& path) {
    try {
      open_trace(path);
    } catch (const UserError& e) {
      return e.what();
    }
    return "no error";
  }

  const TemporaryDirectory directory;
};

TEST_F(TraceFormats, ARegisteredFormatOpensTheFilesThatItRecognises) {
  write("job.ranks", "3");
  EXPECT_EQ(open_trace(directory / "job.ranks")->ranks(), 3u);
  write("notes.txt", "no trace");
  EXPECT_EQ(open_trace(directory.path())->ranks(), 3u) << "the only trace of the directory";
}

TEST_F(TraceFormats, ATraceMayBeADirectory) {
  std::filesystem::create_directory(directory / "job.ranks");
  EXPECT_EQ(open_trace(directory / "job.ranks")->ranks(), 7u);
  EXPECT_EQ(open_trace(directory.path())->ranks(), 7u);
}

TEST_F(TraceFormats, TracesOfTwoFormatsInOneDirectoryAreNamed) {
  write("a.ranks", "3");
  write("b.otf2", "");
  EXPECT_THAT(error_of(directory.path()), HasSubstr("2 traces in this directory: a.ranks, b.otf2"));
}

TEST_F(TraceFormats, AnErrorNamesTheKnownFormats) {
  write("job.csv", "1,2");
  const auto names_the_formats =
      AllOf(HasSubstr("otf2 (the anchor file of an OTF2 archive, which ends in .otf2)"),
            HasSubstr("test-ranks (a number of ranks, in a file that ends in .ranks)"));
  EXPECT_THAT(error_of(directory / "job.csv"),
              AllOf(HasSubstr("job.csv: not a trace that can be replayed"), names_the_formats));
  write("job.tar.xz", "");
  EXPECT_THAT(error_of(directory / "job.tar.xz"), HasSubstr("It is an archive: unpack it"));
  EXPECT_THAT(error_of(directory.path()), AllOf(HasSubstr("no trace in this directory"), names_the_formats));
  std::filesystem::create_directory(directory / "run-1");
  EXPECT_THAT(error_of(directory.path()), HasSubstr("Name its runs: " + directory.path() + "/run-1"));
  EXPECT_THAT(error_of(directory / "missing.otf2"), HasSubstr("missing.otf2: no such file or directory"));
}

}  // namespace
}  // namespace hybrid
