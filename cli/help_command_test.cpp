// Help, completion and manual pages: what the command says about itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/child.h"
#include "cli/testing/trace_commands.h"
#include "core/registry.h"
#include "core/temporary_directory.h"

namespace hybrid {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Help, HelpAndVersion) {
  EXPECT_THAT(output({"--help"}), AllOf(HasSubstr("run"), HasSubstr("replay"), HasSubstr("Exit codes")));
  EXPECT_EQ(output({"help"}), output({"-h"}));
  EXPECT_THAT(output({"--version"}), testing::MatchesRegex("hybrid [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Help, ListsTheTermsButNoKeysOfResults) {
  const std::string help = std::regex_replace(output({"help"}), std::regex("\\s+"), " ");
  EXPECT_THAT(help, AllOf(HasSubstr(", gap closed,"), HasSubstr(", wormhole"), Not(HasSubstr("time_ns"))));
}

TEST(Help, EverySubCommandHasHelp) {
  for (const char* name : {"run", "replay", "simulate", "schedule", "predict", "hints", "profile", "worth",
                           "topology", "list", "recover", "doctor"}) {
    const std::string help = output({name, "--help"});
    EXPECT_THAT(help, AllOf(HasSubstr(std::string("Usage: hybrid ") + name), HasSubstr("--json"))) << name;
    EXPECT_THAT(output({"help", name}), HasSubstr(help));
  }
  EXPECT_THAT(output({"run", "--help"}), HasSubstr("hybrid run [OPTIONS] -- APP [ARGUMENT...]"));
}

TEST(Help, ALongHelpLeavesOptionsOutAndSaysSo) {
  const std::string help = output({"run", "--help"}), all = output({"run", "--help", "all"});
  EXPECT_THAT(help, AllOf(HasSubstr("--slots K"), Not(HasSubstr("--slot-length TIME")),
                          HasSubstr("more options: `hybrid run --help all`")));
  EXPECT_THAT(all,
              AllOf(HasSubstr("--slots K"), HasSubstr("--slot-length TIME"), Not(HasSubstr("more options"))));
  std::istringstream lines(help);
  int options = -1;  // --help itself
  for (std::string line; std::getline(lines, line);) options += line.starts_with("  -") ? 1 : 0;
  EXPECT_EQ(options, 10) << help;
  EXPECT_EQ(output({"profile", "--help"}), output({"profile", "--help", "all"}));
}

TEST(Help, HelpExplainsTermsOptionsAndNames) {
  EXPECT_THAT(output({"help", "working", "set"}),
              AllOf(HasSubstr("connections that a phase uses"), HasSubstr("(D 5.1)")));
  EXPECT_THAT(output({"help", "slot-length"}),
              AllOf(HasSubstr("--slot-length TIME"), HasSubstr("`hybrid run`")));
  EXPECT_EQ(output({"help", "--slot-length"}), output({"help", "Slot Length"}));
  EXPECT_EQ(output({"help", "HYBRID_SLOT_LENGTH"}), output({"help", "slot-length"}));
  EXPECT_THAT(output({"help", "tournament"}), HasSubstr("predictor tournament: "));
  ChildEnd end;
  output_of({HYBRID_COMMAND, "help", "slot-lenght"}, end);
  EXPECT_EQ(end.exit_code, 2);
}

// The keys of all objects in `json`.
void add_keys(const nlohmann::json& json, std::set<std::string>& keys) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) keys.insert(key);
    if (value.is_structured()) add_keys(value, keys);
  }
}

class HelpOfKeys : public TraceCommands {};

TEST_F(HelpOfKeys, ExplainsTheKeysOfResults) {
  unpack("cg-16");
  const auto report = nlohmann::json::parse(hybrid(
      {"replay", "cg-16", "--technique", "tdm", "--slots", "4", "--multicast", "hardware", "--json", "-"}));
  std::set<std::string> keys;
  for (const char* part : {"results", "bounds", "predictors", "phases"}) add_keys(report.at(part), keys);
  keys.erase("name");
  EXPECT_GT(keys.size(), 50u);
  for (const std::string& key : keys) EXPECT_NE(output({"help", key}), "") << key;
  EXPECT_THAT(output({"help", "network_wait_ns"}),
              HasSubstr("network_wait_ns: The mean time that a rank waits for the network"));
  EXPECT_THAT(output({"help", "gap_closed"}), HasSubstr("(wormhole - technique) / (wormhole - ideal)"));
  EXPECT_THAT(output({"help", "local_bytes"}), HasSubstr("payload of `local_messages`"));
}

// The words that bash offers for the last of `words`.
std::string completed(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += " '" + word + "'";
  ChildEnd end;
  return output_of({"/bin/bash", "-c",
                    std::string("source <(\"$0\" completion bash); COMP_WORDS=(hybrid") + line +
                        "); COMP_CWORD=" + std::to_string(words.size()) + "; _hybrid; echo ${COMPREPLY[*]}",
                    HYBRID_COMMAND},
                   end);
}

TEST(Help, BashCompletesCommandsOptionsAndValues) {
  EXPECT_EQ(completed({"rep"}), "replay report reproduce\n");
  EXPECT_EQ(completed({"replay", "x", "--slots"}), "--slots --slots-per-pass\n");
  EXPECT_EQ(completed({"replay", "x", "--technique", "wormhole,hy"}), "wormhole,hybrid\n");
  EXPECT_EQ(completed({"replay", "x", "--technique", "=", "wormhole,hy"}), "wormhole,hybrid\n");
  EXPECT_EQ(completed({"run", "--clock", ""}), "auto cpu wall\n");
  EXPECT_EQ(completed({"run", "--clock", "="}), "auto cpu wall\n");
  EXPECT_EQ(completed({"completion", ""}), "bash fish zsh\n");
  EXPECT_EQ(completed({"list", "pre"}), "predictor preset\n");
  EXPECT_EQ(completed({"list", "req"}), "request-set\n");
  EXPECT_EQ(output({"list", "request-set"}), output({"list", "request set"}));
  EXPECT_EQ(completed({"reproduce", "C2"}), "C2 C20\n");
  EXPECT_EQ(completed({"help", "working"}), "working-set\n");
  EXPECT_EQ(completed({"list", "--js"}), "--json\n");
  EXPECT_EQ(completed({"list", "--json", ""}), "\n");  // the value is a file
  EXPECT_EQ(completed({"reproduce", "--output", "C"}), "\n");
  std::istringstream kinds(completed({"list", ""}));
  for (std::string kind; kinds >> kind;) EXPECT_NE(output({"list", kind}), "") << kind;
  EXPECT_EQ(completed({"replay", "some-tra"}), "\n");  // a file: bash completes it
}

TEST(Help, CompletionsAndManualPagesContainEveryOption) {
  const TemporaryDirectory directory;
  const auto script = [&](const std::string& shell) {
    const std::string file = directory / shell;
    ChildEnd end;
    output_of({"/bin/sh", "-c", "\"$0\" completion " + shell + " > \"$1\"", HYBRID_COMMAND, file}, end);
    EXPECT_EQ(end.exit_code, 0);
    std::ifstream stream(file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string fish = script("fish"), zsh = script("zsh");
  for (const Listing& listing : listings()) {
    if (listing.kind != "sub-command") continue;
    const std::string name(listing.name);
    EXPECT_NE(fish.find("-f -a " + name + " -d"), std::string::npos) << name;
    EXPECT_NE(zsh.find(name + ") _arguments"), std::string::npos) << name;
    EXPECT_THAT(output({"manual", name}), HasSubstr(".SH SYNOPSIS\nhybrid " + name));
  }
  for (const std::string option : {"slot-length", "technique", "ranks"}) {
    EXPECT_NE(fish.find(" -l " + option), std::string::npos) << option;
    EXPECT_NE(zsh.find("'--" + option + "=["), std::string::npos) << option;
  }
  EXPECT_THAT(zsh, AllOf(HasSubstr("'--keep-journals["), HasSubstr("'-o+[")));
  EXPECT_THAT(fish, testing::ContainsRegex("-l technique -x -a '\\(__fish_append , .*wormhole.*\\)'"));
  EXPECT_THAT(fish, HasSubstr("-l predictor-order -x -d 'markov: number of destinations remembered [3]'\n"));
  std::istringstream lines(fish);
  for (std::string line; std::getline(lines, line);)  // a description ends with a clause and its default
    EXPECT_EQ(std::count(line.begin(), line.end(), '['), std::count(line.begin(), line.end(), ']')) << line;
  EXPECT_THAT(output({"manual", "run"}), HasSubstr("\\-\\-slot\\-length TIME"));
}

TEST(Help, HelpNamesTheSchedulersThatRunInASwitch) {
  const std::string help = std::regex_replace(output({"simulate", "--help", "all"}), std::regex("\\s+"), " ");
  EXPECT_THAT(help, AllOf(HasSubstr("greedy|"), HasSubstr("on a fat tree: d-mod-k, greedy, level-wise,"),
                          Not(HasSubstr("solstice")), Not(HasSubstr("turn-back"))));
}

}  // namespace
}  // namespace hybrid
