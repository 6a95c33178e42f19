// Archives that are damaged, incomplete or foreign.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.h"
#include "emulator/replay/operation.h"
#include "emulator/replay/testing/archive.h"
#include "emulator/replay/trace_format.h"

namespace hybrid {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

/// The error of opening the trace or of reading all its operations.
std::string reading_error_of(const std::string& path) {
  try {
    const auto trace = open_trace(path);
    Operation operation;
    for (std::uint32_t l = 0; l < trace->locations().size(); ++l)
      while (trace->next(l, operation)) {
      }
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Otf2Reader, RefusesTimesThatNoRunReaches) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "t", 1);
  archive.call(0, 100, 110, "MPI_Init");
  archive.call(0, 120, ~std::uint64_t{0} - 9, "MPI_Barrier");
  archive.close();
  EXPECT_THAT(reading_error_of(directory.path()),
              HasSubstr("t/0.evt (rank 0), event 4: more than 26 days after"));
}

class DamagedArchive : public testing::Test {
 protected:
  DamagedArchive() {
    TestArchive archive(directory.path(), "t", 2);
    for (std::uint64_t i = 0; i < 2000; ++i)
      archive.call(1, 10 * i, 10 * i + 5, "MPI_Send",
                   [&](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 10 * i, 0, 0, 0, i); });
    archive.close();
  }
  TemporaryDirectory directory;
};

TEST_F(DamagedArchive, IsReadAsWritten) { EXPECT_EQ(reading_error_of(directory.path()), "no error"); }

TEST_F(DamagedArchive, AMissingTraceIsNamed) {
  EXPECT_THAT(reading_error_of(directory / "other.otf2"), HasSubstr("other.otf2: no such file"));
  fs::create_directory(directory / "empty");
  EXPECT_THAT(reading_error_of(directory / "empty"), HasSubstr("no trace in this directory"));
}

TEST_F(DamagedArchive, SeveralTracesAreNamed) {
  fs::copy(directory / "t.otf2", directory / "u.otf2");
  EXPECT_THAT(reading_error_of(directory.path()), HasSubstr("2 traces in this directory: t.otf2, u.otf2"));
}

TEST_F(DamagedArchive, ForeignAndEmptyAnchorsAreRefused) {
  std::ofstream(directory / "text.otf2") << "hello, this is no archive\n";
  EXPECT_THAT(reading_error_of(directory / "text.otf2"), HasSubstr("not the anchor file of an OTF2 archive"));
  std::ofstream(directory / "empty.otf2").close();
  EXPECT_THAT(reading_error_of(directory / "empty.otf2"), HasSubstr("the file is empty"));
  std::ofstream(directory / "t.csv") << "1,2\n";
  EXPECT_THAT(reading_error_of(directory / "t.csv"), HasSubstr("not a trace that can be replayed"));
}

/// If a string has lost its end, other bytes are read as the number of properties: millions of them.
TEST_F(DamagedArchive, AnAnchorThatStatesMoreThanItHasIsRefused) {
  const std::string path = directory / "t.otf2";
  std::ifstream whole(path, std::ios::binary);
  std::string anchor((std::istreambuf_iterator<char>(whole)), {});
  constexpr std::size_t kMachine = 46;
  std::size_t number = kMachine;  // position of the number of properties, behind three strings
  for (int string = 0; string < 3; ++string) number = anchor.find('\0', number) + 1;
  std::size_t at = kMachine;
  for (int string = 0; string < 3; ++string) {
    at = anchor.find('\0', at) + 1;
    std::string damaged = anchor;
    damaged[at - 1] = '\xff';
    damaged.insert(number + 1, 4, '\x70');  // read as the number; its first byte ends the third string
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_THAT(reading_error_of(path), HasSubstr("states more properties than it has")) << string;
  }
  anchor[at + 3] = '\x01';  // 2^24 properties
  std::ofstream(path, std::ios::binary) << anchor;
  EXPECT_THAT(reading_error_of(path), HasSubstr("states more properties than it has"));
}

TEST_F(DamagedArchive, TruncationIsFoundAnywhere) {
  for (const char* file : {"t.otf2", "t.def", "t/1.evt"}) {
    const std::uintmax_t size = fs::file_size(directory / file);
    const std::string whole = directory / "whole";
    fs::copy_file(directory / file, whole, fs::copy_options::overwrite_existing);
    for (const double part : {0.0, 0.1, 0.5, 0.9}) {
      fs::resize_file(directory / file, static_cast<std::uintmax_t>(part * static_cast<double>(size)));
      testing::internal::CaptureStderr();
      EXPECT_NE(reading_error_of(directory.path()), "no error") << file << " truncated to " << part;
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << file << " truncated to " << part;
    }
    fs::copy_file(whole, directory / file, fs::copy_options::overwrite_existing);
  }
}

TEST_F(DamagedArchive, AMissingLocationIsNamed) {
  fs::remove(directory / "t/1.evt");
  EXPECT_THAT(reading_error_of(directory.path()),
              HasSubstr("t/1.evt: missing; it has the events of \"rank 1\""));
}

}  // namespace
}  // namespace hybrid
