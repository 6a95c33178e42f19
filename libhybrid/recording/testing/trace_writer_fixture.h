// Fixture for tests of the trace writer: makes a recording and reads the trace that is written from it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/replay/operation.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/recording/testing/recorded_process.h"
#include "libhybrid/recording/trace_writer.h"

namespace hybrid {

class TraceWriter : public testing::Test {
 protected:
  TraceWriter() { std::filesystem::create_directory(output()); }
  std::string output() const { return directory_ / "out"; }
  void ranks(std::uint32_t count) {
    for (std::uint32_t r = 0; r < count; ++r) {
      processes_.push_back(std::make_unique<RecordedProcess>(directory_.path(), r, count, test_clock()));
      rank(r)->start();
    }
  }
  RecordedProcess& rank(std::uint32_t r) { return *processes_.at(r); }

  TraceSummary write(const TraceProgress& progress = {}) {
    processes_.clear();
    return write_trace(directory_.path(), output(), progress);
  }
  std::unique_ptr<JobTrace> open() {
    const TraceSummary summary = write();
    return open_trace(summary.anchor);
  }

  TemporaryDirectory directory_;
  std::vector<std::unique_ptr<RecordedProcess>> processes_;
};

/// Operations of a thread of a rank.
inline std::vector<Operation> operations(JobTrace& trace, std::uint32_t rank, std::uint32_t thread = 0) {
  std::uint32_t seen = 0;
  for (std::uint32_t l = 0; l < trace.locations().size(); ++l) {
    if (trace.locations()[l].rank != rank || seen++ != thread) continue;
    std::vector<Operation> all;
    Operation operation;
    while (trace.next(l, operation)) all.push_back(operation);
    return all;
  }
  ADD_FAILURE() << "no location of rank " << rank;
  return {};
}

inline std::vector<Operation::Kind> kinds(const std::vector<Operation>& all) {
  std::vector<Operation::Kind> result;
  for (const Operation& o : all) result.push_back(o.kind);
  return result;
}

/// Output of otf2-print for the archive. nullopt: it is not installed.
inline std::optional<std::string> printed(const std::string& anchor, const std::string& options = "") {
  const std::string command = "otf2-print " + options + " '" + anchor + "' 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): the path is from the test
  if (pipe == nullptr) return std::nullopt;
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (status != 0 && text.find("not found") != std::string::npos) return std::nullopt;
  EXPECT_EQ(status, 0) << text;
  return text;
}

}  // namespace hybrid
