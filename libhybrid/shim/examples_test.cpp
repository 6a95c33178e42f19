// The example programs with the preloaded library: their results do not change, and the report counts the
// messages that they send.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "core/temporary_directory.h"
#include "libhybrid/shim/testing/recorded_run.h"

namespace hybrid::shim::testing {
namespace {

constexpr int kRanks = 4;
// Messages of an allreduce of few bytes, by recursive doubling: each of the four ranks sends in two rounds.
constexpr std::uint64_t kAllreduce = 8;
// Messages of an all-to-all of four ranks.
constexpr std::uint64_t kAlltoall = 12;

struct Messages {
  std::uint64_t sent = 0;  // by the program's own sends
  std::uint64_t of_collectives = 0;
};

struct Example {
  std::string name;
  std::vector<std::string> arguments;
  std::string ending;                                         // last words of its output
  std::function<Messages(const std::string& output)> counts;  // from its source
};

// Returns the number before `word` in a program's output.
std::uint64_t number_before(const std::string& word, const std::string& text) {
  std::smatch match;
  EXPECT_TRUE(std::regex_search(text, match, std::regex("(\\d+) " + word))) << text;
  return match.empty() ? 0 : std::stoull(match[1]);
}

std::vector<Example> examples() {
  const auto always = [](Messages messages) { return [messages](const std::string&) { return messages; }; };
  std::vector<Example> all = {
      // Four edges per rank and step; after the tenth step the largest change, at the end the number of
      // errors.
      {"halo2d", {"16", "12"}, "equal to the serial result\n", always({4 * kRanks * 12, 2 * kAllreduce})},
      // Four edges of the 2 x 2 mesh in both directions, each step; after the tenth, three ranks send to the
      // first.
      // At the end the number of errors.
      {"stencil", {"16", "10"}, "equal to the serial result\n", always({8 * 10 + 3, kAllreduce})},
      // One message and one result per task; three workers get a stop message.
      {"farm", {"2000", "20"}, "equal to the sieve\n", always({20 + 20 + 3, 0})},
      // Sixteen rounds with four neighbours each.
      {"two_phase",
       {"64", "2"},
       "every word arrived\n",
       always({2 * 16 * 4 * kRanks, 2 * kAlltoall + kAllreduce})},
      // Forward and back, each with two transpositions; one allreduce of the error.
      {"transpose", {"16", "1"}, "correct (error ", always({0, 4 * kAlltoall + kAllreduce})},
      // One row up and one down between the four slices, for the right-hand side and in each iteration. Two
      // dot
      // products per iteration and one before; the error.
      {"cg",
       {"16"},
       "the known solution (error ",
       [](const std::string& output) -> Messages {
         const std::uint64_t iterations = number_before("iterations", output);
         return {6 * (1 + iterations), (2 + 2 * iterations) * kAllreduce};
       }},
      // Edges stay within islands of 81 vertices, which overlap the hundred vertices of each rank and of the
      // next: 6
      // messages per round, and an allreduce; one more allreduce at the end.
      {"graph",
       {"100"},
       "components equal to the serial result\n",
       [](const std::string& output) -> Messages {
         return {0, number_before("rounds", output) * (6 + kAllreduce) + kAllreduce};
       }},
  };
  if constexpr (HYBRID_FORTRAN_EXAMPLE != 0) {
    // Two edges south and two east in each sweep.
    all.push_back({"wavefront", {"16", "3"}, "equal to the serial result", always({3 * 4, kAllreduce})});
  }
  return all;
}

class Examples : public ::testing::TestWithParam<Example> {};

TEST_P(Examples, ResultsAreUnchangedAndMessagesAreCounted) {
  const Example& example = GetParam();
  std::vector<std::string> command = {HYBRID_EXAMPLES "/" + example.name};
  command.insert(command.end(), example.arguments.begin(), example.arguments.end());

  const TemporaryDirectory directory;
  const Outcome bare = run_ranks(kRanks, command, {{"LD_PRELOAD", ""}}, directory.path());
  EXPECT_EQ(bare.status, 0) << bare.err;
  EXPECT_THAT(bare.out, ::testing::HasSubstr(example.ending));
  const std::string output = directory.path() + "/job";
  const Outcome outcome = run_ranks(
      kRanks, command, {{"HYBRID_OUTPUT", output}, {"LIBHYBRID_PREDICTOR_SHARE", "1"}}, directory.path());
  EXPECT_EQ(outcome.status, bare.status) << outcome.err;
  EXPECT_EQ(outcome.out, bare.out);

  std::ifstream file(output + "/report.json");
  ASSERT_TRUE(file) << outcome.err;
  const auto report = nlohmann::json::parse(file);
  const Messages expected = example.counts(bare.out);
  ASSERT_GT(expected.sent + expected.of_collectives, 0u);
  EXPECT_EQ(report["job"]["ranks"], kRanks);
  EXPECT_EQ(report["job"]["recorded"]["predicted_sends"], expected.sent);
  std::uint64_t in_phases = 0;
  for (const auto& phase : report["phases"]) in_phases += phase["messages"].get<std::uint64_t>();
  EXPECT_EQ(in_phases, expected.sent + expected.of_collectives);
  ASSERT_FALSE(report["results"].empty());
  for (const auto& result : report["results"])
    EXPECT_EQ(result["messages"], expected.sent + expected.of_collectives) << result["technique"];
}

INSTANTIATE_TEST_SUITE_P(Shim, Examples, ::testing::ValuesIn(examples()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hybrid::shim::testing
