// `hybrid worth` on the traces with hints under examples/traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/testing/trace_commands.h"

namespace hybrid {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class WorthOfHints : public TraceCommands {};

TEST_F(WorthOfHints, IsComparedWithPredictionAndWormhole) {
  unpack("cg-16-hints");
  const json all = json::parse(hybrid({"worth", "cg-16-hints", "--json", "-"}));
  ASSERT_EQ(all.size(), 2u);
  for (const json& one : all) {
    EXPECT_EQ(one["trace"], "cg-16-hints");
    EXPECT_EQ(one["nodes"], 16);
    EXPECT_EQ(one["messages"], 5759);
    EXPECT_EQ(one["predictor"], "tournament");
    EXPECT_GT(one["messages_hinted"], 5500) << "all but those of collectives";
    EXPECT_FALSE(variant_of(one, "wormhole").is_null());
    EXPECT_GT(variant_of(one, "hints")["hit_rate"], 0.95);
    EXPECT_GT(variant_of(one, "hints")["hit_rate"], variant_of(one, "prediction")["hit_rate"]);
    EXPECT_GT(variant_of(one, "both")["hit_rate"], 0.95);
    EXPECT_LT(variant_of(one, "both")["time_ns"],
              1.01 * variant_of(one, "prediction")["time_ns"].get<double>());
  }
  EXPECT_LT(variant_of(all[0], "hints")["time_ns"],
            0.95 * variant_of(all[0], "wormhole")["time_ns"].get<double>());
  for (const json& one : all) {
    const double ideal = one["bounds"]["ideal_ns"], wormhole = variant_of(one, "wormhole")["time_ns"];
    const json& hints = variant_of(one, "hints");
    EXPECT_NEAR(hints["gap_closed"].get<double>(),
                (wormhole - hints["time_ns"].get<double>()) / (wormhole - ideal), 1e-9);
    EXPECT_GT(hints["network_wait_ns"], 0.0);
    EXPECT_EQ(hints["rank_wait_ns"], variant_of(one, "wormhole")["rank_wait_ns"]);
    EXPECT_LT(one["bounds"]["no_network_ns"], one["bounds"]["uncontended_ns"]);
  }
  EXPECT_EQ(all[1]["reconfiguration_ns"], 1000.0);
  EXPECT_EQ(all[1]["slot_length_ns"], 100.0);
}

TEST_F(WorthOfHints, TheWaitOfEachVariantIsDividedOnRequest) {
  unpack("is-16");
  const std::vector<std::string> words{"worth", "is-16", "--reconfigurations", "1us", "--explain", "on"};
  EXPECT_THAT(hybrid(words), HasSubstr("Where the time goes"));
  std::vector<std::string> as_json = words;
  as_json.insert(as_json.end(), {"--json", "-"});
  const json one = json::parse(hybrid(as_json))[0];
  EXPECT_GT(variant_of(one, "prediction")["network_wait_parts_ns"]["reconfiguration"], 0.0);
  EXPECT_EQ(variant_of(one, "wormhole")["network_wait_parts_ns"]["reconfiguration"], 0.0);
  EXPECT_EQ(variant_of(one, "wormhole")["network_wait_parts_ns"]["path"],
            variant_of(one, "none")["network_wait_parts_ns"]["path"]);
}

TEST_F(WorthOfHints, AreAbsentForATraceWithoutHints) {
  unpack("is-16");
  const std::string text = hybrid({"worth", "is-16", "--reconfigurations", "5ns"});
  EXPECT_THAT(text, HasSubstr("\n  Recorded without phases: no hints."));
  EXPECT_THAT(text, AllOf(HasSubstr("  gap closed  network wait  hit rate\n"), HasSubstr("\nBounds\n"),
                          HasSubstr("for other ranks (mean), however fast the network is")));
  const json one = json::parse(hybrid({"worth", "is-16", "--reconfigurations", "5ns", "--json", "-"}))[0];
  EXPECT_TRUE(variant_of(one, "hints").is_null());
  EXPECT_GT(variant_of(one, "prediction")["time_ns"], 0.0);
  EXPECT_THAT(hybrid({"replay", "is-16", "--hints", "recorded"}, 2), HasSubstr("no hints"));
  EXPECT_THAT(hybrid({"replay", "is-16", "--hints", "no-such-binary"}, 2), HasSubstr("no-such-binary"));
}

TEST_F(WorthOfHints, AReplayPreloadsRecordedHints) {
  unpack("cg-16-hints");
  const auto replay = [](std::vector<std::string> more) {
    std::vector<std::string> words{
        "replay", "cg-16-hints",  "--technique", "hybrid",   "--predictor", "none",   "--slots",
        "4",      "--allocation", "ses",         "--misses", "worms",       "--json", "-"};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(hybrid(words))["results"][0]["hit_rate"].get<double>();
  };
  EXPECT_EQ(replay({}), 0.0);
  EXPECT_GT(replay({"--hints", "recorded"}), 0.95);
  EXPECT_GT(replay({"--hints", "recorded"}), replay({"--hints", "recorded", "--preload", "1"}));
}

}  // namespace
}  // namespace hybrid
