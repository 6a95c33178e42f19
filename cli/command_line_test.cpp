#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/child.h"
#include "cli/testing/trace_commands.h"
#include "core/registry.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

void expect_at_most_70_columns(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 70u) << line;
}

class Parsed : public testing::Test {
 protected:
  Parsed() {
    line_.take_program();
    line_.add_option("-n,--ranks", "N", "number", number_);
    line_.add_alias("-np", "-n");
    line_.add_option("--names", "NAME,...", "list", names_);
    line_.add_option("--times", "K,...|auto", "list", [this](const std::string& value) { times_ = value; });
  }
  CommandLine line_{"test"};
  std::string number_, names_, times_;
};

TEST_F(Parsed, ValuesOfAListAreJoinedAndTheLastOfAnotherOptionCounts) {
  line_.parse({"--names", "a,b", "-n", "2", "--times", "1", "--names=c", "--ranks=3", "--times", "2,4"});
  EXPECT_EQ(names_, "a,b,c");
  EXPECT_EQ(times_, "1,2,4");
  EXPECT_EQ(number_, "3");
  line_.parse({"--names", "a,,b"});
  EXPECT_EQ(names_, "a,,b");
}

TEST_F(Parsed, AnAliasIsAnOptionOnlyBeforeTheProgram) {
  EXPECT_THAT(*line_.parse({"-np", "4", "app", "-np", "5"}), ElementsAre("app", "-np", "5"));
  EXPECT_EQ(number_, "4");
  EXPECT_THAT(*line_.parse({"--names", "-np", "-np", "6", "--", "-np"}), ElementsAre("-np"));
  EXPECT_EQ(number_, "6");
  EXPECT_EQ(names_, "-np");
}

TEST(Command, RepeatedListsAreOneList) {
  const std::vector<std::string> base{HYBRID_COMMAND, "simulate", "--nodes", "4",
                                      "--messages",   "1",        "--json",  "-"};
  const auto output = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = base;
    words.insert(words.end(), more.begin(), more.end());
    ChildEnd end;
    std::string text = output_of(words, end);
    EXPECT_EQ(end.exit_code, 0) << text;
    return text;
  };
  EXPECT_EQ(output({"--technique", "wormhole", "--slots", "2", "--technique", "tdm", "--slots", "4"}),
            output({"--technique", "wormhole,tdm", "--slots", "2,4"}));
}

TEST(Help, IsAsWideAsTheTerminalAndHasNoWordsOfTheParser) {
  for (const Listing& listing : listings()) {
    if (listing.kind != "sub-command") continue;
    ChildEnd end;
    const std::string help =
        output_of({"/usr/bin/env", "COLUMNS=70", HYBRID_COMMAND, std::string(listing.name), "--help"}, end);
    EXPECT_THAT(help, AllOf(Not(HasSubstr("REQUIRED")), Not(HasSubstr("TEXT")), Not(HasSubstr("Excludes:")),
                            Not(HasSubstr("Needs:")), Not(HasSubstr("[OPTION...]"))));
    expect_at_most_70_columns(help);
  }
}

class NarrowTerminal : public TraceCommands {};

TEST_F(NarrowTerminal, AllTextFits) {
  unpack("is-16");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"list"},
                                             {"list", "--options"},
                                             {"doctor"},
                                             {"topology", "-n", "4"},
                                             {"replay", "is-16"},
                                             {"predict", "is-16"},
                                             {"worth", "is-16", "--explain", "on"},
                                             {"profile", "is-16"},
                                             {"simulate", "--pattern", "uniform", "--nodes", "8"},
                                             {"schedule", "--nodes", "8"},
                                             {"reproduce", "C2", "--repeats", "1", "--output", "c2"}}) {
    SCOPED_TRACE(words.front());
    std::vector<std::string> command{"/usr/bin/env", "COLUMNS=70", HYBRID_COMMAND};
    command.insert(command.end(), words.begin(), words.end());
    expect_at_most_70_columns(run(command));
  }
}

}  // namespace
}  // namespace hybrid
