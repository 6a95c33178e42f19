#include "core/new_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/temporary_directory.h"

namespace hybrid {
namespace {

class NewFileTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const TemporaryDirectory folder_;
};

TEST_F(NewFileTest, AppearsComplete) {
  NewFile file(path("a"));
  ASSERT_TRUE(file.begin());
  std::fputs("all of it", file.stream());
  EXPECT_FALSE(std::filesystem::exists(path("a")));
  ASSERT_TRUE(file.finish());
  EXPECT_EQ(text_of(path("a")), "all of it");
  EXPECT_EQ(files(), 1u);
}

TEST_F(NewFileTest, AnUnfinishedFileIsRemoved) {
  {
    NewFile file(path("a"));
    ASSERT_TRUE(file.begin());
    std::fputs("some of it", file.stream());
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(NewFileTest, NeverOverwritesAFile) {
  NewFile late(path("a"));
  ASSERT_TRUE(late.begin());
  std::ofstream(path("a")) << "old";
  EXPECT_FALSE(late.finish());
  EXPECT_EQ(errno, EEXIST);
  NewFile file(path("a"));
  EXPECT_FALSE(file.begin());
  EXPECT_EQ(errno, EEXIST);
  std::filesystem::create_symlink("nowhere", path("link"));
  EXPECT_FALSE(NewFile(path("link")).begin());
  EXPECT_EQ(text_of(path("a")), "old");
  EXPECT_EQ(files(), 2u);
}

TEST_F(NewFileTest, NeedsAValidFileName) {
  EXPECT_FALSE(NewFile(path(std::string(300, 'a'))).begin());
  EXPECT_EQ(errno, ENAMETOOLONG);
}

TEST_F(NewFileTest, NeedsAnExistingFolder) {
  EXPECT_FALSE(NewFile(path("no/such")).begin());
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(NewFileTest, DoesNotAppearIfTheProgramIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    NewFile file(path("a"));
    if (file.begin()) std::fputs("some of it", file.stream());
    std::fflush(file.stream());
    std::raise(SIGINT);
    std::_Exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(std::filesystem::exists(path("a")));
  NewFile again(path("a"));
  EXPECT_TRUE(again.begin());
}

}  // namespace
}  // namespace hybrid
