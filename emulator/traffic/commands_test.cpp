#include "emulator/traffic/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/temporary_directory.h"

namespace hybrid {
namespace {

using CommandKind = PeCommand::Kind;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string refused(const std::string& text, Port self = 0, std::uint32_t nodes = 4) {
  try {
    parse_commands(text, "pe0.txt", self, nodes);
  } catch (const UserError& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

TEST(Commands, EachKindIsParsed) {
  const auto commands = parse_commands(
      "# a phase\n"
      "send 1 128\n"
      "\n"
      "\tblocking-send  2 2K   # two kilobytes\r\n"
      "broadcast 8\n"
      "blocking-receive 3\n"
      "blocking-receive any\n"
      "wait 1.5us\n"
      "barrier",
      "pe0.txt", 0, 4);
  const std::vector<PeCommand> expected{
      {CommandKind::send, 1, 128, {}, 2, 1},
      {CommandKind::blocking_send, 2, 2048, {}, 4, 2},
      {CommandKind::broadcast, kNoPort, 8, {}, 5, 1},
      {CommandKind::blocking_receive, 3, 0, {}, 6, 1},
      {CommandKind::blocking_receive, PeCommand::kAny, 0, {}, 7, 1},
      {CommandKind::wait, kNoPort, 0, nanoseconds(1500), 8, 1},
      {CommandKind::barrier, kNoPort, 0, {}, 9, 1},
  };
  ASSERT_EQ(commands, expected);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    EXPECT_EQ(commands[i].line, expected[i].line);
    EXPECT_EQ(commands[i].column, expected[i].column);
  }
  EXPECT_TRUE(parse_commands("", "x", 0, 2).empty());
  EXPECT_TRUE(parse_commands("\n \n# nothing\n", "x", 0, 2).empty());
}

TEST(Commands, WorkingSetCommandsAreParsed) {
  const auto commands = parse_commands(
      "store loop  1 3\n"
      "preload loop\n"
      "swap-in inner-2.b\n"
      " swap-in loop\n"
      "swap-out\n"
      "swap-out # of inner-2.b\n"
      "flush\n",
      "pe0.txt", 0, 4);
  ASSERT_EQ(commands.size(), 7u);
  const CommandKind kinds[] = {CommandKind::store,   CommandKind::preload,  CommandKind::swap_in,
                               CommandKind::swap_in, CommandKind::swap_out, CommandKind::swap_out,
                               CommandKind::flush};
  const char* const names[] = {"loop", "loop", "inner-2.b", "loop", "loop", "inner-2.b"};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(commands[i].kind, kinds[i]);
    EXPECT_EQ(commands[i].line, i + 1);
    if (i < 6) {
      EXPECT_EQ(commands[i].set->name, names[i]);
    }
  }
  EXPECT_EQ(commands[0].set->destinations, (std::vector<Port>{1, 3}));
  EXPECT_EQ(commands[0].set->columns, (std::vector<std::uint32_t>{13, 15}));
  EXPECT_EQ(commands[3].set->column, 10u);
  EXPECT_EQ(commands[6].set, nullptr);
}

TEST(Commands, ErrorsInWorkingSetCommandsNameThePlace) {
  EXPECT_THAT(refused("store"),
              AllOf(StartsWith("pe0.txt:1:6: the line ends where the name of a working set was expected"),
                    HasSubstr("Write: store NAME DEST...")));
  EXPECT_THAT(refused("store loop"), StartsWith("pe0.txt:1:11: the line ends where the number of a PE"));
  EXPECT_THAT(refused("store loop 1 2 any"), StartsWith("pe0.txt:1:16: 'any' is not the number of a PE"));
  EXPECT_THAT(refused("store loop 1 0"), StartsWith("pe0.txt:1:14: PE 0 cannot send to itself"));
  EXPECT_THAT(refused("store loop 4"), StartsWith("pe0.txt:1:12: there is no PE 4"));
  EXPECT_THAT(refused("store a/b 1"), StartsWith("pe0.txt:1:7: 'a/b' is not the name of a working set"));
  EXPECT_THAT(refused("preload " + std::string(65, 'x')), StartsWith("pe0.txt:1:9: 'xxx"));
  EXPECT_THAT(refused("swap-in a b"), StartsWith("pe0.txt:1:11: 'b' follows a complete command"));
  EXPECT_THAT(refused("swap-in a\nswap-out\n  swap-out\n"),
              StartsWith("pe0.txt:3:3: swap-out without a swap-in of this PE"));
  EXPECT_THAT(refused("swap-in a\n preload b\n"),
              AllOf(StartsWith("pe0.txt:2:2: preload while 'a' is swapped in"), HasSubstr("swap-out")));
  EXPECT_THAT(refused("swapin a"), HasSubstr("Did you mean 'swap-in'?"));
  EXPECT_THAT(refused("flush 3"), StartsWith("pe0.txt:1:7: '3' follows"));
}

TEST(Commands, ErrorsNameThePlaceTheExpectationAndTheFix) {
  EXPECT_THAT(refused("send 1 8\n  snd 1 8\n"),
              AllOf(StartsWith("pe0.txt:2:3: 'snd' is not a command; expected one of: send, "),
                    HasSubstr("Did you mean 'send'?")));
  EXPECT_THAT(refused("send"),
              AllOf(StartsWith("pe0.txt:1:5: the line ends where the number of a PE was expected"),
                    HasSubstr("Write: send DEST BYTES")));
  EXPECT_THAT(refused("send 1"),
              StartsWith("pe0.txt:1:7: the line ends where a number of bytes was expected"));
  EXPECT_THAT(refused("send 1 8 9"), AllOf(StartsWith("pe0.txt:1:10: '9' follows a complete command"),
                                           HasSubstr("Write: send DEST BYTES")));
  EXPECT_THAT(refused("barrier 3"), StartsWith("pe0.txt:1:9: '3' follows"));
  EXPECT_THAT(refused("send 4 8"),
              AllOf(StartsWith("pe0.txt:1:6: there is no PE 4: the last is 3"), HasSubstr("more --nodes")));
  EXPECT_THAT(refused("send 99999999999999999999999 8"), StartsWith("pe0.txt:1:6: there is no PE 9999"));
  EXPECT_THAT(refused("send 0 8"), StartsWith("pe0.txt:1:6: PE 0 cannot send to itself"));
  EXPECT_THAT(refused("blocking-receive 2", 2), StartsWith("pe0.txt:1:18: PE 2 cannot receive from itself"));
  EXPECT_THAT(refused("send -1 8"), StartsWith("pe0.txt:1:6: '-1' is not the number of a PE"));
  EXPECT_THAT(refused("send any 8"), StartsWith("pe0.txt:1:6: 'any' is not the number of a PE"));
  EXPECT_THAT(refused("blocking-receive all"), HasSubstr("or 'any'"));
  EXPECT_THAT(refused("send 1 lots"), AllOf(StartsWith("pe0.txt:1:8: "), HasSubstr("'lots'")));
  for (const std::string size : {"unlimited", "-8", "1.5"})
    EXPECT_THAT(refused("send 1 " + size), AllOf(StartsWith("pe0.txt:1:8: send: '" + size + "' is not a "),
                                                 HasSubstr("Give bytes: 128, 2K, 8KiB or 1.5M.")));
  EXPECT_THAT(refused("broadcast 2T"), StartsWith("pe0.txt:1:11: broadcast: 2 TiB are too many"));
  EXPECT_THAT(refused("wait 10"), AllOf(StartsWith("pe0.txt:1:6: "), HasSubstr("'10'")));
  EXPECT_THAT(refused("wait 10 ns"), StartsWith("pe0.txt:1:6: "));
  EXPECT_THAT(refused("wait 2000s"), StartsWith("pe0.txt:1:6: wait: 2000s is too long"));
}

/// `swapped_in`: the sets that previous commands have swapped in and not yet out.
PeCommand random_command(Random& random, Port self, std::uint32_t nodes,
                         std::vector<std::shared_ptr<const WorkingSetWords>>& swapped_in) {
  PeCommand c;
  c.kind = static_cast<CommandKind>(random.below(11));
  const bool possible = c.kind == CommandKind::swap_out
                            ? !swapped_in.empty()
                            : c.kind != CommandKind::preload || swapped_in.empty();
  if (!possible) c.kind = CommandKind::flush;
  const auto other = static_cast<Port>((self + 1 + random.below(nodes - 1)) % nodes);
  if (c.kind == CommandKind::send || c.kind == CommandKind::blocking_send ||
      c.kind == CommandKind::blocking_receive)
    c.peer = other;
  if (c.kind == CommandKind::blocking_receive && random.below(4) == 0) c.peer = PeCommand::kAny;
  if (c.kind == CommandKind::send || c.kind == CommandKind::blocking_send || c.kind == CommandKind::broadcast)
    c.bytes = random.below(Bytes{1} << random.below(40));
  if (c.kind == CommandKind::store || c.kind == CommandKind::preload || c.kind == CommandKind::swap_in) {
    auto words = std::make_shared<WorkingSetWords>();
    words->name = std::string(1 + random.below(3), static_cast<char>('a' + random.below(3)));
    if (c.kind == CommandKind::store) words->destinations.assign(1 + random.below(3), other);
    c.set = words;
  }
  if (c.kind == CommandKind::swap_in) swapped_in.push_back(c.set);
  if (c.kind == CommandKind::swap_out) {
    c.set = swapped_in.back();
    swapped_in.pop_back();
  }
  if (c.kind == CommandKind::wait)
    c.time = picoseconds(static_cast<std::int64_t>(random.below(1ULL << random.below(50))));
  return c;
}

TEST(Commands, TheTextOfACommandIsParsedBack) {
  Random random(3);  // arbitrary seed
  for (int round = 0; round < 300; ++round) {
    const auto nodes = static_cast<std::uint32_t>(2 + random.below(40));
    const auto self = static_cast<Port>(random.below(nodes));
    std::vector<PeCommand> commands;
    std::vector<std::shared_ptr<const WorkingSetWords>> swapped_in;
    std::string text;
    for (std::uint64_t n = random.below(30); n > 0; --n) {
      commands.push_back(random_command(random, self, nodes, swapped_in));
      text += to_string(commands.back()) + "\n";
    }
    EXPECT_EQ(parse_commands(text, "x", self, nodes), commands) << text;
  }
}

// Any bytes give commands or an error at an existing place.
TEST(Commands, AnyTextIsParsedOrRefusedAtAPlace) {
  Random random(11);  // arbitrary seed
  const std::string parts[] = {"send",      "blocking-send",
                               "broadcast", "blocking-receive",
                               "wait",      "barrier",
                               "store",     "preload",
                               "swap-in",   "swap-out",
                               "flush",     "loop",
                               " ",         " ",
                               "\n",        "\n",
                               "0",         "1",
                               "3",         "4",
                               "128",       "2K",
                               "1us",       "any",
                               "#",         "\t",
                               "-1",        "1e9",
                               "\r\n",      "99999999999999999999",
                               "unlimited", "0ns"};
  int accepted = 0, refusals = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::uint64_t n = random.below(12); n > 0; --n) {
      if (random.below(20) == 0)
        text += static_cast<char>(random.below(256));
      else
        text += parts[random.below(std::size(parts))] + (random.below(3) == 0 ? "" : " ");
    }
    try {
      const auto commands = parse_commands(text, "f", 0, 4);
      ++accepted;
      for (const PeCommand& c : commands) {
        if (c.peer != kNoPort) {
          ASSERT_LT(c.peer, 4u);
          ASSERT_NE(c.peer, 0u);
        }
        ASSERT_GE(c.time, Time{});
      }
    } catch (const UserError& error) {
      ++refusals;
      unsigned line = 0, column = 0;
      ASSERT_EQ(std::sscanf(error.what(), "f:%u:%u: ", &line, &column), 2) << error.what();
      std::size_t begin = 0;
      for (unsigned l = 1; l < line; ++l) begin = text.find('\n', begin) + 1;
      const std::size_t length = std::min(text.find('\n', begin), text.size()) - begin;
      ASSERT_GE(column, 1u);
      ASSERT_LE(column, length + 1) << text << error.what();
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refusals, 1000);
}

class CommandFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }
  std::string refused(const std::string& path, std::uint32_t nodes = 0) {
    try {
      read_command_files(path, nodes);
    } catch (const UserError& error) {
      return error.what();
    }
    ADD_FAILURE() << "accepted";
    return {};
  }
  const TemporaryDirectory directory_;
  const std::string& folder_ = directory_.path();
};

TEST_F(CommandFiles, ThereIsOnePerPeInOrderOfTheirNumbers) {
  for (int pe = 0; pe < 12; ++pe)
    write("pe" + std::to_string(pe) + ".txt", "wait " + std::to_string(pe) + "ns\n");
  write(".hidden0.txt", "nonsense");
  write("README.md", "nonsense");
  for (const std::string& path : {folder_, folder_ + "/pe", folder_ + "/"}) {
    const auto files = read_command_files(path, 0);
    ASSERT_EQ(files.size(), 12u);
    for (int pe = 0; pe < 12; ++pe)
      EXPECT_EQ(files[static_cast<std::size_t>(pe)].commands[0].time, nanoseconds(pe));
    EXPECT_EQ(count_command_files(path), 12u);
  }
  const auto more = read_command_files(folder_, 16);
  ASSERT_EQ(more.size(), 16u);
  EXPECT_TRUE(more[15].name.empty());
}

TEST_F(CommandFiles, APrefixSelectsItsFilesOnly) {
  write("ring0", "send 1 8\n");
  write("ring1", "send 0 8\n");
  write("star0", "send 2 8\n");
  EXPECT_EQ(read_command_files(folder_ + "/ring", 0).size(), 2u);
  EXPECT_THAT(refused(folder_),
              AllOf(HasSubstr("ring0"), HasSubstr("star0"), HasSubstr("both files of PE 0")));
}

TEST_F(CommandFiles, MissingFilesAreNamed) {
  EXPECT_THAT(refused(folder_), HasSubstr("no command file in"));
  EXPECT_THAT(refused(folder_ + "/no/such"), HasSubstr("cannot read the directory"));
  write("pe0.txt", "");
  write("pe2.txt", "");
  EXPECT_THAT(refused(folder_), AllOf(HasSubstr("PE 1 has no file"), HasSubstr("pe2.txt")));
  write("pe1.txt", "barrier\nsend 3 8\n");
  EXPECT_THAT(refused(folder_), HasSubstr("pe1.txt:2:6: there is no PE 3: the last is 2"));
  EXPECT_EQ(read_command_files(folder_, 4).size(), 4u) << "--nodes is larger";
}

}  // namespace
}  // namespace hybrid
