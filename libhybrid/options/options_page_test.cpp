#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "libhybrid/options/job_options.h"

namespace hybrid {
namespace {

TEST(OptionsPage, MatchesTheOptionTable) {
  const auto page = std::filesystem::path(HYBRID_SOURCES) / "docs/options.md";
  std::ifstream file(page);
  ASSERT_TRUE(file) << "no docs/options.md: hybrid list --options --markdown > docs/options.md";
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, options_page()) << "stale: hybrid list --options --markdown > docs/options.md";
}

}  // namespace
}  // namespace hybrid
