// `hybrid schedule` as a user meets it: the built command as a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/child.h"
#include "core/testing/temporary_directory.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

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
    const auto files = std::distance(fs::directory_iterator("."), fs::directory_iterator{});
    std::string text = output(words, 2);
    EXPECT_THAT(text, testing::StartsWith("hybrid: "));
    EXPECT_EQ(std::distance(fs::directory_iterator("."), fs::directory_iterator{}), files) << text;
    return text;
  }
  static Json json(std::vector<std::string> words) {
    words.insert(words.end(), {"--json", "-"});
    return Json::parse(output(words));
  }
  static void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static Json read(const std::string& path) { return Json::parse(std::ifstream(path)); }

  const TemporaryWorkingDirectory root_;
};

// D 6.5 for N = 16, K = 3: N x N gates hold a step's matrix, K of them the whole search's; 2 K + 1 cycles.
TEST_F(ScheduleCommandTest, HardwareOfThePapersDesigns) {
  const std::vector<std::string> matching{"--nodes", "16", "--scheduler", "matching,exact", "--steps", "3"};
  std::vector<std::string> shown = matching;
  shown.emplace_back("--hardware");
  EXPECT_THAT(output(shown), testing::ContainsRegex("matrix processor \\(D 6.5.2\\) +7 +256 +256 +768 +yes"));
  EXPECT_THAT(output(matching), Not(HasSubstr("processor")));
  const Json result = json(matching);
  EXPECT_EQ(result[0]["hardware"][2]["cycles"], 7 * 16);
  EXPECT_FALSE(result[1].contains("hardware"));
  EXPECT_THAT(refused({"--nodes", "16", "--scheduler", "exact", "--hardware"}),
              AllOf(HasSubstr("no design"), HasSubstr("Name matching among them")));
  EXPECT_THAT(refused({"--network", "fattree:2,4", "--hardware"}), HasSubstr("no design"));
}

TEST_F(ScheduleCommandTest, ComparesWhatCanByDefault) {
  const std::string text = output({"--nodes", "16", "--repeats", "3"});
  EXPECT_THAT(text,
              AllOf(HasSubstr("greedy"), HasSubstr("first-fit"), HasSubstr("edge-colouring"),
                    HasSubstr("checked: no schedule"), HasSubstr("3 sets of random, density 1, seed 1")));
  EXPECT_THAT(text, Not(HasSubstr("solstice")));
  EXPECT_THAT(
      output({"--demand", "--nodes", "8", "--repeats", "2", "--reconfiguration", "1us"}),
      AllOf(HasSubstr("solstice"), HasSubstr("eclipse"), HasSubstr("birkhoff"), HasSubstr("best-first-fit"),
            HasSubstr("checked: every schedule was replayed"), Not(HasSubstr("greedy"))));
}

TEST_F(ScheduleCommandTest, StableKeysOfOneAndOfSeveral) {
  const Json one =
      json({"--scheduler", "greedy", "--nodes", "16", "--density", "4", "--repeats", "5", "--seed", "9"});
  ASSERT_TRUE(one.is_object());
  EXPECT_EQ(one["scheduler"], "greedy");
  EXPECT_EQ(one["network"], "crossbar:16");
  EXPECT_EQ(one["nodes"], 16);
  EXPECT_EQ(one["seed"], 9);
  EXPECT_EQ(one["repeats"], 5);
  EXPECT_EQ(one["checked"], true);
  EXPECT_EQ(one["requests"]["mean"], 64);
  EXPECT_GT(one["ns_per_request"].get<double>(), 0);
  for (const char* key : {"mean", "min", "max"}) EXPECT_TRUE(one["schedulability"].contains(key));
  EXPECT_LE(one["schedulability"]["max"].get<double>(), 0.25);
  const Json several = json({"--scheduler", "greedy,first-fit", "--nodes", "16", "--repeats", "2"});
  ASSERT_TRUE(several.is_array());
  EXPECT_EQ(several.size(), 2u);
  EXPECT_EQ(several[1]["scheduler"], "first-fit");
}

TEST_F(ScheduleCommandTest, TheExactOnesAreAtLeastAsGood) {
  const Json all =
      json({"--nodes", "24", "--density", "3", "--slots", "2", "--sizes", "random", "--repeats", "20"});
  Json exact;
  for (const Json& one : all)
    if (one["scheduler"] == "edge-colouring") exact = one;
  ASSERT_FALSE(exact.is_null());
  for (const Json& one : all) {
    EXPECT_LE(one["bytes_served"]["mean"], exact["bytes_served"]["mean"]) << one["scheduler"];
    EXPECT_EQ(one["slots_used"]["max"], 2) << one["scheduler"];
  }
  for (const Json& one : json({"--nodes", "24", "--density", "3", "--slots", "0", "--repeats", "20"})) {
    EXPECT_EQ(one["schedulability"]["min"], 1) << one["scheduler"];
    EXPECT_GE(one["slots_used"]["mean"], one["slots_needed"]["mean"]) << one["scheduler"];
  }
}

TEST_F(ScheduleCommandTest, EdgeColouringUsesAsManySlotsAsTheBusiestPortHasRequests) {
  for (const char* seed : {"1", "2", "3"}) {
    const std::string file = std::string("schedule") + seed + ".json";
    const Json said = json({"--nodes", "24", "--density", "3", "--slots", "0", "--seed", seed, "--scheduler",
                            "edge-colouring", "--output", file});
    std::map<int, int> sends, receives;
    int most = 0;
    const Json written = read(file);
    for (const Json& slot : written["slots"]) {
      EXPECT_FALSE(slot.empty());
      for (const Json& c : slot) most = std::max({most, ++sends[c[0]], ++receives[c[1]]});
    }
    EXPECT_EQ(written["slots"].size(), static_cast<std::size_t>(most));
    EXPECT_EQ(said["slots_used"]["mean"], most);
    EXPECT_EQ(said["slots_needed"]["mean"], most);
  }
}

TEST_F(ScheduleCommandTest, ARequestWithoutSizeCountsAsOneByteEverywhere) {
  write("mixed.csv", "0,1,1\n0,2\n3,1\n");
  const auto served = [&](const char* scheduler) {
    return json({"--requests", "mixed.csv", "--scheduler", scheduler})["bytes_served"]["mean"].get<double>();
  };
  EXPECT_DOUBLE_EQ(served("first-fit"), 1.0 / 3);  // 0 -> 1 meets both others
  EXPECT_DOUBLE_EQ(served("edge-colouring"), 2.0 / 3);
  // Each is drained: 8 b/s carry a byte in a second.
  const Json drained =
      json({"--requests", "mixed.csv", "--demand", "--link-rate", "8b/s", "--scheduler", "best-first-fit"});
  EXPECT_EQ(drained["drain_ns"]["mean"], 2e9);
  write("none.csv", "0,1\n0,2\n");
  EXPECT_FALSE(json({"--requests", "none.csv", "--scheduler", "first-fit"}).contains("bytes_served"));
  write("zero.csv", "0,1,1\n0,2,0\n");
  EXPECT_THAT(refused({"--requests", "zero.csv"}), HasSubstr("zero.csv:2:5: a request of 0 bytes"));
}

TEST_F(ScheduleCommandTest, BytesThatCouldNotBeSummed) {
  for (const char* message : {"unlimited", "1048576T", "9223372036854775808"})
    EXPECT_THAT(refused({"--pattern", "skewed", "--message", message}),
                AllOf(HasSubstr("message: "), HasSubstr("Give at most 1 TiB")));
  EXPECT_THAT(refused({"--message", "much"}), Not(HasSubstr("unlimited")));
  EXPECT_LE(json({"--pattern", "skewed", "--message", "1T", "--scheduler", "first-fit", "--repeats",
                  "2"})["bytes_served"]["max"],
            1);
}

TEST_F(ScheduleCommandTest, SlotsOfAFatTree) {
  // Nodes are shared; two requests of node 0 and three to node 5.
  write("set.csv", "0,5,10\n0,9,20\n1,5,30\n2,5,40\n3,12,50\n");
  const std::vector<std::string> words{"--network", "fattree:2,4", "--requests", "set.csv", "--slots", "0"};
  const Json all = json(words);
  std::set<std::string> names;
  for (const Json& one : all) {
    names.insert(one["scheduler"]);
    EXPECT_EQ(one["schedulability"]["min"], 1) << one["scheduler"];
    EXPECT_EQ(one["slots_needed"]["mean"], 3) << one["scheduler"];
    EXPECT_GE(one["slots_used"]["mean"], 3) << one["scheduler"];
    EXPECT_EQ(one["checked"], true);
    if (one["scheduler"] == "optimal") {
      EXPECT_EQ(one["slots_used"]["mean"], 3);
    }
  }
  for (const char* name : {"first-fit", "optimal", "level-wise", "turn-back"})
    EXPECT_TRUE(names.contains(name)) << name;
  // One slot: at best 0 -> 9, 2 -> 5 and 3 -> 12, of 150 bytes 110.
  auto one_slot = words;
  one_slot.back() = "1";
  one_slot.insert(one_slot.end(), {"--scheduler", "optimal", "--output", "tree.json"});
  EXPECT_DOUBLE_EQ(json(one_slot)["bytes_served"]["mean"], 110.0 / 150);
  const Json written = read("tree.json");
  ASSERT_EQ(written["slots"].size(), 1u);
  EXPECT_EQ(written["slots"][0].size(), 3u);
  EXPECT_EQ(written["slots"][0][0]["up"].size(), 1u);
  EXPECT_EQ(written["left_out"].size(), 2u);
  EXPECT_THAT(output(words), HasSubstr("no fewer can hold all than 3.0"));
  // Without --slots a node has one request.
  EXPECT_THAT(refused({"--network", "fattree:2,4", "--requests", "set.csv"}), HasSubstr("--slots K"));
}

TEST_F(ScheduleCommandTest, NarrowTreesInSlots) {
  for (const Json& one : json({"--network", "fattree:3,2,4", "--slots", "0", "--repeats", "3"})) {
    EXPECT_GE(one["slots_used"]["min"], one["slots_needed"]["min"]) << one["scheduler"];
    EXPECT_EQ(one["schedulability"]["min"], 1) << one["scheduler"];
  }
}

TEST_F(ScheduleCommandTest, OptionsThatCannotMatterAreRefused) {
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

TEST_F(ScheduleCommandTest, SaysWhatWasAskedAndNoMore) {
  const Json hot = json({"--pattern", "hotspot", "--hotspot", "0.5", "--scheduler", "greedy", "--sizes",
                         "random", "--repeats", "2"});
  EXPECT_EQ(hot["hotspot"], 0.5);
  EXPECT_EQ(hot["sizes"], "random");
  EXPECT_EQ(hot["density"], 1);
  EXPECT_FALSE(hot.contains("steps"));
  EXPECT_FALSE(hot.contains("preload"));
  const Json shift = json({"--pattern", "shift", "--scheduler", "greedy"});
  EXPECT_FALSE(shift.contains("density"));
  EXPECT_FALSE(shift.contains("hotspot"));
  EXPECT_EQ(shift["sizes"], "equal");
  EXPECT_THAT(output({"--pattern", "shift", "--scheduler", "greedy"}),
              AllOf(HasSubstr("1 set of shift, seed 1"), Not(HasSubstr("density"))));
}

TEST_F(ScheduleCommandTest, WhatIsNotDrawnRunsOnce) {
  for (const char* pattern : {"all-to-all", "gather", "scatter", "shift", "single"})
    EXPECT_EQ(json({"--nodes", "8", "--pattern", pattern, "--scheduler", "greedy"})["repeats"], 1) << pattern;
  EXPECT_EQ(json({"--nodes", "8", "--pattern", "shift", "--scheduler", "pim"})["repeats"], 100);
  EXPECT_EQ(json({"--nodes", "8", "--pattern", "shift"})[0]["repeats"], 1);
  EXPECT_EQ(
      json({"--nodes", "8", "--pattern", "shift", "--sizes", "random", "--scheduler", "greedy"})["repeats"],
      100);
  EXPECT_EQ(
      json({"--nodes", "8", "--pattern", "shift", "--scheduler", "greedy", "--repeats", "7"})["repeats"], 7);
  EXPECT_TRUE(json({"--nodes", "8", "--scheduler", "greedy,greedy", "--repeats", "2"}).is_object());
}

TEST_F(ScheduleCommandTest, VariablesThatDoNotApplyArePassedOver) {
  ::setenv("HYBRID_SLOTS", "3", 1);
  ::setenv("HYBRID_PRELOAD", "missing.json", 1);
  ::setenv("HYBRID_STEPS", "3", 1);
  output({"--demand", "--nodes", "4", "--repeats", "1"});
  EXPECT_EQ(json({"--network", "fattree:2,2", "--scheduler", "optimal", "--repeats", "1"})["slots"], 3);
  for (const char* name : {"HYBRID_SLOTS", "HYBRID_PRELOAD", "HYBRID_STEPS"}) ::unsetenv(name);
}

TEST_F(ScheduleCommandTest, SameSeedSameScores) {
  const auto scores = [](const char* seed) {
    Json all = json({"--nodes", "20", "--density", "5", "--repeats", "4", "--seed", seed});
    for (Json& one : all) one.erase("ns_per_request");  // the only wall-clock time
    return all;
  };
  EXPECT_EQ(scores("3"), scores("3"));
  EXPECT_NE(scores("3"), scores("4"));
}

TEST_F(ScheduleCommandTest, RequestFilesAndTheScheduleWritten) {
  write("set.csv", "source,destination,bytes\n4,0,10\n3,0,20\n2,4,30\n3,4,40\n");
  const Json greedy = json({"--requests", "set.csv", "--slots", "0", "--scheduler", "first-fit"});
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
  const Json one = json({"--requests", "set.csv", "--scheduler", "edge-colouring", "--output", "one.json"});
  EXPECT_EQ(one["bytes_served"]["mean"], 0.5);
  EXPECT_EQ(read("one.json")["left_out"].size(), 2u);
}

TEST_F(ScheduleCommandTest, PreloadedSlotsStay) {
  write("set.csv", "4,0,10\n3,0,20\n2,4,30\n3,4,40\n");
  // 3 -> 0 is preloaded beside 1 -> 2, which nobody asks for; the others need two slots, 2 -> 4 and 3 -> 4.
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
  const Json two = json(
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
  EXPECT_THAT(refused({"--preload", "missing.json"}), HasSubstr("'missing.json'"));
  EXPECT_THAT(refused({"--preload", "."}), AllOf(HasSubstr("'.' is a directory"), HasSubstr("--output")));
  constexpr std::size_t kDeep = 300'000;
  const std::string deep = "{\"slots\": [[" + std::string(kDeep, '[') + std::string(kDeep, ']') + "]]}";
  EXPECT_THAT(said(deep.c_str()), HasSubstr("connection an array of others: not a pair"));
  EXPECT_THAT(said(R"({"slots": [[[0, 1e999]]]})"), HasSubstr("fixed.json"));
  write("fixed.json", R"({"slots": [[]]})");
  EXPECT_THAT(refused({"--demand", "--preload", "fixed.json"}), HasSubstr("those of a crossbar"));
}

TEST_F(ScheduleCommandTest, AnOldFileIsKept) {
  write("old.json", "precious");
  EXPECT_THAT(refused({"--scheduler", "greedy", "--output", "old.json"}),
              HasSubstr("'old.json' exists already"));
  std::string kept;
  std::ifstream("old.json") >> kept;
  EXPECT_EQ(kept, "precious");
}

TEST_F(ScheduleCommandTest, Demands) {
  // 100 bytes at 8 Gb/s are 100 ns; beside a tenth of a packet network less is left to the fabric.
  write("demand.json", R"({"ports": 3, "requests": [[0, 1, 100], [1, 2, 100], [2, 0, 100]]})");
  const std::vector<std::string> words{"--demand", "--requests",        "demand.json", "--link-rate",
                                       "8Gb/s",    "--reconfiguration", "50ns"};
  for (const Json& one : json(words)) {
    EXPECT_EQ(one["drain_ns"]["mean"], 150) << one["scheduler"];
    EXPECT_EQ(one["bound_ns"]["mean"], 150);
    EXPECT_EQ(one["score"]["mean"], 1);
    EXPECT_EQ(one["configurations"]["mean"], 1);
    EXPECT_EQ(one["reconfiguration_ns"], 50);
    EXPECT_EQ(one["checked"], true);
  }
  auto with = words;
  with.insert(with.end(), {"--scheduler", "solstice", "--output", "drain.json"});
  output(with);
  const Json written = read("drain.json");
  EXPECT_EQ(written["configurations"],
            Json::parse(R"([{"lasts_ns": 150.0, "connections": [[0, 1], [1, 2], [2, 0]]}])"));
  EXPECT_EQ(written["drain_ns"], 150);
}

TEST_F(ScheduleCommandTest, PartialReconfigurationAndPacketsHelp) {
  const std::vector<std::string> words{"--demand",
                                       "--nodes",
                                       "16",
                                       "--density",
                                       "8",
                                       "--sizes",
                                       "random",
                                       "--repeats",
                                       "3",
                                       "--scheduler",
                                       "best-first-fit",
                                       "--reconfiguration",
                                       "1us"};
  auto partial = words, packets = words;
  partial.emplace_back("--partial");
  packets.insert(packets.end(), {"--packet-share", "0.5"});
  const double whole = json(words)["drain_ns"]["mean"];
  EXPECT_LT(json(partial)["drain_ns"]["mean"].get<double>(), whole);
  EXPECT_LT(json(packets)["drain_ns"]["mean"].get<double>(), whole);
  EXPECT_GT(json(packets)["by_packets"]["mean"].get<double>(), 0);
}

TEST_F(ScheduleCommandTest, BadRequestFiles) {
  write("range.csv", "0,1\n2,9\n");
  EXPECT_THAT(refused({"--requests", "range.csv", "--nodes", "8"}),
              HasSubstr("range.csv:2:3: there is no port 9"));
  write("twice.json", "[[0,1],\n [0,1]]");
  EXPECT_THAT(refused({"--requests", "twice.json"}), HasSubstr("twice.json:2:3: 0 -> 1"));
  write("self.csv", "3,3\n");
  EXPECT_THAT(refused({"--requests", "self.csv"}), HasSubstr("self.csv:1:3: port 3 asks for itself"));
  write("empty.csv", "# nothing\n");
  EXPECT_THAT(refused({"--requests", "empty.csv"}), HasSubstr("empty.csv:1:1: no request"));
  write("sizes.csv", "0,1,9999999999999999\n");
  EXPECT_THAT(refused({"--requests", "sizes.csv"}), HasSubstr("sizes.csv:1:5:"));
  write("large.csv", "0,100000\n");
  EXPECT_THAT(refused({"--requests", "large.csv"}), HasSubstr("100001 ports is too large"));
  write("unknown.csv", "0,1\n");
  EXPECT_THAT(refused({"--requests", "unknown.csv", "--demand"}), HasSubstr("no request has bytes"));
  write("good.csv", "0,1,1T\n");
  EXPECT_THAT(refused({"--requests", "good.csv", "--demand", "--link-rate", "1000b/s"}), HasSubstr("days"));
  EXPECT_THAT(refused({"--demand", "--pattern", "gather", "--nodes", "11700"}),
              HasSubstr("too many to write down"));
  EXPECT_THAT(
      refused({"--demand", "--pattern", "gather", "--nodes", "11700", "--scheduler", "best-first-fit"}),
      HasSubstr("too many to write down"));
  EXPECT_THAT(refused({"--requests", "missing.csv"}), HasSubstr("'missing.csv'"));
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
  EXPECT_THAT(refused({"--demand", "--packet-share", "2"}), HasSubstr("packet-share: 2"));
  EXPECT_THAT(refused({"--sizes", "odd"}), HasSubstr("'odd'"));
  EXPECT_THAT(refused({"--output", "x.json"}), HasSubstr("one schedule"));
  EXPECT_THAT(refused({"--scheduler", "greedy", "--repeats", "2", "--output", "x.json"}),
              HasSubstr("one schedule"));
  EXPECT_THAT(refused({"--scheduler", "greedy", "--output", "no/such/x.json"}), HasSubstr("cannot create"));
}

}  // namespace
}  // namespace hybrid
