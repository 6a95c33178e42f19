// Output and exit code of the built command for valid usage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/child.h"
#include "cli/testing/built_command.h"
#include "core/temporary_directory.h"
#include "libhybrid/options/job_options.h"

namespace hybrid {
namespace {

using testing::HasSubstr;

TEST(Command, ListsRegisteredProducts) {
  EXPECT_THAT(output({"list"}), AllOf(HasSubstr("technique"), HasSubstr("wormhole"), HasSubstr("timeout")));
  EXPECT_THAT(output({"list", "pattern"}), Not(HasSubstr("wormhole")));
  EXPECT_THAT(output({"list", "preset"}), AllOf(HasSubstr("ch8"), HasSubstr("ocs-mems-400g")));
  EXPECT_EQ(output({"list", "--options", "--markdown"}), options_page());
}

TEST(Command, JsonOnStandardOutputIsNotMixedWithText) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"list", "--json", "-"},
                                                                 {"topology", "-n", "4", "--json", "-"},
                                                                 {"list", "--options", "--json", "-"}})
    EXPECT_TRUE(nlohmann::json::accept(output(words))) << words[0];
}

TEST(Command, ResultsAreAnArray) {
  const auto one = only(nlohmann::json::parse(
      output({"simulate", "--nodes", "8", "--messages", "4", "--technique", "wormhole", "--json", "-"})));
  EXPECT_EQ(one["technique"], "wormhole");
  EXPECT_EQ(one["nodes"], 8);
  EXPECT_EQ(one["messages"], 32);
  const auto several =
      nlohmann::json::parse(output({"simulate", "--nodes", "8", "--messages", "4", "--technique",
                                    "wormhole,hybrid", "--slots", "2,4", "--json", "-"}));
  ASSERT_EQ(several.size(), 3u);  // wormhole has no K
  EXPECT_EQ(several[1]["slots"], 2);
  EXPECT_EQ(several[2]["slots"], 4);
}

TEST(Command, ComparesWormholeAndOthersWithTheBounds) {
  const std::vector<std::string> run{"simulate",    "--nodes",        "8", "--messages", "20",
                                     "--technique", "wormhole,hybrid"};
  std::vector<std::string> as_json = run;
  as_json.insert(as_json.end(), {"--json", "-"});
  const auto all = nlohmann::json::parse(output(as_json));
  ASSERT_EQ(all.size(), 2u) << "the bounds are no results unless they are named";
  EXPECT_EQ(all[0]["gap_closed"], 0.0);
  const double wormhole = all[0]["time_ns"], hybrid = all[1]["time_ns"], ideal = all[0]["bounds"]["ideal_ns"];
  EXPECT_NEAR(all[1]["gap_closed"].get<double>(), (wormhole - hybrid) / (wormhole - ideal), 1e-9);
  EXPECT_LE(all[1]["bounds"]["no_network_ns"], all[1]["bounds"]["uncontended_ns"]);
  EXPECT_THAT(output(run), AllOf(HasSubstr("\nBounds\n  bound"), HasSubstr("\n  ideal "),
                                 HasSubstr("\n  gap closed (from wormhole to ideal): hybrid with K = 4 ")));

  std::vector<std::string> named = as_json;
  named[6] += ",ideal";
  const auto with_ideal = nlohmann::json::parse(output(named));
  EXPECT_EQ(with_ideal[2]["time_ns"], ideal);
  EXPECT_EQ(with_ideal[2]["gap_closed"], 1.0);
  const auto alone = only(nlohmann::json::parse(
      output({"simulate", "--nodes", "8", "--messages", "4", "--technique", "hybrid", "--json", "-"})));
  EXPECT_TRUE(alone["gap_closed"].is_null());
  EXPECT_TRUE(alone["bounds"]["ideal_ns"].is_null()) << "nothing is compared";
}

TEST(Command, SimulatesCommandFilesAndWritesTheirTimes) {
  namespace fs = std::filesystem;
  const TemporaryDirectory directory;
  const std::string& folder = directory.path();
  std::ofstream(folder + "/pe0.txt") << "blocking-send 1 8\nblocking-receive 1\n";
  std::ofstream(folder + "/pe1.txt") << "blocking-receive 0\nsend 0 8\n";
  const auto one =
      only(nlohmann::json::parse(output({"simulate", "--commands", folder, "--technique", "wormhole",
                                         "--commands-output", folder + "/times", "--json", "-"})));
  EXPECT_EQ(one["nodes"], 2);
  EXPECT_EQ(one["time_ns"], 660);
  EXPECT_EQ(one["messages"], 2);
  EXPECT_FALSE(one.contains("pattern"));
  EXPECT_TRUE(fs::exists(folder + "/times/pe1.tsv"));
  const auto several = nlohmann::json::parse(
      output({"simulate", "--commands", folder + "/pe", "--technique", "circuit,hybrid", "--slots", "1,2",
              "--nodes", "5", "--commands-output", folder + "/all", "--json", "-"}));
  ASSERT_EQ(several.size(), 3u);
  EXPECT_EQ(several[0]["nodes"], 5);
  for (const char* run : {"circuit", "hybrid-1", "hybrid-2"})
    EXPECT_TRUE(fs::exists(folder + "/all/" + run + "/pe0.tsv"));
  const auto compared = nlohmann::json::parse(
      output({"simulate", "--commands", folder + "/pe", "--technique", "wormhole,circuit",
              "--commands-output", folder + "/compared", "--json", "-"}));
  EXPECT_LT(compared[1]["bounds"]["uncontended_ns"], compared[1]["time_ns"]);
  EXPECT_FALSE(fs::exists(folder + "/compared/ideal"));
}

TEST(Command, BroadcastsOfCommandFilesByHardware) {
  const TemporaryDirectory directory;
  const std::string& folder = directory.path();
  std::ofstream(folder + "/pe0.txt") << "broadcast 8\n";
  for (const char* other : {"/pe1.txt", "/pe2.txt"}) std::ofstream(folder + other) << "blocking-receive 0\n";
  const std::vector<std::string> run{"simulate", "--commands", folder, "--technique",
                                     "wormhole", "--json",     "-"};
  const auto messages = only(nlohmann::json::parse(output(run)));
  EXPECT_EQ(messages["time_ns"], 500);
  EXPECT_FALSE(messages.contains("multicast"));
  std::vector<std::string> by_hardware = run;
  by_hardware.insert(by_hardware.end(), {"--multicast", "hardware"});
  const auto copies = only(nlohmann::json::parse(output(by_hardware)));
  EXPECT_EQ(copies["time_ns"], 340);
  EXPECT_EQ(copies["messages"], 0);
  EXPECT_EQ(copies["utilisation"], 0);
  EXPECT_EQ(copies["multicast_messages"], 2);
  EXPECT_EQ(copies["multicast_bytes"], 16);
  EXPECT_EQ(copies["latency_ns"]["max"], 340);
  EXPECT_EQ(copies["multicast"], "hardware");
  EXPECT_FALSE(messages.contains("multicast_messages"));
  by_hardware.resize(by_hardware.size() - 4);  // without --json - and --multicast hardware
  by_hardware.insert(by_hardware.end(), {"--multicast", "hardware"});
  EXPECT_THAT(output(by_hardware),
              HasSubstr("copied by the multicast plane on separate links: 2 messages, 16 B"));
}

TEST(Command, ReportsEachPhaseOfAPattern) {
  const std::vector<std::string> run{"simulate",  "--nodes",     "8",  "--pattern",
                                     "two-phase", "--technique", "tdm"};
  std::vector<std::string> as_json = run, as_text = run;
  as_json.insert(as_json.end(), {"--json", "-"});
  as_text.push_back("--per-phase");
  const auto result = only(nlohmann::json::parse(output(as_json)));
  const auto& phases = result["phases"];
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0]["name"], "all-to-all");
  EXPECT_EQ(phases[0]["messages"], 56);
  EXPECT_NEAR(phases[0]["time_ns"].get<double>() + phases[1]["time_ns"].get<double>(),
              result["time_ns"].get<double>(), 0.0005);
  const std::string text = output(as_text);
  EXPECT_THAT(text, testing::HasSubstr("hit rate\ntdm        4  all-to-all"));
  EXPECT_THAT(text, testing::HasSubstr("\ntdm        4  mesh"));
}

TEST(Command, ReportsOfferedAndAcceptedLoad) {
  const auto result =
      only(nlohmann::json::parse(output({"simulate", "--nodes", "8", "--messages", "400", "--technique",
                                         "wormhole", "--load", "0.2", "--json", "-"})));
  EXPECT_NEAR(result["offered_load"].get<double>(), 0.2, 0.03);
  EXPECT_NEAR(result["accepted_load"].get<double>(), result["offered_load"].get<double>(), 0.01);
}

TEST(Command, NamesThePartsThatAreSlowerThanTheLink) {
  std::vector<std::string> run{"simulate",    "--nodes",          "4",           "--messages", "2",
                               "--technique", "wormhole,circuit", "--link-rate", "100Gb/s"};
  EXPECT_THAT(output(run), Not(HasSubstr("limits")));
  run.insert(run.end(), {"--digital-fabric-cycle", "10ns"});
  EXPECT_THAT(output(run),
              HasSubstr("hybrid: note: The digital fabric limits wormhole to 6.4 Gb/s on links of "
                        "100 Gb/s (--digital-fabric-cycle)\n"));
  const TemporaryDirectory directory;
  run.insert(run.end(), {"--json", directory / "result.json"});
  output(run);
  const auto results = nlohmann::json::parse(std::ifstream(directory / "result.json"));
  EXPECT_EQ(results[0]["limited_by"], nlohmann::json::parse(R"(["digital fabric: 6.4 Gb/s"])"));
  EXPECT_EQ(results[1]["limited_by"], nlohmann::json::array());
}

TEST(Command, SameSeedSameBytes) {
  const std::vector<std::string> words{"simulate", "--nodes", "16",     "--pattern", "uniform",
                                       "--seed",   "7",       "--json", "-"};
  EXPECT_EQ(output(words), output(words));
}

TEST(Command, FlagsOverrideVariablesAndTheseTheFile) {
  const std::string path = testing::TempDir() + "command_test_" + std::to_string(::getpid()) + ".toml";
  std::ofstream(path) << "nodes = 4\nmessage = 64\nseed = 3\n";
  ::setenv("HYBRID_MESSAGE", "32", 1);
  ::setenv("HYBRID_SEED", "4", 1);
  const auto result =
      only(nlohmann::json::parse(output({"simulate", "--seed", "5", "--messages", "2", "--technique",
                                         "wormhole", "--config", path, "--json", "-"})));
  ::unsetenv("HYBRID_MESSAGE");
  ::unsetenv("HYBRID_SEED");
  std::filesystem::remove(path);
  EXPECT_EQ(result["nodes"], 4);
  EXPECT_EQ(result["message"], 32);
  EXPECT_EQ(result["seed"], 5);
}

// What a command prints that has these variables.
std::string output_with(const std::vector<std::string>& variables, const std::vector<std::string>& words) {
  std::vector<std::string> command{"/usr/bin/env"};
  command.insert(command.end(), variables.begin(), variables.end());
  command.emplace_back(HYBRID_COMMAND);
  command.insert(command.end(), words.begin(), words.end());
  ChildEnd end;
  std::string text = output_of(command, end);
  EXPECT_EQ(end.exit_code, 0) << text;
  return text;
}

TEST(Command, GivenValuesOverrideAPreset) {
  const TemporaryDirectory directory;
  const std::string buffer = directory / "buffer.toml", preset = directory / "preset.toml",
                    both = directory / "both.toml";
  std::ofstream(buffer) << "buffer = \"240K\"\n";
  std::ofstream(preset) << "preset = \"ch8\"\n";
  std::ofstream(both) << "buffer = \"240K\"\npreset = \"ch8\"\n";
  const auto time = [](const std::vector<std::string>& variables, std::vector<std::string> words) {
    words.insert(words.begin(), {"simulate", "--messages", "20", "--technique", "wormhole", "--load", "0.8",
                                 "--message", "512", "--json", "-"});
    return only(nlohmann::json::parse(output_with(variables, words)))["time_ns"].get<double>();
  };
  const double small = time({}, {"--preset", "ch8"});
  const double large = time({}, {"--preset", "ch8", "--buffer", "240K"});
  ASSERT_NE(small, large);
  EXPECT_EQ(time({}, {"--preset", "ch8", "--config", buffer}), large);
  EXPECT_EQ(time({"HYBRID_BUFFER=240K"}, {"--preset", "ch8"}), large);
  EXPECT_EQ(time({"HYBRID_PRESET=ch8"}, {"--config", buffer}), large);
  EXPECT_EQ(time({"HYBRID_PRESET=ch8", "HYBRID_BUFFER=240K"}, {}), large);
  EXPECT_EQ(time({"HYBRID_BUFFER=240K"}, {"--config", preset}), large);
  EXPECT_EQ(time({}, {"--config", preset, "--buffer", "240K"}), large);
  EXPECT_EQ(time({}, {"--config", both}), large);
  EXPECT_EQ(time({}, {"--config", preset}), small);
  EXPECT_EQ(time({"HYBRID_PRESET=ch4"}, {"--preset", "ch8"}), small) << "one preset, the flag's";
  EXPECT_EQ(time({"HYBRID_PRESET=ch8"}, {"--config", preset, "--buffer", "128"}), small);
}

TEST(Command, AnInterruptedRunLeavesNoTimeline) {
  const TemporaryDirectory directory;
  ChildEnd end;
  output_of({"/usr/bin/timeout", "-s", "INT", "0.3", HYBRID_COMMAND, "simulate", "--nodes", "128",
             "--messages", "100000", "--technique", "wormhole", "--timeline", directory / "a.json"},
            end);
  EXPECT_FALSE(end.good());
  EXPECT_FALSE(std::filesystem::exists(directory / "a.json"));
  output({"simulate", "--messages", "2", "--technique", "wormhole", "--timeline", directory / "a.json"});
  EXPECT_TRUE(std::filesystem::exists(directory / "a.json"));
}

TEST(Command, SmallSharesAreParsedAsPrinted) {
  const TemporaryDirectory directory;
  const std::string file = directory / "load.toml";
  std::ofstream(file) << "load = 0.00001\n";
  for (const std::vector<std::string>& given :
       {std::vector<std::string>{"--config", file}, {"--load", "1e-5"}, {"--load", "0.00001"}}) {
    std::vector<std::string> words{"simulate",    "--nodes",  "4",      "--messages", "2",
                                   "--technique", "wormhole", "--json", "-"};
    words.insert(words.end(), given.begin(), given.end());
    EXPECT_EQ(only(nlohmann::json::parse(output(words)))["load"], 1e-5);
  }
}

TEST(Command, UnknownVariablesAreReported) {
  // SLOTS, CLOCK and LOAD are of other commands than these, and no mistake.
  const std::vector<std::pair<const char*, const char*>> variables{
      {"HYBRID_SLOTTS", "4"}, {"HYBRID_SLOTS", "4"}, {"HYBRID_CLOCK", "cpu"}, {"HYBRID_LOAD", "0.5"}};
  for (const auto& [name, value] : variables) ::setenv(name, value, 1);
  const std::string topology = output({"topology"});
  const std::string simulate = output({"simulate", "--nodes", "4", "--messages", "20"});
  const std::string schedule = output({"schedule", "--nodes", "4"});
  for (const auto& [name, value] : variables) ::unsetenv(name);
  for (const std::string& said : {topology, simulate, schedule})
    EXPECT_THAT(said,
                AllOf(HasSubstr("no option has the variable HYBRID_SLOTTS; did you mean HYBRID_SLOTS?;"),
                      Not(HasSubstr("variable HYBRID_CLOCK")), Not(HasSubstr("variable HYBRID_LOAD"))));
}

TEST(Command, NightlyReproduceComparesAdaptiveWithTheBestByPoint) {
  const TemporaryDirectory directory;
  const std::string file = directory / "r3.json";
  output({"reproduce", "R3", "--repeats", "1", "--output", directory / "grid", "--json", file});
  std::ifstream written(file);
  const auto result = nlohmann::json::parse(written);
  const auto& table = result.at(0).at("tables").at(0);
  ASSERT_EQ(table.at("rows").size(), 63u);
  for (const auto& row : table.at("rows")) {
    const double best = row.at(row.at("best").get<std::string>()), ours = row.at("adaptive");
    for (const char* other : {"wormhole", "ses", "sla", "preempt"}) EXPECT_LE(row.at(other), best);
    EXPECT_DOUBLE_EQ(row.at("adaptive/best (%)").get<double>(), 100 * (ours / best));
    EXPECT_GT(row.at("bound"), ours);
  }
  EXPECT_EQ(table.at("rows").back().at("buffer"), 128);
  EXPECT_EQ(table.at("rows").back().at("ratio"), 1);
  std::ifstream csv(directory / "grid/r3-mixed.csv");
  std::string head;
  std::getline(csv, head);
  EXPECT_EQ(head, "buffer,ratio,wormhole,ses,sla,preempt,best,adaptive,adaptive/best (%),bound");
}

TEST(Command, JsonIntoAFileLeavesTheTextOnStandardOutput) {
  const TemporaryDirectory directory;
  const std::string path = directory / "list.json";
  EXPECT_THAT(output({"list", "technique", "--json", path}), HasSubstr("wormhole"));
  std::ifstream file(path);
  EXPECT_TRUE(nlohmann::json::accept(std::string{std::istreambuf_iterator<char>(file), {}}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(Command, JsonIntoADeviceIsWritten) {
  EXPECT_THAT(output({"list", "technique", "--json", "/dev/null"}), HasSubstr("wormhole"));
}

TEST(Command, AFlagOverridesAnOptionThatItExcludes) {
  const TemporaryDirectory directory;
  const std::string file = directory / "tree.toml";
  std::ofstream(file) << "network = 'fattree:2,4'\n";
  const auto nodes = [](const std::vector<std::string>& variables, std::vector<std::string> words) {
    words.insert(words.begin(), {"simulate", "--messages", "2", "--technique", "wormhole", "--json", "-"});
    return only(nlohmann::json::parse(output_with(variables, words)))["nodes"].get<int>();
  };
  EXPECT_EQ(nodes({"HYBRID_NODES=4"}, {"--network", "fattree:2,4"}), 16);
  EXPECT_EQ(nodes({"HYBRID_NETWORK=fattree:2,4"}, {"--nodes", "4"}), 4);
  EXPECT_EQ(nodes({}, {"--nodes", "4", "--config", file}), 4);
  EXPECT_EQ(nodes({"HYBRID_NODES=4"}, {"--config", file}), 4);
  EXPECT_EQ(nodes({"HYBRID_OUTSTANDING=4"}, {"--nodes", "4", "--load", "0.5"}), 4);
  EXPECT_EQ(nodes({"HYBRID_COMMANDS=nowhere"}, {"--nodes", "4", "--pattern", "transpose"}), 4);
}

TEST(Command, ScheduleIgnoresVariablesOfOtherCommands) {
  const auto schedule = [](const std::vector<std::string>& variables, std::vector<std::string> words) {
    words.insert(words.begin(), {"schedule", "--repeats", "1", "--json", "-"});
    return nlohmann::json::parse(output_with(variables, words));
  };
  const auto plain = only(schedule({"HYBRID_PRELOAD=2", "HYBRID_OUTPUT=nowhere/x", "HYBRID_SLOTS=2,4",
                                    "HYBRID_PATTERN=uniform", "HYBRID_NODES=8"},
                                   {"--scheduler", "greedy"}));
  EXPECT_EQ(plain["nodes"], 8);
  EXPECT_EQ(plain["slots"], 1);
  EXPECT_EQ(plain["pattern"], "random");
  EXPECT_FALSE(plain.contains("preload"));
  EXPECT_EQ(only(schedule({"HYBRID_SLOTS=2", "HYBRID_PATTERN=shift"}, {"--scheduler", "greedy"}))["slots"],
            2);
  EXPECT_GT(schedule({"HYBRID_SCHEDULER=islip"}, {"--network", "fattree:2,4"}).size(), 1u);
  EXPECT_EQ(only(schedule({}, {"--nodes", "8", "--network", "crossbar:8", "--scheduler", "greedy"}))["nodes"],
            8);
  EXPECT_EQ(
      output_with({"HYBRID_SLOTS="}, {"schedule", "--nodes", "4", "--scheduler", "greedy"}).find("none"),
      std::string::npos);
}

TEST(Command, ACombinationNamedTwiceRunsOnce) {
  const auto results = nlohmann::json::parse(output(
      {"simulate", "--messages", "2", "--technique", "hybrid,hybrid", "--slots", "4,4", "--json", "-"}));
  EXPECT_EQ(results.size(), 1u);
}

TEST(Command, OutputOnAFullDiskLeavesNothing) {
  const TemporaryDirectory directory;
  const std::string pes = directory / "pes";
  std::filesystem::create_directory(pes);
  std::ofstream first(pes + "/pe0");
  first << "\xEF\xBB\xBF";  // a byte order mark
  for (int i = 0; i < 300; ++i) first << "send 1 8\n";
  first.close();
  std::ofstream(pes + "/pe1") << "";
  const std::string timeline = "simulate --messages 2 --technique wormhole --timeline ";
  const std::string schedule = "schedule --scheduler first-fit --nodes 128 --density 8 --output ";
  const std::string times = "simulate --technique wormhole --commands " + pes + " --commands-output ";
  const std::string all = "simulate --technique wormhole,circuit --commands " + pes + " --commands-output ";
  const std::string claim = "reproduce C12 --repeats 1 --output ";
  for (const std::string& command : {timeline, schedule, times, all, claim}) {
    ChildEnd end;
    const std::string said =
        output_of({"/bin/sh", "-c",
                   "ulimit -f 1; " + std::string(HYBRID_COMMAND) + " " + command + (directory / "new")},
                  end);
    EXPECT_EQ(end.exit_code, 1) << command << said;
    EXPECT_THAT(said, HasSubstr(directory / "new"));
    EXPECT_FALSE(std::filesystem::exists(directory / "new")) << command;
  }
}

TEST(Command, JsonOnAFullDiskLeavesNoFile) {
  const TemporaryDirectory directory;
  ChildEnd end;
  output_of(
      {"/bin/sh", "-c",
       "ulimit -f 1; " + std::string(HYBRID_COMMAND) + " list --options --json " + (directory / "new.json")},
      end);
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(Command, ReportsAFullStandardOutput) {
  ChildEnd end;
  output_of({"/bin/sh", "-c", std::string(HYBRID_COMMAND) + " list > /dev/full"}, end);
  EXPECT_EQ(end.exit_code, 1);
}

}  // namespace
}  // namespace hybrid
