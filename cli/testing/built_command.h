// For tests: runs the built command as a user would.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/child.h"

namespace hybrid {

/// What `hybrid` with these words prints, at most 64 KiB. It must end with exit code `code`.
inline std::string output(std::vector<std::string> words, int code = 0) {
  words.insert(words.begin(), HYBRID_COMMAND);
  ChildEnd end;
  std::string text = output_of(words, end);
  EXPECT_EQ(end.exit_code, code) << text;
  return text;
}

/// The only result of a command's array.
inline nlohmann::json only(const nlohmann::json& results) {
  EXPECT_TRUE(results.is_array()) << results;
  EXPECT_EQ(results.size(), 1u) << results;
  return results.at(0);
}

}  // namespace hybrid
