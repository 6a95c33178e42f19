// The NIC's choice between circuit and worms: thresholds by hand for the default switch, and monotony.
#include "emulator/tdm/path_choice.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/random.h"

namespace hybrid {
namespace {

using State = PathChoice::Circuit;

PathChoice choice_of(SwitchParameters p, const std::string& allocation = "held") {
  p.allocation = allocation;
  const Timing timing(p);
  return {p, timing,
          WormRate{timing.word, timing.analog, p.scheduler.delay() + timing.fabric_reconfiguration}};
}

/// The least number of words that choose the circuit.
std::uint64_t threshold(const PathChoice& choice, State state, Time circuits = {}, Time worms = {}) {
  std::uint64_t words = 1;
  while (words < 100'000 && !choice.by_circuit(words, state, circuits, worms)) ++words;
  return words;
}

// Worms: 80 wire + 40 to the pass + 80 set-up + 80 wire = 280 ns, and 80 ns more for each further worm of 16
// words. A circuit: 100 ns on the way; 50 to the slot + 80 if it is expected; another 10 + 80 until the
// switch knows of the message if it is only in the table; another 40 + 80 for the pass of the scheduler if it
// is not.
TEST(PathChoice, ThresholdsOfTheDefaultSwitch) {
  const PathChoice choice = choice_of(SwitchParameters{});
  EXPECT_EQ(threshold(choice, State::open), 1U);
  EXPECT_EQ(threshold(choice, State::expected), 1U);   // 280 >= 230
  EXPECT_EQ(threshold(choice, State::in_table), 17U);  // 280 + 80 >= 320
  EXPECT_EQ(threshold(choice, State::absent), 33U);    // 280 + 2 * 80 >= 440
}

TEST(PathChoice, LongerWormsNeedLongerMessages) {
  SwitchParameters p;
  p.worm_limit = 4096;
  EXPECT_EQ(threshold(choice_of(p), State::absent), 2 * 512 + 1U);
  p.worm_lookahead = true;  // no pass between worms: a circuit never catches up
  EXPECT_EQ(threshold(choice_of(p), State::absent), 100'000U);
}

// A circuit pays 2 R unless it is open, worms R and, after them, 2 R; and each further worm 160 ns instead
// of 80.
TEST(PathChoice, AReconfigurationSpeaksForCircuits) {
  SwitchParameters p;
  const auto threshold_of = [&](Time reconfiguration, State state) {
    p.reconfiguration = reconfiguration;
    return threshold(choice_of(p), state);
  };
  EXPECT_EQ(threshold_of(microseconds(1), State::open), 1U);
  EXPECT_EQ(threshold_of(nanoseconds(20), State::in_table), 17U);  // 340 + 160 >= 360
  EXPECT_EQ(threshold_of(nanoseconds(40), State::in_table), 1U);   // 400 >= 400
  EXPECT_EQ(threshold_of(nanoseconds(20), State::absent), 17U);    // 340 + 160 >= 480
  EXPECT_EQ(threshold_of(nanoseconds(159), State::absent), 17U);
  EXPECT_EQ(threshold_of(nanoseconds(160), State::absent), 1U);  // 760 >= 760
}

// The fabric keeps unused circuits exactly where no message prefers worms while nothing is ahead.
TEST(PathChoice, DecidesWhetherTheFabricKeepsUnusedCircuits) {
  int kept = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const auto up_to = [&](std::uint64_t most) {
      return nanoseconds(static_cast<std::int64_t>(random.below(most)));
    };
    SwitchParameters p;
    p.misses_use_worms = false;
    p.cable = up_to(100);
    p.reconfiguration = up_to(1000);
    p.slot_length = nanoseconds(20) + up_to(500);
    const bool keeps = CircuitPlan::keeps_unused(p, true);
    kept += keeps ? 1 : 0;
    EXPECT_EQ(keeps, threshold(choice_of(p), State::absent) == 1) << seed;
  }
  EXPECT_GT(kept, 20);
  EXPECT_LT(kept, 280);
}

// Slots that come in turn: K = 4 and S_W, 100 ns each. A message waits 250 ns on average for either, and then
// needs 280 ns as a worm, 80 ns more for each further worm, and 100 ns on a circuit; an absent circuit needs
// 10 + 2 * 80 ns to the scheduler and back and 40 + 80 for the pass more: 640 ns.
TEST(PathChoice, SlotsInTurnNeedNoReport) {
  SwitchParameters p;
  for (const char* const allocation : {"none", "ses", "sla"}) {
    const PathChoice choice = choice_of(p, allocation);
    EXPECT_EQ(threshold(choice, State::in_table), 1U) << allocation;
    EXPECT_EQ(threshold(choice, State::expected), 1U) << allocation;
    EXPECT_EQ(threshold(choice, State::absent), 33U) << allocation;  // 530 + 2 * 80 >= 640
    // Messages ahead have slots that come anyway: those for other destinations do not speak for worms.
    EXPECT_TRUE(choice.by_circuit(
        {.words = 1, .circuit = State::in_table, .circuits_ahead = nanoseconds(400), .messages_ahead = 10}));
  }
  // A slot of 100 us carries about 100 us / 280 ns worms one after the other, which share its cycle of 500
  // us: each waits for 5 * 280 ns, and not for half a cycle as a circuit does.
  p.slot_length = microseconds(100);
  const PathChoice choice = choice_of(p, "none");
  EXPECT_EQ(threshold(choice, State::open), 1U);
  EXPECT_GT(threshold(choice, State::in_table), 10'000U);
}

// With a packet plane the cycle has no S_W: K slots of 100 us, half of them on average before that of a
// circuit.
TEST(PathChoice, BesideAPacketPlaneCircuitsWaitHalfACycle) {
  SwitchParameters p;
  p.packet_plane = 0.1;
  p.slot_length = microseconds(100);
  for (const std::int64_t slots : {1, 4, 15}) {
    p.slots = static_cast<std::uint32_t>(slots);
    const PathChoice choice = choice_of(p, "ses");
    EXPECT_FALSE(choice.by_circuit(1, State::in_table, {}, microseconds(50 * slots - 2)));
    EXPECT_TRUE(choice.by_circuit(1, State::in_table, {}, microseconds(50 * slots)));
  }
}

// Two levels, other times as in the default switch.
TEST(PathChoice, InATreeWormsAreScheduledInEverySwitchAndWaitForTheirTurn) {
  SwitchParameters p;
  p.nodes = 16;
  p.tree = {2, 4, 4};
  p.reconfiguration = microseconds(1);
  p.slot_length = microseconds(10);
  p.packet_plane = 0.1;
  const Timing timing(p);
  const Time pass = nanoseconds(40), setup = p.scheduler.delay() + timing.fabric_reconfiguration,
             hop = pass + setup + timing.analog;
  const auto chooses = [&](std::uint32_t switches, Time more) {  // of an open circuit that waits
    return choice_of(p).by_circuit(
        {.words = 1,
         .circuit = State::open,
         .opens = timing.wire + hop + timing.word - timing.circuit - timing.word + more,
         .switches = switches});
  };
  // On the packet plane: one pass and one path for each switch.
  EXPECT_TRUE(chooses(1, Time{}));
  EXPECT_FALSE(chooses(1, picoseconds(1)));
  EXPECT_TRUE(chooses(3, (hop - timing.hop) * 2));
  EXPECT_FALSE(chooses(3, (hop - timing.hop) * 2 + picoseconds(1)));
  // On the analog fabric: also half of half a turn, a reconfiguration before and two after the worms.
  p.packet_plane = 0;
  const Time r = p.unusable_slot_time(true);  // of the whole network
  const Time wait = Time{(r * 10).ps / 4} + r * 3;
  EXPECT_TRUE(chooses(1, wait));
  EXPECT_FALSE(chooses(1, wait + picoseconds(1)));
}

TEST(PathChoice, MessagesAheadHideTheSetUp) {
  const PathChoice choice = choice_of(SwitchParameters{});
  EXPECT_EQ(threshold(choice, State::absent, nanoseconds(340), nanoseconds(340)), 1U);
  // Circuits do not keep up: 280 + 11 * 80 >= 1000 + 100.
  EXPECT_EQ(threshold(choice, State::open, microseconds(1), Time{}), 11 * 16 + 1U);
}

// A circuit has whole slots of 100 ns, waits half a slot for its ports, and a pass of 80 ns if it is absent.
// Passes of worms: every 80 ns.
TEST(PathChoice, OccupancyOfThePorts) {
  SwitchParameters p;
  EXPECT_EQ(choice_of(p).circuit_occupancy(10, State::absent), nanoseconds(230));
  EXPECT_EQ(choice_of(p).circuit_occupancy(11, State::absent), nanoseconds(330));
  EXPECT_EQ(choice_of(p).circuit_occupancy(16, State::absent), nanoseconds(330));
  EXPECT_EQ(choice_of(p).circuit_occupancy(10, State::in_table), nanoseconds(150));
  EXPECT_EQ(choice_of(p).circuit_occupancy(11, State::in_table), nanoseconds(250));
  EXPECT_EQ(choice_of(p).worm_occupancy(1), nanoseconds(160));
  EXPECT_EQ(choice_of(p).worm_occupancy(16), nanoseconds(240));
  EXPECT_EQ(choice_of(p).worm_occupancy(17), nanoseconds(400));
  p.reconfiguration = nanoseconds(50);
  EXPECT_EQ(choice_of(p).circuit_occupancy(5, State::absent), nanoseconds(230));
  EXPECT_EQ(choice_of(p).circuit_occupancy(6, State::absent), nanoseconds(330));
}

// At 400 Gb/s the words of a message take 2.56 ns; two that share a circuit need a slot each. Worms take one
// pass.
TEST(PathChoice, ASlotForTwoShortMessagesIsLongerThanTheirWorms) {
  SwitchParameters p;
  p.link_rate = 400'000'000'000;
  p.scheduler = {picoseconds(1'280), 1};
  PathChoice::Offer offer{
      .words = 16, .can_be_granted = true, .worms_ahead = nanoseconds(400), .messages_ahead = 100};
  offer.worms_under_way = true;
  EXPECT_FALSE(choice_of(p).by_circuit(offer));
}

// 128 bytes occupy the ports for 240 ns as a worm, for 330 ns over a circuit of their own, for 165 ns if they
// share one.
TEST(PathChoice, ABacklogTakesThePathThatOccupiesThePortsForLess) {
  SwitchParameters p;
  const auto chooses = [&](const PathChoice::Offer& offer) { return choice_of(p).by_circuit(offer); };
  const PathChoice::Offer to_another{
      .words = 16, .can_be_granted = true, .worms_ahead = nanoseconds(2400), .messages_ahead = 10};
  EXPECT_FALSE(chooses(to_another));
  PathChoice::Offer to_the_same = to_another;
  to_the_same.worms_under_way = true;
  EXPECT_TRUE(chooses(to_the_same));
  PathChoice::Offer behind_circuits = to_another;
  std::swap(behind_circuits.circuits_ahead, behind_circuits.worms_ahead);
  EXPECT_TRUE(chooses(behind_circuits)) << "words of worms take the link from circuits";
  p.packet_plane = 0.5;  // the paths do not delay each other
  EXPECT_TRUE(chooses(to_another));
}

// With a packet plane and 10 us slots, circuits of three connections ahead have a slot each, 30 us, although
// their words take 1 us.
TEST(PathChoice, EachConnectionAheadHasAWholeSlot) {
  SwitchParameters p;
  p.packet_plane = 0.1;
  p.slot_length = microseconds(10);
  PathChoice::Offer offer{.words = 128,
                          .circuit = State::in_table,
                          .connections_with_data = 3,
                          .circuits_ahead = microseconds(1),
                          .worms_ahead = microseconds(35)};
  EXPECT_TRUE(choice_of(p).by_circuit(offer));
  offer.connections_with_data = 4;
  EXPECT_FALSE(choice_of(p).by_circuit(offer));
  offer.circuit = State::open;  // it has its slot now
  EXPECT_TRUE(choice_of(p).by_circuit(offer));
}

TEST(PathChoice, MoreWordsAndABetterStateNeverSpeakForWorms) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    SwitchParameters p;
    p.reconfiguration = nanoseconds(static_cast<std::int64_t>(random.below(3000)));
    p.worm_limit = 8 * (1 + random.below(600));
    p.slot_length = nanoseconds(static_cast<std::int64_t>(50 + random.below(500)));
    const PathChoice choice = choice_of(p);
    for (std::uint64_t words = 1; words < 3000; words += 1 + words / 7) {
      bool before = choice.by_circuit(words, State::absent, {}, {});
      if (before) {
        EXPECT_TRUE(choice.by_circuit(words + p.worm_limit / 8, State::absent, {}, {}));
      }
      for (const State better : {State::in_table, State::expected, State::open}) {
        const bool now = choice.by_circuit(words, better, {}, {});
        EXPECT_TRUE(now || !before);
        before = now;
      }
    }
  }
}

TEST(WorkAhead, CountsUntilTheNicKnows) {
  WorkAhead work;
  work.add(nanoseconds(100));
  work.add(nanoseconds(50));
  work.leaves(nanoseconds(300), nanoseconds(100));
  EXPECT_EQ(work.messages(nanoseconds(299)), 2);
  EXPECT_EQ(work.at(nanoseconds(299)), nanoseconds(150));
  EXPECT_EQ(work.at(nanoseconds(300)), nanoseconds(50));
  EXPECT_EQ(work.messages(nanoseconds(300)), 1);
}

TEST(WorkAhead, KnowsWhenAllWillHaveLeft) {
  WorkAhead work;
  EXPECT_EQ(work.all_left(), Time::never());
  work.add(nanoseconds(100));
  work.add(nanoseconds(50));
  work.leaves(nanoseconds(300), nanoseconds(50));
  EXPECT_EQ(work.all_left(), Time::never());
  work.leaves(nanoseconds(200), nanoseconds(100));  // the reports passed each other
  EXPECT_EQ(work.all_left(), nanoseconds(300));
  work.add(nanoseconds(10));
  EXPECT_EQ(work.all_left(), Time::never());
}

}  // namespace
}  // namespace hybrid
