// Fixture for tests that run `hybrid` on the traces under examples/traces, in a temporary directory.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/child.h"
#include "cli/testing/built_command.h"
#include "core/temporary_directory.h"

namespace hybrid {

class TraceCommands : public testing::Test {
 protected:
  /// The output of a command, which must end with exit code `code`.
  static std::string run(const std::vector<std::string>& words, int code = 0) {
    ChildEnd end;
    std::string text = output_of(words, end);
    EXPECT_EQ(end.exit_code, code) << text;
    return text;
  }
  static std::string hybrid(std::vector<std::string> words, int code = 0) {
    return output(std::move(words), code);
  }
  /// Unpacks a trace of examples/traces into the working directory.
  static void unpack(const std::string& trace) {
    run({"/usr/bin/env", "tar", "-xJf", std::filesystem::path(HYBRID_TRACES) / (trace + ".tar.xz")});
  }

 private:
  const TemporaryWorkingDirectory root_;
};

/// The result of a variant of `hybrid worth`; null if there is none.
inline nlohmann::json variant_of(const nlohmann::json& worth, std::string_view name) {
  for (const nlohmann::json& result : worth["results"])
    if (result["variant"] == name) return result;
  return {};
}

}  // namespace hybrid
