// Wave, coll and chen-liu, with the figures of docs/timing.md. switching_test.cpp and long_message_test.cpp
// check that they deliver every message once and in order, and the same in steps of any size.
#include <gtest/gtest.h>

#include "core/error.h"
#include "emulator/network/engine.h"
#include "emulator/switching/testing/random_switch.h"
#include "emulator/switching/testing/techniques.h"
#include "emulator/ticked/ticked_split.h"

namespace hybrid {
namespace {

struct Send {
  std::int64_t at;  // ns
  Connection connection;
  Bytes bytes;
};

struct Result {
  std::vector<Outcome> outcomes;
  TechniqueStatistics statistics;
  Time delivered(std::size_t id) const { return outcomes[id].delivered; }
};

Result run(SwitchParameters p, const char* technique, const std::vector<Send>& sends) {
  p.technique = technique;
  std::vector<Action> script;
  for (const Send& s : sends)
    script.push_back(
        {Action::What::send, nanoseconds(s.at), {script.size(), s.connection, s.bytes}, 0, {}, kNoPort});
  const auto network = TechniqueRegistration::make(technique, p);
  const Recorder recorder = run_script(*network, script, milliseconds(10));
  return {recorder.outcomes, network->statistics()};
}

/// Preset ch5, half of each link for circuits: 20 ns per word on each half.
SwitchParameters halves(std::uint32_t channels = 1, Bytes split_size = 512) {
  SwitchParameters p;
  p.circuit_share = 0.5;
  p.circuit_channels = channels;
  p.split_size = split_size;
  return p;
}

TEST(SplitLinks, ShortMessagesTravelAsWormsOnTheirShare) {
  for (const char* technique : {"wave", "coll", "chen-liu"}) {
    EXPECT_EQ(run(halves(), technique, {{0, {0, 1}, 8}}).delivered(0), nanoseconds(340)) << technique;
    EXPECT_EQ(run(halves(), technique, {{0, {0, 1}, 128}}).delivered(0), nanoseconds(340 + 15 * 20))
        << technique;
    SwitchParameters p = halves();
    p.circuit_share = 0.75;
    EXPECT_EQ(run(p, technique, {{0, {0, 1}, 128}}).delivered(0), nanoseconds(340 + 15 * 40)) << technique;
  }
}

TEST(SplitLinks, ALongMessageDoesNotDelayShortMessagesToOtherPorts) {
  for (const char* technique : {"wave", "coll", "chen-liu"}) {
    const Result r = run(halves(), technique, {{0, {0, 1}, 1 << 16}, {100'000, {0, 2}, 8}});
    EXPECT_EQ(r.delivered(1), nanoseconds(100'000 + 340)) << technique;  // edge 100160
    EXPECT_GT(r.delivered(0), r.delivered(1));
  }
}

TEST(SplitLinks, AShortMessageFollowsALongMessageOfItsConnection) {
  for (const char* technique : {"wave", "coll", "chen-liu"}) {
    const Result r = run(halves(), technique, {{0, {0, 1}, 4096}, {0, {0, 1}, 8}, {0, {0, 1}, 4096}});
    EXPECT_LT(r.delivered(0), r.delivered(1)) << technique;
    EXPECT_LT(r.delivered(1), r.delivered(2)) << technique;
    EXPECT_EQ(r.statistics.circuit_messages, 3u) << technique;
  }
}

/// 8 bytes are in VQ_W at 100, leave it at 240; the NIC has the credit at 320, and words may follow them.
TEST(SplitLinks, ALongMessageDoesNotOvertakeAWormOfItsConnection) {
  SwitchParameters p = halves();
  p.scheduler.latency = 20;  // 1600 ns: the worm leaves at 1760
  const Result r = run(p, "coll", {{0, {0, 1}, 8}, {0, {0, 1}, 512}});
  EXPECT_EQ(r.delivered(0), nanoseconds(1760 + 100));
  EXPECT_EQ(r.delivered(1), nanoseconds(1760 + 80 + 63 * 20 + 110));
}

TEST(Wave, SetsUpACircuitByAControlFlitAndKeepsIt) {
  // Offered 10, flit 20, at the switch 100, edge 160, established 240, at the NIC 320; 63 words later 1580.
  // The second message finds the circuit: offered 2010, leaves 2020.
  const Result r = run(halves(), "wave", {{0, {0, 1}, 512}, {2'000, {0, 1}, 8}});
  EXPECT_EQ(r.delivered(0), nanoseconds(1580 + 110));
  EXPECT_FALSE(r.outcomes[0].hit);
  EXPECT_EQ(r.delivered(1), nanoseconds(2020 + 110));
  EXPECT_TRUE(r.outcomes[1].hit);
  EXPECT_EQ(r.statistics.requests, 1u);
  EXPECT_EQ(r.statistics.established, 1u);
  EXPECT_EQ(r.statistics.releases, 0u);
  EXPECT_EQ(r.statistics.held, nanoseconds(2130 - 240));
  EXPECT_EQ(r.statistics.held_unused, nanoseconds(2130 - 240 - 65 * 20));
}

TEST(Wave, ReleasesItsOnlyCircuitForAnother) {
  // Offered 1010: the release leaves and is at the switch at 1090, the flit at 1100; edge 1120, established
  // 1200, NIC 1280.
  const Result r = run(halves(1, 0), "wave", {{0, {0, 1}, 8}, {1'000, {0, 2}, 8}});
  EXPECT_EQ(r.delivered(0), nanoseconds(320 + 110));
  EXPECT_EQ(r.delivered(1), nanoseconds(1280 + 110));
  EXPECT_EQ(r.statistics.releases, 1u);
}

TEST(Wave, EvictsTheCircuitLeastRecentlyUsed) {
  const std::vector<Send> sends{{0, {0, 1}, 8},      {2'000, {0, 2}, 8},  {4'000, {0, 1}, 8},
                                {6'000, {0, 3}, 8},  {8'000, {0, 1}, 8},  // kept
                                {10'000, {0, 2}, 8}, {12'000, {0, 3}, 8}, {14'000, {0, 1}, 8}};
  const Result r = run(halves(2, 0), "wave", sends);
  const std::vector<bool> hits{false, false, true, false, true, false, false, false};
  for (std::size_t k = 0; k < hits.size(); ++k) EXPECT_EQ(r.outcomes[k].hit, hits[k]) << k;
}

TEST(Wave, HasACircuitReleasedIfItsOutputIsRequested) {
  // Flit of 1 at the switch 1100, edge 1120; notice at 1200, at NIC 0 at 1280; the release is at the switch
  // at 1360, an edge; established 1440, NIC 1520.
  const Result r = run(halves(1, 0), "wave", {{0, {0, 2}, 8}, {1'000, {1, 2}, 8}, {3'000, {0, 2}, 8}});
  EXPECT_EQ(r.delivered(1), nanoseconds(1520 + 110));
  EXPECT_FALSE(r.outcomes[2].hit);
  // A second switch S_2 has room for both.
  const Result two = run(halves(2, 0), "wave", {{0, {0, 2}, 8}, {1'000, {1, 2}, 8}, {3'000, {0, 2}, 8}});
  EXPECT_EQ(two.delivered(1), nanoseconds(1280 + 110));
  EXPECT_TRUE(two.outcomes[2].hit);
}

TEST(Wave, SendsEarlierMessagesBeforeTheRelease) {
  // 0 -> 2 sends 1000 words of 20 ns from 320 on. 1 requests the output meanwhile, and more messages are
  // offered to 0 -> 2, which must not delay 1.
  std::vector<Send> sends{{0, {0, 2}, 8000}, {2'000, {1, 2}, 8}};
  for (int k = 0; k < 20; ++k) sends.push_back({12'000 + k, {0, 2}, 8000});
  const Result r = run(halves(1, 0), "wave", sends);
  EXPECT_EQ(r.delivered(0), nanoseconds(320 + 999 * 20 + 110));
  // Sent until 20320; the release is at the switch at 20400, an edge; established 20480, NIC 20560.
  EXPECT_EQ(r.delivered(1), nanoseconds(20'560 + 110));
}

TEST(Coll, SendsAfterRequestAndClearToSend) {
  // Offered 10, RTS 20, at the receiver 80 + 10 + 80 later: 190; CTS 200, back at 370; 63 words later 1630.
  EXPECT_EQ(run(halves(), "coll", {{0, {0, 1}, 512}}).delivered(0), nanoseconds(1630 + 110));
  SwitchParameters p = halves();
  p.reconfiguration = nanoseconds(7);
  EXPECT_EQ(run(p, "coll", {{0, {0, 1}, 512}}).delivered(0), nanoseconds(1637 + 110));
}

TEST(Coll, ABusyReceiverRefusesAndTheSenderRequestsAgain) {
  // The receiver is free when the last word is in: 370 + 64 x 20 + 100 = 1750. RTS of 1 are there at 190 +
  // 360 k; the first in time is that at 1990; CTS 2000, at NIC 1 at 2170.
  const Result r = run(halves(), "coll", {{0, {0, 2}, 512}, {0, {1, 2}, 512}});
  EXPECT_EQ(r.delivered(0), nanoseconds(1740));
  EXPECT_EQ(r.delivered(1), nanoseconds(2170 + 63 * 20 + 110));
  EXPECT_EQ(r.statistics.requests, 7u);
}

TEST(Coll, RequestsAnotherReceiverMeanwhile) {
  // 512 bytes are generated until 10 + 64 x 10, so that the message to 3 is offered at 650; after the NACK of
  // 730 it is first: RTS 740, at 3 at 910, CTS 920, back at 1090.
  const Result r = run(halves(), "coll", {{0, {0, 2}, 4096}, {0, {1, 2}, 512}, {0, {1, 3}, 512}});
  EXPECT_EQ(r.delivered(2), nanoseconds(1090 + 63 * 20 + 110));
  EXPECT_GT(r.delivered(1), r.delivered(2));
}

/// 1 requests 2 and 3 in turn, and from 80010 on 2 twice as often as 3. 2 is free at 370 + 8192 x 20 + 100 =
/// 164310, and 3 at 655830. All requests count, including those without an event.
TEST(Coll, CountsTheRequestsThatItSkips) {
  const Result r = run(
      halves(), "coll",
      {{0, {0, 2}, 65'536}, {0, {4, 3}, 262'144}, {0, {1, 2}, 512}, {0, {1, 3}, 512}, {80'000, {1, 2}, 512}});
  EXPECT_EQ(r.delivered(2), nanoseconds(164'710 + 180 + 63 * 20 + 110));  // RTS at 190 + 457 x 360
  EXPECT_EQ(r.delivered(4), nanoseconds(167'900));
  EXPECT_EQ(r.delivered(3), nanoseconds(657'700));
  EXPECT_EQ(r.statistics.requests, 1818u);
}

/// Waiting for a message costs the same for any length of it.
TEST(Coll, RefusalsTakeNoEvents) {
  std::uint64_t before = 0;
  for (const Bytes bytes : {Bytes{1} << 24, Bytes{1} << 40}) {
    SwitchParameters p = halves();
    p.technique = "coll";
    const auto network = TechniqueRegistration::make("coll", p);
    std::vector<Action> script;
    for (const Connection c : {Connection{0, 2}, {1, 2}, {3, 2}, {3, 1}, {4, 3}, {3, 4}})
      script.push_back({Action::What::send, Time{}, {script.size(), c, bytes}, 0, {}, kNoPort});
    const Recorder recorder = run_script(*network, script, Time{std::int64_t{1} << 60});
    for (const Outcome& outcome : recorder.outcomes) EXPECT_GT(outcome.delivered, Time{}) << bytes;
    const std::uint64_t events = static_cast<Engine&>(*network).events_handled();
    EXPECT_LT(events, 500u) << bytes;
    EXPECT_GT(network->statistics().requests, bytes / 1024);
    before = events;
  }
  EXPECT_GT(before, 0u);
}

TEST(ChenLiu, ProbesThenSends) {
  // Offered 10, probe 20, at the switch 100, edge 160, reserved 240, at the receiver 330; acknowledged 340,
  // back 80 + 10 + 80 later: 510; 63 words later 1770.
  EXPECT_EQ(run(halves(), "chen-liu", {{0, {0, 1}, 512}}).delivered(0), nanoseconds(1770 + 110));
}

TEST(ChenLiu, AProbeWaitsForItsOutput) {
  // Of 0: last word gone at 510 + 64 x 20 = 1790, released at the switch 1870, edge 1920, reserved 2000; then
  // 270 to the receiver and back: 2270.
  const Result r = run(halves(), "chen-liu", {{0, {0, 2}, 512}, {0, {1, 2}, 512}});
  EXPECT_EQ(r.delivered(0), nanoseconds(1880));
  EXPECT_EQ(r.delivered(1), nanoseconds(2270 + 63 * 20 + 110));
  EXPECT_EQ(r.statistics.requests, 2u);
  EXPECT_EQ(r.statistics.held, nanoseconds(2 * (1870 - 240)));
  EXPECT_EQ(r.statistics.held_unused, nanoseconds(2 * (1870 - 240 - 64 * 20)));
}

class TickedSplitLinks : public testing::TestWithParam<std::string> {};

TEST_P(TickedSplitLinks, EqualTheReferenceThatTicksEveryWord) {
  for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, GetParam());
    p.worm_lookahead = seed % 2 == 1;
    p.nic_makes_headers = seed % 3 == 1;
    share_buffer(seed / 2, p);
    const std::vector<Action> script = random_script(random, p);
    const Recorder recorder =
        run_script(*TechniqueRegistration::make(p.technique, p), script, microseconds(10));
    ASSERT_TRUE(equal(recorder.outcomes, TickedSplit(p).run(script, 200'000))) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Techniques, TickedSplitLinks, testing::ValuesIn(techniques_of<TickedSplit>()),
                         technique_test_name);

class CircuitsOnly : public testing::TestWithParam<std::string> {};

/// With one channel and circuits for all messages, no port sends or receives two words in one word time.
TEST_P(CircuitsOnly, UseTheirChannelForOneWordAtATime) {
  for (std::uint64_t seed = 0; seed < random_cases(1000); ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, GetParam());
    p.split_size = 0;
    p.circuit_channels = 1;
    const std::vector<Action> script = random_script(random, p);
    const Recorder r = run_script(*TechniqueRegistration::make(p.technique, p), script, microseconds(10));
    std::vector<Message> messages(r.outcomes.size());
    for (const Action& action : script)
      if (action.what == Action::What::send) messages[action.message.id] = action.message;
    const Time word = time_on_link(p.word, split_rates(p).channel);
    std::map<std::pair<bool, Port>, Time> last;
    for (const std::uint64_t id : r.order) {
      const Message& m = messages[id];
      const auto words = std::max<Bytes>(1, (m.bytes + p.word - 1) / p.word);
      const Time delivered = r.outcomes[id].delivered;
      for (const auto& end : {std::pair{false, m.connection.source}, {true, m.connection.destination}}) {
        if (const auto before = last.find(end); before != last.end()) {
          ASSERT_GE(delivered - before->second, word * static_cast<std::int64_t>(words)) << "seed " << seed;
        }
        last[end] = delivered;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Techniques, CircuitsOnly, testing::ValuesIn(techniques_of<TickedSplit>()),
                         technique_test_name);

TEST(SplitOptions, RefuseSharesThatLeaveNoBandwidth) {
  OptionTable table;
  SwitchParameters p;
  p.technique = "wave";
  add_switch_options(table, p);
  table.set("circuit-share", "0.25", "test");
  table.set("circuit-channels", "4", "test");
  table.set("split-size", "2KiB", "test");
  EXPECT_EQ(split_rates(p).worms, 4'800'000'000u);
  EXPECT_EQ(split_rates(p).channel, 400'000'000u);
  EXPECT_EQ(p.split_size, 2048u);
  EXPECT_NO_THROW(check(p));
  for (const char* share : {"0", "1", "1.5", "-0.5", "half", "nan", ""})
    EXPECT_THROW(table.set("circuit-share", share, "test"), UserError) << share;
  for (const std::uint32_t channels : {0u, 65u}) {
    p.circuit_channels = channels;
    EXPECT_THROW(check(p), UserError) << channels;
  }
  p.circuit_channels = 1;
  p.circuit_share = 1;
  EXPECT_THROW(check(p), UserError);
  p.technique = "wormhole";
  EXPECT_NO_THROW(check(p)) << "wormhole does not divide its links";
  p.circuit_share = 0.5;
  p.link_rate = 1;  // a word in 128 s
  EXPECT_THROW(check(p), UserError);
}

}  // namespace
}  // namespace hybrid
