#include "libhybrid/report/output_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "core/testing/temporary_directory.h"

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

}  // namespace
}  // namespace hybrid
