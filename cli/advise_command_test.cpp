// `hybrid advise` and `--slots auto` on traces under examples/traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/testing/trace_commands.h"

namespace hybrid {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Advise : public TraceCommands {
 protected:
  static json advice(std::vector<std::string> words) {
    words.insert(words.begin(), "advise");
    words.insert(words.end(), {"--json", "-"});
    return json::parse(hybrid(words));
  }
  // The job time of a printed command, of which the first word is "hybrid".
  static double time_of(const std::string& command) {
    std::istringstream text(command);
    std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    EXPECT_EQ(words.front(), "hybrid");
    words.erase(words.begin());
    words.insert(words.end(), {"--json", "-"});
    const std::string output = hybrid(words);  // notes on options without effect come first
    const json report = json::parse(output.substr(std::min(output.find('{'), output.size())));
    EXPECT_EQ(report["results"].size(), 1u) << command;
    return report["results"][0]["time_ns"];
  }
};

TEST_F(Advise, ThePrintedCommandsRepeatTheFigures) {
  unpack("is-16");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--reconfiguration", "1us", "--slots", "4", "--predictor", "none"},
        {"--preset", "ocs-mems-2d-400g", "--slots", "2,4", "--slot-length", "1us", "--predictor",
         "timeout"}}) {
    std::vector<std::string> words{"is-16", "--reconfigurations", "100ns,10us", "--budget", "40"};
    words.insert(words.end(), more.begin(), more.end());
    const json one = advice(words)[0];
    EXPECT_LE(one["emulations"], 40);
    ASSERT_GE(one["results"].size(), 5u);
    for (const json& result : one["results"])
      EXPECT_EQ(time_of(result["repeat"]), result["time_ns"]) << result["repeat"];
    ASSERT_EQ(one["packet_planes"].size(), 2u);
    for (const json& plane : one["packet_planes"]) {
      ASSERT_EQ(plane["known"], true) << "the budget leaves room for the planes";
      EXPECT_EQ(time_of(plane["repeat"]), plane["time_ns"]) << plane["repeat"];
    }
    bool is_a_result = false;
    for (const json& result : one["results"]) is_a_result = is_a_result || result == one["recommendation"];
    EXPECT_TRUE(is_a_result);
  }
}

TEST_F(Advise, TheResultDoesNotDependOnThreads) {
  unpack("is-16");
  const std::vector<std::string> words{"is-16",           "--reconfiguration", "100ns", "--technique",
                                       "wormhole,hybrid", "--slots",           "2,4",   "--predictor",
                                       "tournament",      "--budget",          "20"};
  auto one = words, two = words;
  one.insert(one.end(), {"--threads", "1"});
  two.insert(two.end(), {"--threads", "2"});
  EXPECT_EQ(advice(one), advice(two));
}

TEST_F(Advise, TheTextHasTheRecommendationTheSensitivityAndThePrices) {
  unpack("cg-16");
  const std::string text =
      hybrid({"advise", "cg-16", "--packet-port-power", "10W", "--circuit-port-power", "500mW",
              "--reconfigurations", "0ns", "--predictor", "none", "--budget", "40"});
  for (const char* part : {"Recommendation", "Best configuration of each technique", "--slots", "none",
                           "Smallest packet plane", "0.05x", "Placement", "hybrid replay cg-16 --technique"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST_F(Advise, VariablesAndFlagsFixAnOption) {
  unpack("is-16");
  const json flag = advice({"is-16", "--predictor", "lru", "--slots", "2", "--slot-length", "150ns",
                            "--technique", "tdm", "--reconfigurations", "0ns"})[0];
  ::setenv("HYBRID_PREDICTOR", "lru", 1);
  const json variable = advice({"is-16", "--slots", "2", "--slot-length", "150ns", "--technique", "tdm",
                                "--reconfigurations", "0ns"})[0];
  ::unsetenv("HYBRID_PREDICTOR");
  EXPECT_EQ(flag, variable);
  EXPECT_EQ(flag["recommendation"]["technique"], "tdm");
  EXPECT_EQ(flag["recommendation"]["predictor"], "lru");
  EXPECT_EQ(flag["recommendation"]["slots"], 2);
  EXPECT_EQ(flag["recommendation"]["slot_length_ns"], 150.0);
}

TEST_F(Advise, BadUsageNamesTheOptionAndTheFix) {
  unpack("is-16");
  const auto refused = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"advise", "is-16"});
    return hybrid(more, 2);
  };
  EXPECT_THAT(refused({"--budget", "3"}), HasSubstr("--budget: 3 emulations are too few"));
  EXPECT_THAT(refused({"--within", "much"}), HasSubstr("Give a percentage such as 5%."));
  EXPECT_THAT(refused({"--packet-port-cost", "0"}), HasSubstr("--packet-port-cost: '0' is not"));
  EXPECT_THAT(refused({"--circuit-port-power", "1kW"}), HasSubstr("Give a power such as 12W or 240mW."));
  EXPECT_THAT(refused({"--reconfigurations", "1us,,"}), HasSubstr("--reconfigurations"));
  EXPECT_THAT(refused({"--time-limit", "soon"}), HasSubstr("--time-limit"));
  EXPECT_THAT(refused({"--technique", "tmd"}), HasSubstr("tdm"));
  EXPECT_THAT(hybrid({"advise", "no-such-trace"}, 2), HasSubstr("no-such-trace"));
}

TEST_F(Advise, SlotsAutoIsTheKOfTheReport) {
  unpack("cg-16");
  const json report = json::parse(
      hybrid({"replay", "cg-16", "--technique", "wormhole,tdm", "--slots", "auto", "--json", "-"}));
  ASSERT_EQ(report["results"].size(), 2u);
  ASSERT_EQ(report["slots_found"].size(), 1u);
  EXPECT_EQ(report["results"][1]["slots"], report["slots_found"][0]["slots"]);
  EXPECT_GT(report["results"][1]["slots"], 0);
  EXPECT_THAT(report["repeat"].get<std::string>(), HasSubstr("--slots auto"));
  EXPECT_THAT(hybrid({"simulate", "--slots", "auto"}, 2), HasSubstr("auto searches with a recorded job"));
  EXPECT_THAT(hybrid({"predict", "cg-16", "--slots", "auto"}, 2), HasSubstr("predict emulates nothing"));
  EXPECT_THAT(hybrid({"worth", "cg-16", "--slots", "auto"}, 2), HasSubstr("Give one number."));
}

TEST_F(Advise, WorthComparesWithNeitherPredictionNorHints) {
  unpack("cg-16-hints");
  for (const json& one : json::parse(hybrid({"worth", "cg-16-hints", "--json", "-"}))) {
    const double none = variant_of(one, "none")["time_ns"];
    EXPECT_EQ(variant_of(one, "none")["time_ratio"], 1.0);
    for (const char* variant : {"wormhole", "prediction", "hints", "both"})
      EXPECT_DOUBLE_EQ(variant_of(one, variant)["time_ratio"].get<double>(),
                       variant_of(one, variant)["time_ns"].get<double>() / none);
    EXPECT_EQ(time_of("hybrid replay cg-16-hints --technique hybrid --slots 4 --predictor none "
                      "--predictor-phases off --hints none --slot-length " +
                      std::to_string(one["slot_length_ns"].get<int>()) + "ns --reconfiguration " +
                      std::to_string(one["reconfiguration_ns"].get<int>()) + "ns"),
              none);
  }
}

}  // namespace
}  // namespace hybrid
