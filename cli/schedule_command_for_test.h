// `hybrid schedule` as a user meets it, for tests: the built command as a process, in a folder of the test's
// own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/child.h"
#include "cli/testing/built_command.h"
#include "core/temporary_directory.h"

namespace hybrid {

class ScheduleCommandTest : public testing::Test {
 protected:
  static std::string output(std::vector<std::string> words, int code = 0) {
    words.insert(words.begin(), {HYBRID_COMMAND, "schedule"});
    ChildEnd end;
    std::string text = output_of(words, end);
    EXPECT_EQ(end.exit_code, code) << text;
    return text;
  }
  static std::string refused(const std::vector<std::string>& words) {
    const auto files =
        std::distance(std::filesystem::directory_iterator("."), std::filesystem::directory_iterator{});
    std::string text = output(words, 2);
    EXPECT_THAT(text, testing::StartsWith("hybrid: "));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator("."), std::filesystem::directory_iterator{}),
              files)
        << text;
    return text;
  }
  static nlohmann::json json(std::vector<std::string> words) {
    words.insert(words.end(), {"--json", "-"});
    return nlohmann::json::parse(output(words));
  }
  /// The result of a run of one scheduler.
  static nlohmann::json result(std::vector<std::string> words) { return only(json(std::move(words))); }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static nlohmann::json read(const std::string& path) { return nlohmann::json::parse(std::ifstream(path)); }

  const TemporaryWorkingDirectory root_;
};

}  // namespace hybrid
