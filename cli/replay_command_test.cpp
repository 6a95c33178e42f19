// `hybrid replay` on the traces under examples/traces: the bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/testing/trace_commands.h"
#include "emulator/switching/testing/techniques.h"

namespace hybrid {
namespace {

using nlohmann::json;

std::int64_t picoseconds_of(const json& nanoseconds) {
  return std::llround(nanoseconds.get<double>() * 1000);
}

class ReplayNas : public TraceCommands, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override { unpack(trace_); }
  std::string text_of(const std::vector<std::string>& flags) const {
    std::vector<std::string> words{"replay", trace_};
    words.insert(words.end(), flags.begin(), flags.end());
    return hybrid(words);
  }
  json replay(std::vector<std::string> flags) const {
    flags.insert(flags.end(), {"--json", "-"});
    return json::parse(text_of(flags));
  }

  const std::string trace_ = GetParam() + "-16";
};

TEST_P(ReplayNas, NoTechniqueIsFasterThanTheLowerBound) {
  std::string techniques;
  for (const std::string& name : switch_techniques()) techniques += (techniques.empty() ? "" : ",") + name;
  const json report = replay({"--technique", techniques, "--slots", "4"});
  EXPECT_EQ(report["results"].size(), switch_techniques().size());
  const double bound = report["bounds"]["uncontended_ns"], no_network = report["bounds"]["no_network_ns"];
  EXPECT_LE(no_network, bound);
  EXPECT_GE(report["bounds"]["ideal_ns"], bound);
  for (const json& result : report["results"]) {
    EXPECT_GE(result["time_ns"], bound) << result["technique"];
    EXPECT_NEAR(result["rank_wait_ns"].get<double>() + result["network_wait_ns"].get<double>(),
                result["communication_time_ns"].get<double>(), 0.01)
        << result["technique"];
    std::int64_t parts = 0;
    for (const json& part : result["network_wait_parts_ns"]) parts += picoseconds_of(part);
    EXPECT_EQ(parts, picoseconds_of(result["network_wait_ns"])) << result["technique"];
    EXPECT_EQ(result["network_wait_parts_ns"]["reconfiguration"], 0.0) << result["technique"];
  }
}

TEST_P(ReplayNas, NoTechniqueIsFasterThanTheLowerBoundOnAFatTree) {
  const json report =
      replay({"--technique", "wormhole,tdm,hybrid", "--slots", "4", "--network", "fattree:2,4"});
  for (const json& result : report["results"]) {
    EXPECT_GE(result["time_ns"], report["bounds"]["uncontended_ns"]) << result["technique"];
    EXPECT_TRUE(result["network_wait_parts_ns"].is_object()) << result["technique"];
  }
}

TEST_P(ReplayNas, TheDivisionOfTheWaitCanBeTurnedOff) {
  const std::vector<std::string> off{"--technique", "wormhole,circuit", "--explain", "off"};
  EXPECT_THAT(text_of({"--technique", "wormhole,circuit"}), testing::HasSubstr("Where the time goes"));
  EXPECT_THAT(text_of(off), testing::Not(testing::HasSubstr("Where the time goes")));
  for (const json& result : replay(off)["results"]) EXPECT_TRUE(result["network_wait_parts_ns"].is_null());
}

INSTANTIATE_TEST_SUITE_P(Programs, ReplayNas, testing::Values("bt", "cg", "ft", "is", "lu", "mg", "sp"));

}  // namespace
}  // namespace hybrid
