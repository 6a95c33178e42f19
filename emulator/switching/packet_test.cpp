// Store and forward, with the figures of docs/timing.md. switching_test.cpp and long_message_test.cpp compare
// it with the reference.
#include <gtest/gtest.h>

#include "core/error.h"
#include "emulator/switching/testing/random_switch.h"

namespace hybrid {
namespace {

Time delivered(SwitchParameters p, const char* technique, Bytes bytes) {
  p.technique = technique;
  const std::vector<Action> script{{Action::What::send, {}, {0, {0, 1}, bytes}, 0, {}, kNoPort}};
  return run_script(*TechniqueRegistration::make(technique, p), script, milliseconds(1))
      .outcomes[0]
      .delivered;
}

TEST(Packet, WaitsInTheSwitchUntilItIsComplete) {
  const SwitchParameters p;                                // ch5
  EXPECT_EQ(delivered(p, "packet", 8), nanoseconds(340));  // one word: as a worm
  // In VQ_W from 100 to 250; edge 320, granted 400; the last word leaves at 550; fabric 10, wire 80, NIC 10.
  EXPECT_EQ(delivered(p, "packet", 128), nanoseconds(650));
  // The second packet is there at 260; the first one's tail has left at 560, an edge; granted 640.
  EXPECT_EQ(delivered(p, "packet", 136), nanoseconds(740));
}

/// T_pkt - T_worm = T_buffering (D equations 3.2 and 3.3).
TEST(Packet, IsLaterThanAWormByTheTimeInWhichItIsBuffered) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    SwitchParameters p = random_parameters(random, "packet");
    p.scheduler.cycle = picoseconds(1);      // no waiting for an edge
    p.word_generation = p.word_time();       // words arrive at equal intervals
    p.digital_fabric.cycle = p.word_time();  // and leave at the same
    p.buffer = kUnlimited;
    const auto limit = p.worm_limit / p.word;
    const auto payload = 1 + random.below(limit);
    const auto words = payload + p.worm_overhead_words, flit = std::min(words, p.flit / p.word);
    EXPECT_EQ(
        delivered(p, "packet", payload * p.word),
        delivered(p, "wormhole", payload * p.word) + p.word_time() * static_cast<std::int64_t>(words - flit))
        << "seed " << seed;
  }
}

TEST(Packet, NeedsABufferForOnePacket) {
  SwitchParameters p;
  p.technique = "packet";
  p.worm_overhead_words = 2;
  p.buffer = 144;
  EXPECT_NO_THROW(check(p));
  p.buffer = 136;
  EXPECT_THROW(check(p), UserError);
  p.technique = "wormhole";
  EXPECT_NO_THROW(check(p));
}

}  // namespace
}  // namespace hybrid
