// Notes of ignored options, with the built command: a noted option changes no result, and an option that does
// is not noted.
#include "cli/ignored_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/child.h"
#include "core/temporary_directory.h"

namespace hybrid {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

struct Output {
  nlohmann::json result;
  std::string notes;
};

/// What `hybrid simulate WORDS --json FILE` writes, and the notes that it prints.
Output simulated(Words words) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/result.json";
  words.insert(words.begin(), {HYBRID_COMMAND, "simulate"});
  words.insert(words.end(), {"--json", file});
  ChildEnd end;
  Output output;
  const std::string text = output_of(words, end);  // both streams
  EXPECT_EQ(end.exit_code, 0) << joined(words) << "\n" << text;
  for (std::size_t at = 0, next; at < text.size(); at = next + 1) {
    next = std::min(text.find('\n', at), text.size());
    if (text.compare(at, 14, "hybrid: note: ") == 0) output.notes += text.substr(at, next - at) + "\n";
  }
  std::ifstream in(file);
  if (end.exit_code == 0) output.result = nlohmann::json::parse(in);
  return output;
}

/// Small, but with messages that worms, circuits and splits take; buffers small enough to fill.
Words base(const std::string& technique) {
  return {"--technique", technique, "--nodes",   "6",   "--pattern", "mixed",
          "--messages",  "12",      "--message", "600", "--seed",    "3"};
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct Case {
  std::string technique;
  Words common;   // given in both runs
  Words options;  // one after the other, each with its value: "--slots", "7", ...
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.technique << " " << joined(c.common) << " " << joined(c.options);
}

class IgnoredOptions : public testing::TestWithParam<Case> {};

TEST_P(IgnoredOptions, AreNotedAndChangeNothing) {
  const Case& c = GetParam();
  const Words words = with(base(c.technique), c.common);
  const Output plain = simulated(words);
  EXPECT_EQ(plain.notes, "");
  for (std::size_t i = 0; i < c.options.size(); i += 2) {
    const Output output = simulated(with(words, {c.options[i], c.options[i + 1]}));
    EXPECT_EQ(output.result, plain.result) << c.options[i];
    EXPECT_THAT(output.notes, AllOf(testing::StartsWith("hybrid: note: " + c.options[i] + " changes nothing"),
                                    testing::EndsWith("\n")));
    EXPECT_EQ(std::count(output.notes.begin(), output.notes.end(), '\n'), 1);
  }
}

const Words kSlotOptions{"--slots",
                         "7",
                         "--allocation",
                         "sla",
                         "--slot-length",
                         "1us",
                         "--guard",
                         "20ns",
                         "--scheduler",
                         "islip",
                         "--scheduler-steps",
                         "1",
                         "--slots-per-pass",
                         "all",
                         "--preload-path",
                         "direct",
                         "--predictor",
                         "markov",
                         "--predictor-timeout",
                         "1us",
                         "--predictor-pause",
                         "1us",
                         "--predictor-threshold",
                         "2",
                         "--predictor-order",
                         "1",
                         "--predictor-ahead",
                         "1",
                         "--predictor-confidence",
                         "0.9",
                         "--wormhole-slot-length",
                         "300ns",
                         "--sla-share",
                         "time"};
const Words kCircuitOptions{"--fabric",
                            "mems-2d",
                            "--reconfiguration",
                            "10us",
                            "--reconfiguration-command",
                            "1us",
                            "--reconfiguration-switching",
                            "1us",
                            "--reconfiguration-lock",
                            "1us",
                            "--analog-fabric-latency",
                            "9",
                            "--analog-fabric-cycle",
                            "35ns"};
const Words kWormOptions{"--worm-limit",     "32", "--worm-overhead", "3",
                         "--worm-lookahead", "on", "--input-queues",  "fifo"};
const Words kRequestOptions{"--request-width", "1"};
const Words kFlitOptions{"--flit", "16"};
const Words kDigitalOptions{"--digital-fabric-cycle", "33ns", "--digital-fabric-latency", "7"};
const Words kSplitOptions{"--circuit-share", "0.2", "--split-size", "64"};

INSTANTIATE_TEST_SUITE_P(
    OfTechniques, IgnoredOptions,
    testing::Values(Case{"wormhole", {}, kSlotOptions}, Case{"packet", {}, kSlotOptions},
                    Case{"circuit", {}, kSlotOptions}, Case{"wave", {}, kSlotOptions},
                    Case{"coll", {}, kSlotOptions}, Case{"chen-liu", {}, kSlotOptions},
                    Case{"wormhole,packet,circuit", {}, kSlotOptions}, Case{"wormhole", {}, kCircuitOptions},
                    Case{"packet", {}, kCircuitOptions}, Case{"circuit", {}, kWormOptions},
                    Case{"tdm", {}, kWormOptions}, Case{"circuit", {}, kFlitOptions},
                    Case{"tdm", {}, kFlitOptions}, Case{"packet", {}, kFlitOptions},
                    Case{"circuit", {}, kDigitalOptions}, Case{"tdm", {}, kDigitalOptions},
                    Case{"hybrid", {}, kDigitalOptions}, Case{"wormhole", {}, kSplitOptions},
                    Case{"packet", {}, kSplitOptions}, Case{"circuit", {}, kSplitOptions},
                    Case{"tdm,hybrid", {}, kSplitOptions}, Case{"tdm", {"--buffer", "64"}, kWormOptions},
                    Case{"wormhole,packet,tdm,hybrid,wave", {}, kRequestOptions}));

INSTANTIATE_TEST_SUITE_P(
    OfOtherChoices, IgnoredOptions,
    testing::Values(
        Case{"hybrid", {}, {"--wormhole-slot-length", "300ns"}},
        Case{"hybrid", {"--allocation", "ses"}, {"--wormhole-slot-length", "300ns"}},
        Case{"hybrid", {"--allocation", "ses"}, {"--sla-share", "time"}},
        Case{"hybrid,tdm", {"--allocation", "preempt"}, {"--wormhole-slot-length", "300ns"}},
        Case{"hybrid", {}, {"--tree-turn", "top"}},
        Case{"wormhole", {"--nodes", "16", "--network", "fattree:2,4"}, {"--tree-turn", "top"}},
        Case{"hybrid", {}, {"--scheduler-steps", "1"}},
        Case{"tdm", {"--scheduler", "wavefront"}, {"--scheduler-steps", "1"}},
        Case{"hybrid",
             {"--predictor", "timeout"},
             {"--predictor-threshold", "2", "--predictor-order", "1", "--predictor-ahead", "1",
              "--predictor-confidence", "0.9"}},
        Case{"tdm",
             {"--predictor", "lru"},
             {"--predictor-timeout", "1us", "--predictor-pause", "1us", "--predictor-threshold", "2",
              "--predictor-ahead", "1"}},
        Case{"hybrid",
             {"--predictor", "none"},
             {"--predictor-timeout", "1us", "--predictor-order", "1", "--predictor-confidence", "0.9"}},
        Case{"hybrid", {"--predictor", "counter"}, {"--predictor-pause", "1us", "--predictor-ahead", "1"}},
        Case{"hybrid", {"--predictor", "working-set"}, {"--predictor-ahead", "1"}},
        Case{"hybrid", {"--predictor", "tournament"}, {"--predictor-confidence", "0.9"}},
        Case{"hybrid", {"--predictor", "markov2"}, {"--predictor-order", "7", "--predictor-timeout", "1us"}},
        Case{"wormhole", {"--pattern", "uniform"}, {"--ratio", "0.9", "--phase-length", "3"}},
        Case{"wormhole", {}, {"--phase-length", "3"}},
        Case{"wormhole,hybrid", {"--pattern", "transpose", "--nodes", "9"}, {"--ratio", "0.9"}}));

TEST(IgnoredOptionsNotes, NoNoteOfAnOptionThatIsUsed) {
  const struct {
    std::string technique;
    Words common, option;
  } cases[] = {
      {"hybrid", {}, {"--slots", "2"}},
      {"tdm", {}, {"--guard", "30ns"}},
      {"tdm", {}, {"--allocation", "none"}},
      {"circuit", {}, {"--reconfiguration", "1us"}},
      {"circuit", {}, {"--fabric", "fast-optical"}},
      {"wave", {}, {"--reconfiguration", "1us"}},
      {"circuit", {}, {"--analog-fabric-latency", "9"}},
      {"wormhole", {}, {"--digital-fabric-latency", "7"}},
      {"packet", {}, {"--worm-limit", "64"}},
      {"wormhole", {}, {"--flit", "64"}},
      {"hybrid", {"--misses", "worms", "--predictor", "none"}, {"--worm-overhead", "2"}},
      {"wormhole", {}, {"--worm-lookahead", "on"}},
      {"circuit", {}, {"--request-width", "1"}},
      {"tdm", {}, {"--slots-per-pass", "all"}},
      {"tdm", {"--pattern", "all-to-all", "--preload", "4"}, {"--preload-path", "direct"}},
      {"tdm", {"--nodes", "16", "--network", "fattree:2,4"}, {"--tree-turn", "top"}},
      {"coll", {}, {"--split-size", "1K"}},
      {"chen-liu", {}, {"--digital-fabric-latency", "7"}},
      {"wave", {}, {"--circuit-channels", "2"}},
      {"hybrid",
       {"--allocation", "sla", "--misses", "worms", "--predictor", "timeout"},
       {"--wormhole-slot-length", "600ns"}},
      {"hybrid",
       {"--allocation", "sla", "--misses", "worms", "--predictor", "timeout"},
       {"--sla-share", "time"}},
      {"tdm", {"--scheduler", "islip", "--slots", "1"}, {"--scheduler-steps", "1"}},
      {"tdm", {"--predictor", "timeout"}, {"--predictor-timeout", "200ns"}},
      {"tdm", {"--predictor", "counter"}, {"--predictor-threshold", "1"}},
      {"tdm",
       {"--predictor", "markov2", "--pattern", "determinism", "--messages", "40"},
       {"--predictor-ahead", "1"}},
      {"wormhole", {}, {"--ratio", "0.9"}},
      {"wormhole", {"--pattern", "phases"}, {"--phase-length", "3"}},
      {"tdm", {}, {"--preload", "2"}},
  };
  for (const auto& c : cases) {
    const Words words = with(base(c.technique), c.common);
    const Output output = simulated(with(words, c.option));
    EXPECT_EQ(output.notes, "") << c.technique << joined(c.option);
    EXPECT_NE(output.result, simulated(words).result) << c.technique << joined(c.option);
  }
  EXPECT_EQ(simulated(with(base("wormhole,tdm"), {"--slots", "3", "--flit", "16"})).notes, "")
      << "one of the two techniques uses each";
}

TEST(IgnoredOptionsNotes, OneLineForEachReason) {
  const Output output =
      simulated(with(base("wormhole"), {"--slots", "3", "--guard", "20ns", "--allocation", "ses"}));
  EXPECT_EQ(
      output.notes,
      "hybrid: note: --allocation, --guard and --slots change nothing here: technique wormhole does not "
      "use them\n");
  EXPECT_EQ(
      simulated(with(base("circuit,wormhole"), {"--slots", "3", "--split-size", "64"})).notes,
      "hybrid: note: --slots and --split-size change nothing here: techniques circuit and wormhole do not "
      "use them\n");
  EXPECT_EQ(simulated(with(base("circuit,tdm"), {"--predictor-order", "1"})).notes,
            "hybrid: note: --predictor-order changes nothing here: technique circuit and predictor "
            "tournament do not use it\n");
}

TEST(IgnoredOptionsNotes, PreloadOfNothing) {
  EXPECT_EQ(simulated(with(base("wormhole"), {"--preload", "2"})).notes,
            "hybrid: note: --preload only delays the start here: technique wormhole does not use it\n");
  EXPECT_EQ(simulated(with(base("tdm"), {"--pattern", "uniform", "--preload", "2"})).notes,
            "hybrid: note: --preload only delays the start here: pattern uniform has no configuration "
            "known in advance\n");
  const Words neighbors = with(base("tdm"), {"--pattern", "permutation", "--slots", "8"});
  const Output all = simulated(with(neighbors, {"--preload", "8"}));
  EXPECT_EQ(
      all.notes,
      "hybrid: note: --preload 8 equals --preload 1 here: pattern permutation has 1 configuration known in "
      "advance\n");
  const Output those = simulated(with(neighbors, {"--preload", "1"}));
  EXPECT_EQ(those.notes, "");
  EXPECT_EQ(all.result, those.result);
}

TEST(IgnoredOptionsNotes, ATopologyIsReportedOnlyWhereItIsPreloaded) {
  const Words ring = {"--preload-topology", "ring", "--preload", "2"};
  const Output without = simulated(with(base("wormhole,circuit"), ring));
  for (const auto& result : without.result) EXPECT_FALSE(result.contains("preload_topology"));
  EXPECT_THAT(without.notes, HasSubstr("--preload-topology changes nothing here"));
  Words words = with(base("wormhole,circuit,tdm"), ring);
  const Output with_tdm = simulated(words);
  EXPECT_FALSE(with_tdm.result[0].contains("preload_topology"));
  EXPECT_TRUE(with_tdm.result[2].contains("preload_topology"));
  EXPECT_EQ(with_tdm.notes, "");
  ChildEnd end;
  words.insert(words.begin(), {HYBRID_COMMAND, "simulate"});
  EXPECT_THAT(output_of(words, end), HasSubstr("fixed preload: topology ring"));
  Words wormhole = with({HYBRID_COMMAND, "simulate"}, with(base("wormhole"), ring));
  EXPECT_THAT(output_of(wormhole, end), Not(HasSubstr("fixed preload")));
}

TEST(IgnoredOptionsNotes, AConfigurationFileCountsAsGivenAndAVariableDoesNot) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/run.toml";
  std::ofstream(file) << "guard = \"20ns\"\nmessage = 64\n";
  EXPECT_EQ(simulated(with(base("wormhole"), {"--config", file})).notes,
            "hybrid: note: --guard changes nothing here: technique wormhole does not use it\n");
  ASSERT_EQ(::setenv("HYBRID_GUARD", "20ns", 1), 0);
  EXPECT_EQ(simulated(base("wormhole")).notes, "");
  ::unsetenv("HYBRID_GUARD");
  EXPECT_EQ(simulated(with(base("wormhole"), {"--preset", "ch8"})).notes, "");
}

class IgnoredCommands : public testing::Test {
 protected:
  void SetUp() override {
    for (int pe = 0; pe < 3; ++pe)
      std::ofstream(directory_.path() + "/pe" + std::to_string(pe) + ".txt")
          << "store loop " << (pe + 1) % 3 << "\npreload loop\nsend " << (pe + 1) % 3
          << " 64\nswap-in loop\nbroadcast 8\n";
  }
  Output run(const Words& more) const { return simulated(with({"--commands", directory_.path()}, more)); }
  const TemporaryDirectory directory_;
};

TEST_F(IgnoredCommands, WorkingSetsWithoutPreload) {
  EXPECT_EQ(run({"--technique", "tdm"}).notes,
            "hybrid: note: store, preload and swap-in change nothing in the command files here: there is no "
            "--preload\n");
  EXPECT_EQ(run({"--technique", "tdm,wormhole", "--preload", "2"}).notes, "");
  EXPECT_EQ(run({"--technique", "wormhole", "--preload", "2"}).notes,
            "hybrid: note: --preload changes nothing here: technique wormhole does not use it\n"
            "hybrid: note: store, preload and swap-in change nothing in the command files here: technique "
            "wormhole does not use --preload\n");
  EXPECT_EQ(run({"--technique", "wormhole", "--preload", "2"}).result,
            run({"--technique", "wormhole"}).result);
}

TEST_F(IgnoredCommands, TheMulticastPlaneUsesTheDigitalFabricOptions) {
  const Words circuit = {"--technique", "circuit", "--multicast", "hardware"};
  EXPECT_THAT(run(with(circuit, {"--digital-fabric-latency", "9"})).notes, Not(HasSubstr("--digital")));
  EXPECT_NE(run(with(circuit, {"--digital-fabric-latency", "9"})).result, run(circuit).result);
  EXPECT_THAT(run({"--technique", "circuit", "--digital-fabric-latency", "9"}).notes,
              HasSubstr("--digital-fabric-latency changes nothing here: technique circuit does not use "
                        "it"));
}

/// `--model dissertation` sets options of the switch and of the traffic; each one that is given replaces its
/// value.
TEST(SimulatedModel, IsTheSameAsItsOptions) {
  const Words hybrid{"--preset",  "ch4",       "--technique", "hybrid",     "--allocation",
                     "ses",       "--pattern", "phases",      "--messages", "64",
                     "--message", "128",       "--seed",      "2"};
  const auto model = simulated(with(hybrid, {"--model", "dissertation"})).result;
  EXPECT_EQ(model, simulated(with(hybrid, {"--preload-path", "direct", "--mesh-edge", "torus",
                                           "--random-hits", "off", "--phase-barrier", "on"}))
                       .result);
  EXPECT_NE(model, simulated(hybrid).result);
  EXPECT_NE(model, simulated(with(hybrid, {"--model", "dissertation", "--phase-barrier", "off"})).result);
  EXPECT_EQ(simulated(hybrid).result, simulated(with(hybrid, {"--model", "ours"})).result);
}

}  // namespace
}  // namespace hybrid
