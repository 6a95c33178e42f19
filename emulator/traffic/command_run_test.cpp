// Command files on emulated switches: instants calculated by hand from docs/timing.md, deadlocks, and random
// programs on every technique.
#include "emulator/traffic/command_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/temporary_directory.h"
#include "emulator/network/technique.h"
#include "emulator/switching/testing/random_switch.h"
#include "emulator/switching/testing/techniques.h"

namespace hybrid {
namespace {

using CommandKind = PeCommand::Kind;
using testing::AllOf;
using testing::HasSubstr;

std::vector<CommandFile> files(const std::vector<std::string>& texts, std::uint32_t nodes = 0) {
  nodes = std::max(nodes, static_cast<std::uint32_t>(texts.size()));
  std::vector<CommandFile> all(nodes);
  for (std::size_t pe = 0; pe < texts.size(); ++pe) {
    const std::string name = "pe" + std::to_string(pe) + ".txt";
    all[pe] = {name, parse_commands(texts[pe], name, static_cast<Port>(pe), nodes)};
  }
  return all;
}

CommandResult run(const std::string& technique, const std::vector<CommandFile>& all) {
  SwitchParameters p;  // preset ch5
  p.technique = technique;
  p.nodes = static_cast<std::uint32_t>(all.size());
  return run_commands(p, all);
}

Time ns(std::int64_t n) { return nanoseconds(n); }

/// Start and completion of each command of one PE, in ns.
std::vector<std::pair<std::int64_t, std::int64_t>> times(const CommandResult& result, std::size_t pe) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (const CommandTimes& t : result.pes[pe].commands)
    all.push_back({t.started / ns(1), t.completed / ns(1)});
  return all;
}
using Times = std::vector<std::pair<std::int64_t, std::int64_t>>;

// A word sent at 0: generated 10, in VQ_W at 100, granted 240, at the PE at 340. A word sent at 340:
// generated 350, NIC 360, VQ_W 440, edge 480, granted 560, fabric 570, wire 650, NIC 660.
TEST(CommandRun, PingPongThroughTheWormholeSwitch) {
  const auto result =
      run("wormhole", files({"blocking-send 1 8\nblocking-receive 1\n", "blocking-receive 0\nsend 0 8\n"}));
  EXPECT_EQ(times(result, 0), (Times{{0, 10}, {10, 660}}));
  EXPECT_EQ(times(result, 1), (Times{{0, 340}, {340, 350}}));
  EXPECT_EQ(result.measures.time, ns(660));
  EXPECT_EQ(result.pes[1].arrivals, (std::vector<CommandArrival>{{0, 8, 1, ns(0), ns(340)}}));
  EXPECT_EQ(result.pes[0].arrivals, (std::vector<CommandArrival>{{1, 8, 2, ns(340), ns(660)}}));
}

// Sent at 60: the request is at the scheduler at 160, established 240, granted 320; point to point 100,
// NIC 10.
TEST(CommandRun, AWaitThenACircuit) {
  const auto result =
      run("circuit", files({"wait 60ns\nsend 1 8\nwait 5ns\n", "blocking-receive any\nwait 1us\n"}));
  EXPECT_EQ(times(result, 0), (Times{{0, 60}, {60, 70}, {60, 65}}));
  EXPECT_EQ(times(result, 1), (Times{{0, 430}, {430, 1430}}));
  EXPECT_EQ(result.measures.time, ns(1430));
  EXPECT_EQ(result.measures.compute_time, Time{(60'000 + 5'000 + 1'000'000) / 2});
}

// Words of PE 0 in VQ_W[0][1] at 100 and in VQ_W[0][2] at 110; the edge at 160 takes the first, whose tail is
// out at 250; the edge at 320 the second: granted 400, fabric 410, wire 490, NIC 500.
TEST(CommandRun, ABroadcastSendsToEveryOtherPe) {
  const auto result = run("wormhole", files({"broadcast 8\n", "blocking-receive 0", "blocking-receive any"}));
  EXPECT_EQ(times(result, 0), (Times{{0, 20}}));
  EXPECT_EQ(times(result, 1), (Times{{0, 340}}));
  EXPECT_EQ(times(result, 2), (Times{{0, 500}}));
}

// In every round pairs exchange one word in each direction: 340, and 320 more for the next round (660, as in
// the ping-pong).
TEST(CommandRun, ABarrierExchangesWordsInRounds) {
  for (const std::uint32_t pes : {2u, 3u, 4u}) {
    const auto result = run("wormhole", files(std::vector<std::string>(pes, "barrier\n")));
    for (std::size_t pe = 0; pe < pes; ++pe) {
      EXPECT_EQ(times(result, pe), (Times{{0, pes == 2 ? 340 : 660}})) << pes;
      EXPECT_TRUE(result.pes[pe].arrivals.empty()) << "barriers' messages are not received";
    }
    EXPECT_EQ(result.measures.messages, pes == 2 ? 2u : 2u * pes);
  }
}

TEST(CommandRun, NoPeLeavesABarrierBeforeAllHaveEntered) {
  std::vector<std::string> texts(5, "barrier\nbarrier\n");
  texts[3] = "wait 7us\nbarrier\nwait 9us\nbarrier\n";
  const auto result = run("hybrid", files(texts));
  for (std::size_t pe = 0; pe < 5; ++pe) {
    const auto& commands = result.pes[pe].commands;
    EXPECT_GT(commands[pe == 3 ? 1 : 0].completed, ns(7000));
    EXPECT_GT(commands.back().completed, commands[pe == 3 ? 1 : 0].completed + (pe == 3 ? ns(9000) : Time{}));
  }
}

CommandResult run_with_multicast(const std::string& technique, const std::vector<CommandFile>& all,
                                 std::uint32_t preload = 0) {
  SwitchParameters p;  // preset ch5
  p.technique = technique;
  p.nodes = static_cast<std::uint32_t>(all.size());
  p.preload = preload;
  return run_commands(p, all, {}, {.hardware_multicast = true});
}

// Words and instants as in docs/timing.md: 8 bytes reach all PEs at 340, 128 bytes at 490 (the last word
// leaves at 160). The worm that PE 0 sends before takes 340 and does not delay the copies.
TEST(CommandRun, AHardwareBroadcastReachesAllPesAtTheSameInstant) {
  const auto result = run_with_multicast(
      "wormhole", files({"broadcast 8\n", "blocking-receive 0", "blocking-receive any"}, 5));
  EXPECT_EQ(times(result, 0), (Times{{0, 10}}));
  EXPECT_EQ(times(result, 1), (Times{{0, 340}}));
  EXPECT_EQ(times(result, 2), (Times{{0, 340}}));
  EXPECT_EQ(result.measures.time, ns(340));
  EXPECT_EQ(result.measures.multicast->messages, 2u) << "PEs without a file do not receive it";
  EXPECT_EQ(result.measures.multicast->bytes, 16u);
  EXPECT_EQ(result.measures.latency.count(), 2u);
  EXPECT_EQ(result.measures.messages, 0u) << "they do not use the links of the switch";
  EXPECT_EQ(result.measures.statistics.messages, 0u) << "the technique does not see it";

  const auto both = run_with_multicast("wormhole", files({"send 1 8\nbroadcast 128\n", "", ""}));
  EXPECT_EQ(times(both, 0), (Times{{0, 10}, {0, 160}}));
  EXPECT_EQ(both.pes[1].arrivals,
            (std::vector<CommandArrival>{{0, 8, 1, ns(0), ns(340)}, {0, 128, 2, ns(0), ns(490)}}));
  EXPECT_EQ(both.measures.statistics.messages, 1u);
  EXPECT_EQ(both.measures.messages, 1u);
  EXPECT_EQ(both.measures.ports.at(0).out, 8u);
  EXPECT_EQ(run("wormhole", files({"broadcast 8\n", "", ""})).measures.multicast, std::nullopt);
}

// The last PE enters at 7000: its word leaves at 7010 and reaches the switch at 7090; edge 7120, complete
// 7200; fabric, wire and NIC: 7300. Then all PEs enter at 7300: 7390, edge 7440, 7520, 7620.
TEST(CommandRun, AHardwareBarrierEndsForAllPesAtTheSameInstant) {
  std::vector<std::string> texts(5, "barrier\nbarrier\n");
  texts[3] = "wait 7us\nbarrier\nbarrier\n";
  const auto result = run_with_multicast("hybrid", files(texts, 6));
  for (const std::size_t pe : {0u, 1u, 2u, 4u})
    EXPECT_EQ(times(result, pe), (Times{{0, 7300}, {7300, 7620}})) << pe;
  EXPECT_EQ(times(result, 3), (Times{{0, 7000}, {7000, 7300}, {7300, 7620}}));
  EXPECT_EQ(result.measures.messages, 0u);
  EXPECT_EQ(result.measures.time, ns(7620));
  EXPECT_EQ(times(run_with_multicast("hybrid", files({"barrier\nbroadcast 8\nwait 5ns\n"}, 2)), 0),
            (Times{{0, 0}, {0, 0}, {0, 5}}))
      << "there is no other PE";
}

TEST(CommandRun, AHardwareBarrierWithAMissingPeIsADeadlock) {
  try {
    run_with_multicast("wormhole", files({"barrier\n", "wait 1us\n"}));
    ADD_FAILURE() << "the run finished";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("PE 0 at pe0.txt:1:1: barrier: PE 1 (pe1.txt) has finished, "
                                        "after 0 of 1 barriers"));
  }
}

TEST(CommandRun, HardwareMulticastsAreNotPreloaded) {
  const auto all = files({"broadcast 8\nbarrier\nsend 1 8\n", "barrier\n", "barrier\n"});
  EXPECT_EQ(run_with_multicast("tdm", all, 4).measures.statistics.preloads, 1u) << "of the send";
  SwitchParameters p;
  p.technique = "tdm";
  p.nodes = 3;
  p.preload = 4;
  EXPECT_EQ(run_commands(p, all).measures.statistics.preloads, 2u);
}

TEST(CommandRun, AFatTreeHasNoHardwareMulticast) {
  SwitchParameters p;
  p.technique = "wormhole";
  p.nodes = 4;
  p.tree = {.levels = 2, .down = 2, .up = 2};
  EXPECT_THROW(run_commands(p, files({"broadcast 8\n", "", "", ""}), {}, {.hardware_multicast = true}),
               UserError);
}

TEST(CommandRun, MessagesAreStoredAndReceivedOldestFirst) {
  // Both messages have arrived long before; `any` takes the one of PE 2, which arrived first.
  const auto result = run("wormhole", files({"wait 5us\nblocking-receive any\nblocking-receive 1\n",
                                             "wait 1us\nsend 0 8\n", "send 0 8\n"}));
  EXPECT_EQ(times(result, 0), (Times{{0, 5000}, {5000, 5000}, {5000, 5000}}));
  EXPECT_EQ(result.pes[0].arrivals[0].source, 2u);
  // A message taken by `any` is not available to a named receive.
  EXPECT_THROW(run("wormhole", files({"wait 5us\nblocking-receive any\nblocking-receive 2\n",
                                      "wait 1us\nsend 0 8\n", "send 0 8\n"})),
               UserError);
}

TEST(CommandRun, PesWithoutAFileOnlyReceive) {
  const auto result = run("wormhole", files({"send 3 8\nbarrier\nbroadcast 8\n", "barrier\n"}, 4));
  EXPECT_EQ(result.pes[3].arrivals.size(), 1u);
  EXPECT_EQ(result.pes[1].arrivals.size(), 1u);
  EXPECT_TRUE(result.pes[2].arrivals.empty());
}

TEST(CommandRun, UsedConnectionsArePreloaded) {
  SwitchParameters p;
  p.technique = "tdm";
  p.nodes = 4;
  p.slots = p.preload = 3;
  const auto result = run_commands(p, files({"wait 1us\nsend 1 8\nsend 2 8\n", "wait 1us\nsend 2 8\n",
                                             "wait 1us\nsend 3 8", "wait 1us\nsend 0 8"}));
  EXPECT_EQ(result.measures.hit_rate, 1) << "two configurations hold all five connections";
  EXPECT_EQ(result.measures.statistics.preloads, 2u);
}

std::string stalled(const std::vector<std::string>& texts) {
  try {
    run("wormhole", files(texts));
  } catch (const UserError& error) {
    return error.what();
  }
  ADD_FAILURE() << "the run finished";
  return {};
}

TEST(CommandRun, ADeadlockNamesPeFileAndLine) {
  EXPECT_THAT(
      stalled({"send 1 8\n", "blocking-receive 0\n\nblocking-receive 0\n"}),
      AllOf(HasSubstr("1 of 2 PEs wait for ever"), HasSubstr("PE 1 at pe1.txt:3:1: blocking-receive 0"),
            HasSubstr("PE 0 (pe0.txt) has finished")));
  EXPECT_THAT(stalled({"blocking-receive 1\nsend 1 8\n", "# waits first\nblocking-receive 0\nsend 0 8\n"}),
              AllOf(HasSubstr("2 of 2 PEs"),
                    HasSubstr("PE 0 at pe0.txt:1:1: blocking-receive 1: PE 1 waits at pe1.txt:2:1"),
                    HasSubstr("PE 1 at pe1.txt:2:1: blocking-receive 0: PE 0 waits at pe0.txt:1:1")));
  EXPECT_THAT(
      stalled({"barrier\n", "barrier\nbarrier\n", "barrier\nbarrier\n"}),
      AllOf(HasSubstr("PE 1 at pe1.txt:2:1: barrier: PE 0 (pe0.txt) has finished, after 1 of 2 barriers"),
            HasSubstr("the same number of barriers")));
  EXPECT_THAT(stalled({"blocking-receive any", ""}), HasSubstr("no PE sends to it any more"));
  EXPECT_THAT(stalled(std::vector<std::string>(20, "blocking-receive any")), HasSubstr("and 12 more"));
}

TEST(CommandRun, AMessageThatIsNeverDeliveredIsARunError) {
  /// Accepts all messages and delivers none.
  class Deaf final : public Technique {
    void send(Time, const Message&) override {}
    Time next_event() const override { return now_ + microseconds(1); }
    Time advance(Time until, TransferListener&) override { return now_ = until; }
    TechniqueStatistics statistics() const override { return {}; }
    Time now_{};
  };
  Deaf deaf;
  SwitchParameters p;
  p.nodes = 2;
  const auto all = files({"send 1 8", ""});
  EXPECT_THROW(run_commands(deaf, p, all), RunError);
}

/// Returns a program without deadlock: in a common order every receive follows its send.
std::vector<CommandFile> random_program(Random& random, std::uint32_t nodes) {
  std::vector<std::string> texts(nodes);
  for (std::uint64_t n = 5 + random.below(40); n > 0; --n) {
    const auto from = static_cast<Port>(random.below(nodes));
    const auto to = static_cast<Port>((from + 1 + random.below(nodes - 1)) % nodes);
    switch (random.below(6)) {
      case 0:
        for (std::string& text : texts) text += "barrier\n";
        break;
      case 1:
        texts[from] += "wait " + std::to_string(random.below(300)) + "ps\n";
        break;
      case 2:
        texts[from] += "broadcast " + std::to_string(random.below(60)) + "\n";
        for (Port pe = 0; pe < nodes; ++pe)
          if (pe != from) texts[pe] += "blocking-receive " + std::to_string(from) + "\n";
        break;
      default:
        texts[from] += (random.below(2) == 0 ? "send " : "blocking-send ") + std::to_string(to) + " " +
                       std::to_string(random.below(200)) + "\n";
        texts[to] += "blocking-receive " + std::to_string(from) + "\n";
    }
  }
  return files(texts);
}

class CommandPrograms : public testing::TestWithParam<std::string> {};

TEST_P(CommandPrograms, FinishInOrderAndAreReproducible) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, GetParam());
    p.preload = 0;
    const auto program = random_program(random, p.nodes);
    const CommandRunOptions options{.hardware_multicast = seed % 2 == 0};
    const CommandResult result = run_commands(p, program, {}, options);
    const CommandResult again = run_commands(p, program, {}, options);
    for (std::size_t pe = 0; pe < p.nodes; ++pe) {
      EXPECT_EQ(record_text(program[pe], result.pes[pe]), record_text(program[pe], again.pes[pe]));
      // Receives from one source take its messages in order, each after its arrival.
      std::map<Port, std::vector<CommandArrival>> arrivals;
      for (const CommandArrival& a : result.pes[pe].arrivals) arrivals[a.source].push_back(a);
      std::map<Port, std::size_t> taken;
      Time before{};
      for (std::size_t i = 0; i < program[pe].commands.size(); ++i) {
        const PeCommand& command = program[pe].commands[i];
        const CommandTimes& t = result.pes[pe].commands[i];
        EXPECT_EQ(t.started, before) << "continues at once";
        EXPECT_GE(t.completed, t.started);
        const bool continues = command.kind == CommandKind::send || command.kind == CommandKind::broadcast;
        before = continues ? t.started : t.completed;
        if (command.kind == CommandKind::wait) {
          EXPECT_EQ(t.completed - t.started, command.time);
        }
        if (command.kind == CommandKind::blocking_receive) {
          const CommandArrival& a = arrivals[command.peer].at(taken[command.peer]++);
          EXPECT_EQ(t.completed, std::max(t.started, a.arrived));
          const PeCommand& sent =
              *std::find_if(program[a.source].commands.begin(), program[a.source].commands.end(),
                            [&](const PeCommand& c) { return c.line == a.line; });
          EXPECT_EQ(sent.bytes, a.bytes);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Technique, CommandPrograms, testing::ValuesIn(user_techniques()),
                         technique_test_name);

TEST(CommandRecords, AreWrittenIntoANewDirectoryOnly) {
  const TemporaryDirectory directory;
  const std::string& folder = directory.path();
  const auto all = files({"send 1 8\nwait 1500ps\n", "blocking-receive any\n"}, 3);
  const auto result = run("wormhole", all);
  EXPECT_THROW(check_new_directory("commands-output", folder), UserError);
  EXPECT_THROW(check_new_directory("commands-output", folder + "/no/such"), UserError);
  EXPECT_NO_THROW(check_new_directory("commands-output", folder + "/out"));
  write_records(folder + "/out", all, result);
  EXPECT_THROW(write_records(folder + "/out", all, result), UserError);
  const auto text = [&](const std::string& file) {
    std::ostringstream all_of_it;
    all_of_it << std::ifstream(folder + "/out/" + file).rdbuf();
    return all_of_it.str();
  };
  EXPECT_EQ(text("pe0.tsv"),
            "what\tline\tpeer\tbytes\tstarted_ns\tcompleted_ns\n"
            "send\t1\t1\t8\t0\t10\n"
            "wait\t2\t-\t-\t0\t1.5\n");
  EXPECT_EQ(text("pe1.tsv"),
            "what\tline\tpeer\tbytes\tstarted_ns\tcompleted_ns\n"
            "blocking-receive\t1\tany\t-\t0\t340\n"
            "arrival\t1\t0\t8\t0\t340\n");
  EXPECT_FALSE(std::filesystem::exists(folder + "/out/pe2.tsv")) << "it has no file";
}

}  // namespace
}  // namespace hybrid
