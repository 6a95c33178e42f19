// `hybrid replay` on the traces under examples/traces: the bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/child.h"
#include "core/testing/temporary_directory.h"
#include "emulator/switching/testing/techniques.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string output(const std::vector<std::string>& words) {
  ChildEnd end;
  std::string text = output_of(words, end);
  EXPECT_EQ(end.exit_code, 0) << text;
  return text;
}

class ReplayNas : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    output({"/usr/bin/env", "tar", "-xJf", fs::path(HYBRID_TRACES) / (trace_ + ".tar.xz")});
  }
  json replay(std::vector<std::string> flags) const {
    std::vector<std::string> words{HYBRID_COMMAND, "replay", trace_, "--json", "-"};
    words.insert(words.end(), flags.begin(), flags.end());
    return json::parse(output(words));
  }

  const TemporaryWorkingDirectory root_;
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
  }
}

TEST_P(ReplayNas, NoTechniqueIsFasterThanTheLowerBoundOnAFatTree) {
  const json report =
      replay({"--technique", "wormhole,tdm,hybrid", "--slots", "4", "--network", "fattree:2,4"});
  for (const json& result : report["results"])
    EXPECT_GE(result["time_ns"], report["bounds"]["uncontended_ns"]) << result["technique"];
}

INSTANTIATE_TEST_SUITE_P(Programs, ReplayNas, testing::Values("bt", "cg", "ft", "is", "lu", "mg", "sp"));

}  // namespace
}  // namespace hybrid
