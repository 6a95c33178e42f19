// `hybrid schedule`: the scores it prints, and of what.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/schedule_command_for_test.h"

namespace hybrid {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

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
  EXPECT_THAT(refused({"--nodes", "16", "--tree-turn", "top"}), HasSubstr("no levels"));
  EXPECT_THAT(refused({"--network", "fattree:2,4", "--tree-turn", "middle"}), HasSubstr("top or ancestor"));
}

TEST_F(ScheduleCommandTest, ComparesAllThatCanByDefault) {
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

TEST_F(ScheduleCommandTest, KeysAreStable) {
  const Json one =
      result({"--scheduler", "greedy", "--nodes", "16", "--density", "4", "--repeats", "5", "--seed", "9"});
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

TEST_F(ScheduleCommandTest, ExactSchedulersAreAtLeastAsGood) {
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
    const Json said = result({"--nodes", "24", "--density", "3", "--slots", "0", "--seed", seed,
                              "--scheduler", "edge-colouring", "--output", file});
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
    return result({"--requests", "mixed.csv", "--scheduler", scheduler})["bytes_served"]["mean"]
        .get<double>();
  };
  EXPECT_DOUBLE_EQ(served("first-fit"), 1.0 / 3);  // 0 -> 1 meets both others
  EXPECT_DOUBLE_EQ(served("edge-colouring"), 2.0 / 3);
  // Each is drained: 8 b/s carry a byte in a second.
  const Json drained =
      result({"--requests", "mixed.csv", "--demand", "--link-rate", "8b/s", "--scheduler", "best-first-fit"});
  EXPECT_EQ(drained["drain_ns"]["mean"], 2e9);
  write("none.csv", "0,1\n0,2\n");
  EXPECT_FALSE(result({"--requests", "none.csv", "--scheduler", "first-fit"}).contains("bytes_served"));
  write("zero.csv", "0,1,1\n0,2,0\n");
  EXPECT_THAT(refused({"--requests", "zero.csv"}), HasSubstr("zero.csv:2:5: a request of 0 bytes"));
}

TEST_F(ScheduleCommandTest, SumsOfBytesThatOverflow) {
  for (const char* message : {"1048576T", "9223372036854775808"})
    EXPECT_THAT(refused({"--pattern", "skewed", "--message", message}),
                AllOf(HasSubstr("message: "), HasSubstr("Give at most 1 TiB")));
  for (const char* message : {"much", "unlimited", "1.5"})
    EXPECT_THAT(refused({"--message", message}), Not(HasSubstr("or unlimited")));
  EXPECT_LE(result({"--pattern", "skewed", "--message", "1T", "--scheduler", "first-fit", "--repeats",
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
  EXPECT_DOUBLE_EQ(result(one_slot)["bytes_served"]["mean"], 110.0 / 150);
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

TEST_F(ScheduleCommandTest, DeterministicSetsRunOnce) {
  for (const char* pattern : {"all-to-all", "gather", "scatter", "shift", "single"})
    EXPECT_EQ(result({"--nodes", "8", "--pattern", pattern, "--scheduler", "greedy"})["repeats"], 1)
        << pattern;
  EXPECT_EQ(result({"--nodes", "8", "--pattern", "shift", "--scheduler", "pim"})["repeats"], 100);
  EXPECT_EQ(json({"--nodes", "8", "--pattern", "shift"})[0]["repeats"], 1);
  EXPECT_EQ(
      result({"--nodes", "8", "--pattern", "shift", "--sizes", "random", "--scheduler", "greedy"})["repeats"],
      100);
  EXPECT_EQ(
      result({"--nodes", "8", "--pattern", "shift", "--scheduler", "greedy", "--repeats", "7"})["repeats"],
      7);
  EXPECT_EQ(json({"--nodes", "8", "--scheduler", "greedy,greedy", "--repeats", "2"}).size(), 1u);
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
  packets.insert(packets.end(), {"--packet-plane", "0.5"});
  const double whole = result(words)["drain_ns"]["mean"];
  EXPECT_LT(result(partial)["drain_ns"]["mean"].get<double>(), whole);
  EXPECT_LT(result(packets)["drain_ns"]["mean"].get<double>(), whole);
  EXPECT_GT(result(packets)["by_packets"]["mean"].get<double>(), 0);
}

}  // namespace
}  // namespace hybrid
