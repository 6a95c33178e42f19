#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "core/error.h"
#include "libhybrid/options/job_options.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ConfigFile : public testing::Test {
 protected:
  ConfigFile() { add_job_options(table_, options_); }
  ~ConfigFile() override { std::remove(path_.c_str()); }

  void write(const std::string& text) { std::ofstream(path_) << text; }
  void apply(const std::string& text) {
    write(text);
    apply_config_file(path_, table_);
  }
  std::string error_of(const std::string& text) {
    try {
      apply(text);
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::string path_ = testing::TempDir() + "config_file_test_" + std::to_string(::getpid()) + ".toml";
  JobOptions options_;
  OptionTable table_;
};

TEST_F(ConfigFile, TakesStringsNumbersBooleansAndArrays) {
  apply(
      "slot-length = '200ns'\nbuffer = 4096\nquiet = true\nlive = false\n"
      "slots = [2, 4]\ntechnique = ['wormhole', 'hybrid']\n");
  EXPECT_EQ(options_.network.slot_length, nanoseconds(200));
  EXPECT_EQ(options_.network.buffer, 4096u);
  EXPECT_TRUE(options_.quiet);
  EXPECT_FALSE(options_.live);
  EXPECT_THAT(options_.slot_counts, ElementsAre(2u, 4u));
  EXPECT_THAT(options_.techniques, ElementsAre("wormhole", "hybrid"));
}

TEST_F(ConfigFile, AlgorithmsMayBeATable) {
  apply("[algorithm]\nallreduce = 'ring'\nbcast = 'binomial'\n");
  EXPECT_EQ(options_.replay.algorithms.at("allreduce"), "ring");
  EXPECT_EQ(options_.replay.algorithms.at("bcast"), "binomial");
}

TEST_F(ConfigFile, KeysWinOverAPreset) {
  apply("slot-length = '300ns'\npreset = 'ch4'\n");
  EXPECT_EQ(options_.network.slot_length, nanoseconds(300));
}

TEST_F(ConfigFile, ErrorsNameFileLineAndColumn) {
  EXPECT_THAT(
      error_of("clock = 'cpu'\nslot-lenght = '1us'\n"),
      AllOf(HasSubstr(path_ + ":2:1"), HasSubstr("slot-lenght"), HasSubstr("Did you mean 'slot-length'?")));
  EXPECT_THAT(error_of("slot-length = 100\n"),
              AllOf(HasSubstr(path_ + ":1:15"), HasSubstr("'100' is not a time")));
  EXPECT_THAT(error_of("clock = \n"), HasSubstr(path_ + ":1:"));
  EXPECT_THAT(error_of("clock = 1979-05-27\n"),
              HasSubstr("'clock' has a value of a type that no option takes"));
  EXPECT_THAT(error_of("config = 'other.toml'\n"), HasSubstr("cannot name another one"));
}

TEST_F(ConfigFile, AnUnknownKeyChangesNothing) {
  EXPECT_NE(error_of("clock = 'cpu'\nunheard-of = 1\n"), "accepted");
  EXPECT_EQ(options_.clock, "auto");
}

TEST_F(ConfigFile, RejectsAMissingFileAndADirectory) {
  EXPECT_THROW(apply_config_file(path_, table_), UserError);
  EXPECT_THROW(apply_config_file(testing::TempDir(), table_), UserError);
}

TEST_F(ConfigFile, IsAnOptionOfItsTable) {
  write("slots = 7\n");
  table_.set("config", path_, "--config");
  EXPECT_EQ(options_.network.slots, 7u);
}

}  // namespace
}  // namespace hybrid
