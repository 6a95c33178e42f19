// `hybrid schedule`: the options and files that it takes, and those that it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "cli/schedule_command_for_test.h"

namespace hybrid {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST_F(ScheduleCommandTest, UnusedOptionsAreRefused) {
  EXPECT_THAT(refused({"--pattern", "gather", "--density", "2"}),
              AllOf(HasSubstr("density: sets of pattern 'gather' have their own number"),
                    HasSubstr("leave --density out")));
  EXPECT_THAT(refused({"--hotspot", "0.5"}), HasSubstr("hotspot: sets of pattern 'random' have no hot spot"));
  EXPECT_THAT(refused({"--pattern", "skewed", "--sizes", "random"}), HasSubstr("sizes of their own"));
  EXPECT_THAT(refused({"--scheduler", "greedy,first-fit", "--steps", "3"}), HasSubstr("steps: none of"));
  EXPECT_THAT(refused({"--demand", "--steps", "3"}), HasSubstr("steps: none of"));
  EXPECT_THAT(refused({"--network", "fattree:2,4", "--steps", "3"}), HasSubstr("steps: none of"));
  const Json steps = json({"--scheduler", "greedy,matching", "--steps", "3", "--repeats", "1"});
  EXPECT_FALSE(steps[0].contains("steps"));
  EXPECT_EQ(steps[1]["steps"], 3);
}

TEST_F(ScheduleCommandTest, ReportsTheOptionsThatWereUsed) {
  const Json hot = result({"--pattern", "hotspot", "--hotspot", "0.5", "--scheduler", "greedy", "--sizes",
                           "random", "--repeats", "2"});
  EXPECT_EQ(hot["hotspot"], 0.5);
  EXPECT_EQ(hot["sizes"], "random");
  EXPECT_EQ(hot["density"], 1);
  EXPECT_FALSE(hot.contains("steps"));
  EXPECT_FALSE(hot.contains("preload"));
  const Json shift = result({"--pattern", "shift", "--scheduler", "greedy"});
  EXPECT_FALSE(shift.contains("density"));
  EXPECT_FALSE(shift.contains("hotspot"));
  EXPECT_EQ(shift["sizes"], "equal");
  EXPECT_THAT(output({"--pattern", "shift", "--scheduler", "greedy"}),
              AllOf(HasSubstr("1 set of shift, seed 1"), Not(HasSubstr("density"))));
}

TEST_F(ScheduleCommandTest, VariablesThatDoNotApplyAreIgnored) {
  ::setenv("HYBRID_SLOTS", "3", 1);
  ::setenv("HYBRID_PRELOAD", "missing.json", 1);
  ::setenv("HYBRID_STEPS", "3", 1);
  output({"--demand", "--nodes", "4", "--repeats", "1"});
  EXPECT_EQ(result({"--network", "fattree:2,2", "--scheduler", "optimal", "--repeats", "1"})["slots"], 3);
  for (const char* name : {"HYBRID_SLOTS", "HYBRID_PRELOAD", "HYBRID_STEPS"}) ::unsetenv(name);
}

TEST_F(ScheduleCommandTest, RequestFilesAndTheScheduleWritten) {
  write("set.csv", "source,destination,bytes\n4,0,10\n3,0,20\n2,4,30\n3,4,40\n");
  const Json greedy = result({"--requests", "set.csv", "--slots", "0", "--scheduler", "first-fit"});
  EXPECT_EQ(greedy["requests_file"], "set.csv");
  EXPECT_EQ(greedy["nodes"], 5);
  EXPECT_EQ(greedy["slots_used"]["mean"], 3);
  EXPECT_EQ(greedy["slots_needed"]["mean"], 2);
  output({"--requests", "set.csv", "--slots", "0", "--scheduler", "edge-colouring", "--output", "two.json"});
  const Json two = read("two.json");
  EXPECT_EQ(two["network"], "crossbar:5");
  ASSERT_EQ(two["slots"].size(), 2u);
  EXPECT_TRUE(two["left_out"].empty());
  // One slot: 3 -> 4 and 4 -> 0 carry 50; 3 -> 0 and 2 -> 4 also 50.
  const Json one = result({"--requests", "set.csv", "--scheduler", "edge-colouring", "--output", "one.json"});
  EXPECT_EQ(one["bytes_served"]["mean"], 0.5);
  EXPECT_EQ(read("one.json")["left_out"].size(), 2u);
}

TEST_F(ScheduleCommandTest, PreloadedSlotsAreKept) {
  write("set.csv", "4,0,10\n3,0,20\n2,4,30\n3,4,40\n");
  // 3 -> 0 is preloaded beside 1 -> 2, which is not requested; the others need two slots, 2 -> 4 and 3 -> 4.
  write("fixed.json", R"({"slots": [[[3, 0], [1, 2]]]})");
  const std::vector<std::string> words{"--requests", "set.csv", "--preload", "fixed.json", "--slots", "0"};
  for (const Json& one : json(words)) {
    EXPECT_EQ(one["slots_used"]["mean"], 3) << one["scheduler"];
    EXPECT_EQ(one["slots_needed"]["mean"], 3);
    EXPECT_EQ(one["schedulability"]["mean"], 1);
    EXPECT_EQ(one["preload"], "fixed.json");
  }
  EXPECT_THAT(output(words), AllOf(HasSubstr("those of fixed.json included: 3.0"),
                                   Not(HasSubstr("most requests of a port"))));
  auto written = words;
  written.insert(written.end(), {"--scheduler", "edge-colouring", "--output", "all.json"});
  output(written);
  EXPECT_EQ(read("all.json")["slots"][0], Json::parse("[[1, 2], [3, 0]]"));
  // Two slots in all: the better of 2 -> 4 and 3 -> 4, with 4 -> 0.
  const Json two = result(
      {"--requests", "set.csv", "--preload", "fixed.json", "--slots", "2", "--scheduler", "edge-colouring"});
  EXPECT_EQ(two["bytes_served"]["mean"], 0.7);
}

TEST_F(ScheduleCommandTest, BadPreloads) {
  const auto said = [&](const char* text) {
    write("fixed.json", text);
    return refused({"--nodes", "4", "--slots", "4", "--preload", "fixed.json"});
  };
  EXPECT_THAT(said("{"), AllOf(HasSubstr("fixed.json"), HasSubstr("line 1")));
  EXPECT_THAT(said("[]"), HasSubstr("no array \"slots\""));
  EXPECT_THAT(said(R"({"slots": [7]})"), HasSubstr("slot 0 is not an array"));
  EXPECT_THAT(said(R"({"slots": [[[0, 4]]]})"), HasSubstr("slot 0, connection [0,4]: the last port is 3"));
  EXPECT_THAT(said(R"({"slots": [[], [[0, 1], [0, 2]]]})"),
              HasSubstr("slot 1, connection [0,2]: one of its ports"));
  EXPECT_THAT(said(R"({"slots": [[[0]]]})"), HasSubstr("not a pair"));
  EXPECT_THAT(said(R"({"slots": [[], [], [], [], []]})"),
              HasSubstr("slots: 5 are preloaded, but there are 4"));
  EXPECT_THAT(refused({"--preload", "missing.json"}), HasSubstr("missing.json: no such file"));
  EXPECT_THAT(refused({"--preload", "."}), AllOf(HasSubstr("'.' is a directory"), HasSubstr("--output")));
  constexpr std::size_t kDeep = 300'000;
  const std::string deep = "{\"slots\": [[" + std::string(kDeep, '[') + std::string(kDeep, ']') + "]]}";
  EXPECT_THAT(said(deep.c_str()), HasSubstr("connection an array of others: not a pair"));
  EXPECT_THAT(said(R"({"slots": [[[0, 1e999]]]})"), HasSubstr("fixed.json"));
  write("fixed.json", R"({"slots": [[]]})");
  EXPECT_THAT(refused({"--demand", "--preload", "fixed.json"}), HasSubstr("those of a crossbar"));
}

TEST_F(ScheduleCommandTest, AnExistingFileIsKept) {
  write("old.json", "precious");
  EXPECT_THAT(refused({"--scheduler", "greedy", "--output", "old.json"}),
              HasSubstr("'old.json' exists already"));
  std::string kept;
  std::ifstream("old.json") >> kept;
  EXPECT_EQ(kept, "precious");
}

TEST_F(ScheduleCommandTest, BadRequestFiles) {
  write("range.csv", "0,1\n2,9\n");
  EXPECT_THAT(refused({"--requests", "range.csv", "--nodes", "8"}),
              HasSubstr("range.csv:2:3: there is no port 9"));
  write("twice.json", "[[0,1],\n [0,1]]");
  EXPECT_THAT(refused({"--requests", "twice.json"}), HasSubstr("twice.json:2:3: 0 -> 1"));
  write("self.csv", "3,3\n");
  EXPECT_THAT(refused({"--requests", "self.csv"}), HasSubstr("self.csv:1:3: port 3 requests itself"));
  write("empty.csv", "# nothing\n");
  EXPECT_THAT(refused({"--requests", "empty.csv"}), HasSubstr("empty.csv:1:1: the file contains no request"));
  write("sizes.csv", "0,1,9999999999999999\n");
  EXPECT_THAT(refused({"--requests", "sizes.csv"}), HasSubstr("sizes.csv:1:5:"));
  write("large.csv", "0,100000\n");
  EXPECT_THAT(refused({"--requests", "large.csv"}), HasSubstr("100001 ports is too large"));
  write("unknown.csv", "0,1\n");
  EXPECT_THAT(refused({"--requests", "unknown.csv", "--demand"}), HasSubstr("no request has bytes"));
  write("good.csv", "0,1,1T\n");
  EXPECT_THAT(refused({"--requests", "good.csv", "--demand", "--link-rate", "1000b/s"}), HasSubstr("days"));
  EXPECT_THAT(refused({"--demand", "--pattern", "gather", "--nodes", "11700"}),
              HasSubstr("too many to store"));
  EXPECT_THAT(
      refused({"--demand", "--pattern", "gather", "--nodes", "11700", "--scheduler", "best-first-fit"}),
      HasSubstr("too many to store"));
  EXPECT_THAT(refused({"--requests", "missing.csv"}), HasSubstr("missing.csv: no such file"));
  EXPECT_THAT(refused({"--requests", "good.csv", "--density", "2"}), HasSubstr("density: with --requests"));
}

TEST_F(ScheduleCommandTest, BadNetworks) {
  EXPECT_THAT(refused({"--network", "ring:8"}), HasSubstr("fattree:L,W[,M]"));
  EXPECT_THAT(refused({"--network", "crossbar:many"}), HasSubstr("'many'"));
  EXPECT_THAT(refused({"--network", "crossbar:1"}), HasSubstr("from 2 to"));
  EXPECT_THAT(refused({"--network", "fattree:7,64"}), HasSubstr("more than 16777216 nodes"));
  EXPECT_THAT(refused({"--network", "fattree:6,2,16"}), HasSubstr("16777216 node(s)"));
  EXPECT_THAT(refused({"--network", "fattree:9,2"}), HasSubstr("levels"));
  EXPECT_THAT(refused({"--network", "fattree:0,2"}), HasSubstr("levels"));
  EXPECT_THAT(refused({"--network", "fattree:3,2,1"}), HasSubstr("has 1 node(s)"));
  EXPECT_THAT(refused({"--network", "fattree:3"}), HasSubstr("1 numbers, where two or three are expected"));
  EXPECT_THAT(refused({"--network", "fattree:2,4", "--demand"}), HasSubstr("drained through a crossbar"));
  EXPECT_THAT(refused({"--network", "fattree:3,2048,2"}),
              AllOf(HasSubstr("turn-back: the top of fattree:3,2048,2 has 8589934592 wires"),
                    HasSubstr("--scheduler")));
  EXPECT_THAT(
      refused({"--network", "crossbar:-3"}),
      AllOf(testing::StartsWith("hybrid: --network: crossbar:N: '-3'"), HasSubstr("from 2 to 16384")));
  EXPECT_THAT(refused({"--network", "ring"}), testing::StartsWith("hybrid: --network: 'ring' is not"));
  EXPECT_THAT(refused({"--nodes", "100000"}), HasSubstr("Give a whole number from 2 to 16384."));
  EXPECT_THAT(refused({"--slots", "-1"}), HasSubstr("Give a whole number from 0 to"));
  EXPECT_THAT(refused({"--network", "fattree:2,4", "--scheduler", "greedy"}),
              HasSubstr("cannot schedule a fat tree"));
  EXPECT_THAT(refused({"--network", "crossbar:8", "--nodes", "9"}),
              HasSubstr("Leave --nodes or --network out"));
}

TEST_F(ScheduleCommandTest, BadCombinations) {
  EXPECT_THAT(refused({"--scheduler", "gredy"}), HasSubstr("Did you mean 'greedy'?"));
  EXPECT_THAT(
      refused({"--scheduler", "solstice"}),
      AllOf(HasSubstr("'solstice' cannot schedule slots of a crossbar"), HasSubstr("edge-colouring")));
  EXPECT_THAT(refused({"--demand", "--scheduler", "greedy"}), HasSubstr("cannot schedule a demand"));
  EXPECT_THAT(refused({"--partial"}), HasSubstr("Give --demand too"));
  EXPECT_THAT(refused({"--demand", "--slots", "3"}), HasSubstr("Leave --slots or --demand out"));
  EXPECT_THAT(refused({"--pattern", "randon"}), HasSubstr("Did you mean 'random'?"));
  EXPECT_THAT(refused({"--nodes", "8", "--density", "9"}), HasSubstr("Give at most 7"));
  EXPECT_THAT(refused({"--repeats", "0"}), HasSubstr("repeats: 0"));
  EXPECT_THAT(refused({"--demand", "--packet-plane", "2"}), HasSubstr("packet-plane: 2"));
  EXPECT_THAT(refused({"--sizes", "odd"}), HasSubstr("'odd'"));
  EXPECT_THAT(refused({"--output", "x.json"}), HasSubstr("one schedule"));
  EXPECT_THAT(refused({"--scheduler", "greedy", "--repeats", "2", "--output", "x.json"}),
              HasSubstr("one schedule"));
  EXPECT_THAT(refused({"--scheduler", "greedy", "--output", "no/such/x.json"}), HasSubstr("cannot create"));
}

}  // namespace
}  // namespace hybrid
