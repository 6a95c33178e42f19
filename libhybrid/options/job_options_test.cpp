#include "libhybrid/options/job_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/error.h"
#include "core/temporary_directory.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Job {
  JobOptions options;
  OptionTable table;
  Job() { add_job_options(table, options); }
  std::string error_of(std::string_view name, std::string_view value) {
    try {
      table.set(name, value, "--" + std::string(name));
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST(JobOptions, StoreValues) {
  Job job;
  job.table.set("clock", "cpu", "");
  job.table.set("quiet", "", "");
  job.table.set("live", "off", "");
  job.table.set("slot-length", "200ns", "");
  job.table.set("local-rate", "10Gb/s", "");
  EXPECT_EQ(job.options.clock, "cpu");
  EXPECT_TRUE(job.options.quiet);
  EXPECT_FALSE(job.options.live);
  EXPECT_EQ(job.options.network.slot_length, nanoseconds(200));
  EXPECT_EQ(job.options.replay.local_rate, 10'000'000'000u);
}

TEST(JobOptions, TakeListsOfTechniquesAndSlots) {
  Job job;
  job.table.set("technique", "wormhole, hybrid", "");
  job.table.set("slots", "2,8", "");
  EXPECT_THAT(job.options.techniques, ElementsAre("wormhole", "hybrid"));
  EXPECT_THAT(job.options.slot_counts, ElementsAre(2u, 8u));
  EXPECT_EQ(job.options.network.slots, 2u);
}

TEST(JobOptions, ErrorsNameTheOptionAndTheClosestValue) {
  Job job;
  EXPECT_THAT(job.error_of("clock", "cpi"),
              AllOf(HasSubstr("clock: 'cpi'"), HasSubstr("Did you mean 'cpu'?")));
  EXPECT_THAT(job.error_of("technique", "wormhole,hybird"), HasSubstr("Did you mean 'hybrid'?"));
  EXPECT_THAT(job.error_of("online-predictor", "timeot"), HasSubstr("Did you mean 'timeout'?"));
  for (const char* foreknowing : {"oracle", "belady"})
    EXPECT_THAT(
        job.error_of("online-predictor", foreknowing),
        AllOf(HasSubstr(foreknowing), HasSubstr("needs the future sends"), HasSubstr("hybrid predict")));
  EXPECT_THAT(job.error_of("slots", "0"), HasSubstr("slots: 0"));
  EXPECT_THAT(job.error_of("slots", "2,,4"), HasSubstr("empty"));
  EXPECT_THAT(job.error_of("slot-length", "100"), HasSubstr("is not a time"));
  EXPECT_THAT(job.error_of("algorithm", "ring"), HasSubstr("COLLECTIVE=NAME"));
  EXPECT_THAT(job.error_of("live", "perhaps"), HasSubstr("neither on nor off"));
}

TEST(JobOptions, TheJobDecidesTheNumberOfPortsUnlessItIsGiven) {
  EXPECT_EQ(Job().options.replay.crossbar, 0u);
  Job nodes, network, tree;
  nodes.table.set("nodes", "24", "");
  EXPECT_EQ(nodes.options.replay.crossbar, 24u);
  EXPECT_THAT(nodes.error_of("network", "crossbar:8"), HasSubstr("nodes: 24, but crossbar:8 has 8 nodes"));
  network.table.set("network", "crossbar:8", "");
  EXPECT_EQ(network.options.replay.crossbar, 8u);
  tree.table.set("network", "fattree:2,4", "");
  EXPECT_EQ(tree.options.replay.crossbar, 0u);
}

TEST(JobOptions, VariablesWinOverAPreset) {
  Job job;
  const std::array<const char*, 4> environment{"HYBRID_SLOT_LENGTH=300ns", "HYBRID_PRESET=ch4",
                                               "HYBRID_TYPO=1", nullptr};
  EXPECT_THAT(job.table.set_from_environment(environment.data()), ElementsAre("HYBRID_TYPO"));
  EXPECT_EQ(job.options.network.slot_length, nanoseconds(300));
  EXPECT_EQ(job.options.network.scheduler.cycle, nanoseconds(20));  // ch4's
}

TEST(JobOptions, TheFileInTheEnvironmentWinsOverItsPreset) {
  const TemporaryDirectory directory;
  const std::string file = directory / "job.toml";
  std::ofstream(file) << "buffer = '240K'\npreset = 'ch4'\nslots = 3\n";
  const std::string config = "HYBRID_CONFIG=" + file;
  const std::array<const char*, 5> environment{"HYBRID_PRESET=ch8", "HYBRID_SLOTS=2", config.c_str(),
                                               "HYBRID_TYPO=1", nullptr};
  Job job;
  EXPECT_THAT(apply_environment(job.table, environment.data()), ElementsAre("HYBRID_TYPO"));
  EXPECT_EQ(job.options.network.buffer, 240u * 1024);
  EXPECT_EQ(job.options.network.slots, 2u);
  EXPECT_EQ(job.options.network.worm_limit, 80u);  // ch8's
  const std::string missing = config + "x";
  const std::array<const char*, 2> nowhere{missing.c_str(), nullptr};
  EXPECT_THROW(apply_environment(job.table, nowhere.data()), UserError);
}

TEST(JobOptions, ATableOfChangedOptionsShowsTheirValues) {
  Job job;
  job.table.set("slots", "2,8", "");
  job.table.set("algorithm", "allreduce=ring", "");
  job.table.set("ports", "0,0,1", "");
  job.table.set("circuit-share", "0.3", "");
  job.table.set("multicast", "hardware", "");
  OptionTable again;
  add_emulation_options(again, job.options);
  EXPECT_EQ(again.find("slots")->default_text, "2,8");
  EXPECT_EQ(again.find("algorithm")->default_text, "allreduce=ring");
  EXPECT_EQ(again.find("ports")->default_text, "0,0,1");
  EXPECT_EQ(again.find("circuit-share")->default_text, "0.3");
  EXPECT_EQ(again.find("multicast")->default_text, "hardware");
  EXPECT_NE(job.error_of("multicast", "software"), "accepted");
}

TEST(JobOptions, EveryDefaultIsAValidValue) {
  Job job;
  for (const Option& option : job.table.options()) {
    if (option.default_text.empty() || option.name == "nodes" || option.name == "slots" ||
        option.name == "predictors" || option.name == "algorithm")
      continue;  // their defaults are descriptions, since the values depend on the job
    EXPECT_EQ(job.error_of(option.name, option.default_text), "accepted") << option.name;
  }
}

TEST(JobOptions, CheckRejectsASlotShorterThanItsGuard) {
  Job job;
  job.table.set("guard", "100ns", "");
  job.table.set("slot-length", "80ns", "");
  EXPECT_THROW(check_job(job.options), UserError);
  job.table.set("slot-length", "180ns", "");
  EXPECT_NO_THROW(check_job(job.options));
}

TEST(JobOptions, CheckRejectsALocalLatencyThatWouldOverflow) {
  Job job;
  job.table.set("local-latency", "10s", "");
  EXPECT_NO_THROW(check_job(job.options));
  job.table.set("local-latency", "1000000s", "");
  EXPECT_THROW(check_job(job.options), UserError);
}

TEST(OptionsPage, MatchesTheOptionTable) {
  const auto page = std::filesystem::path(HYBRID_SOURCES) / "docs/options.md";
  std::ifstream file(page);
  ASSERT_TRUE(file) << "no docs/options.md: hybrid list --options --markdown > docs/options.md";
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, options_page()) << "stale: hybrid list --options --markdown > docs/options.md";
}

}  // namespace
}  // namespace hybrid
