// The NIC's choice between circuit and worms: thresholds by hand for the default switch, and monotony.
#include "emulator/tdm/path_choice.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace hybrid {
namespace {

using State = PathChoice::Circuit;

PathChoice choice_of(const SwitchParameters& p) {
  const Timing timing(p);
  return {p, timing, WormRate{timing.word, timing.analog, p.scheduler.delay()}};
}

/// The least number of words that choose the circuit.
std::uint64_t threshold(const PathChoice& choice, State state, Time circuits = {}, Time worms = {}) {
  std::uint64_t words = 1;
  while (words < 100'000 && !choice.by_circuit(words, state, circuits, worms)) ++words;
  return words;
}

// Worms: 80 wire + 40 to the pass + 80 set-up + 80 wire = 280 ns, and 80 ns more for each further worm of 16
// words. A circuit: 100 ns on the way; 10 + 80 + 50 to the slot + 80 if it is in the table; another 40 + 80
// for the pass of the scheduler if it is not.
TEST(PathChoice, ThresholdsOfTheDefaultSwitch) {
  const PathChoice choice = choice_of(SwitchParameters{});
  EXPECT_EQ(threshold(choice, State::open), 1U);
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

TEST(PathChoice, AReconfigurationCountsTwiceUnlessTheCircuitIsOpen) {
  SwitchParameters p;
  p.reconfiguration = microseconds(1);
  const PathChoice choice = choice_of(p);
  EXPECT_EQ(threshold(choice, State::open), 1U);
  EXPECT_EQ(threshold(choice, State::in_table), 26 * 16 + 1U);  // 280 + 26 * 80 >= 2320
}

TEST(PathChoice, MessagesAheadHideTheSetUp) {
  const PathChoice choice = choice_of(SwitchParameters{});
  EXPECT_EQ(threshold(choice, State::absent, nanoseconds(340), nanoseconds(340)), 1U);
  // Circuits do not keep up: 280 + 11 * 80 >= 1000 + 100.
  EXPECT_EQ(threshold(choice, State::open, microseconds(1), Time{}), 11 * 16 + 1U);
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
      for (const State better : {State::in_table, State::open}) {
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
  EXPECT_EQ(work.at(nanoseconds(299)), nanoseconds(150));
  EXPECT_EQ(work.at(nanoseconds(300)), nanoseconds(50));
}

}  // namespace
}  // namespace hybrid
