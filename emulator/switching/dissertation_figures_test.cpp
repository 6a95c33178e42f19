// The dissertation's timing diagrams, computed by hand from its text, to the picosecond.
//
// Wires except T_w, NICs and fabrics take no time here, so that only the delays of a figure remain. There is
// one difference to the emulator: a word that starts on a link at t is behind the wire at t + W, so the
// word's time on the link, w, is not counted at the last hop. If PEs generate a word in w, as in Figures 3.1
// and 3.2, the generation of the first word takes its place. In the figures of chapter 4 a delivery is at the
// *begin* of its last word, and the figure shows its end, one w later. Each test states which case applies.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "emulator/ticked/script.h"

namespace hybrid {
namespace {

constexpr Time kWord = nanoseconds(10);

SwitchParameters bare(std::uint32_t nodes) {
  SwitchParameters p;
  p.nodes = nodes;
  p.nic = {nanoseconds(10), 0};
  p.serialise = p.cable = p.deserialise = Time{};
  p.scheduler = {nanoseconds(10), 0};
  p.digital_fabric = p.analog_fabric = {nanoseconds(10), 0};
  return p;  // words of 8 bytes in 10 ns
}

// ---- Figures 3.1 and 3.2: one message through an idle switch.

constexpr Time kWire = nanoseconds(50), kScheduling = nanoseconds(80), kSetup = nanoseconds(30);

SwitchParameters chapter_3() {
  SwitchParameters p = bare(4);
  p.word_generation = kWord;
  p.cable = kWire;  // T_w
  p.worm_limit = 128;
  return p;
}

/// Delivery of a message sent at 0.
Time latency(SwitchParameters p, const char* technique, Bytes bytes) {
  p.technique = technique;
  const auto network = TechniqueRegistration::make(technique, p);
  const std::vector<Action> script{{Action::What::send, Time{}, {0, {0, 1}, bytes}, 0, {}, kNoPort}};
  return run_script(*network, script, milliseconds(1)).outcomes[0].delivered;
}

TEST(Figure3_1, ACircuitCostsRequestSchedulingSetupGrantAndTheMessage) {
  // The request crosses one T_w, is scheduled in T_sch, the switch is configured in T_setup, the grant
  // crosses one T_w back; then the message crosses both wires: 4 T_w + T_sch + T_setup + T_message. The first
  // word takes w to be generated, the others follow at w: together exactly T_message.
  SwitchParameters p = chapter_3();
  p.scheduler.latency = 8;
  p.reconfiguration = kSetup;
  for (const std::int64_t words : {1, 2, 16, 256})
    EXPECT_EQ(latency(p, "circuit", static_cast<Bytes>(words) * 8),
              kWire * 4 + kScheduling + kSetup + kWord * words)
        << words << " words";
}

/// T_sch and T_setup are consecutive for every packet: one clocked delay.
SwitchParameters scheduled_per_packet() {
  SwitchParameters p = chapter_3();
  p.scheduler.latency = 11;  // 80 + 30 ns
  return p;
}

TEST(Figure3_2, AWormCostsTwoWiresSchedulingAndItself) {
  // Equation 3.3 with k = 1: 2 T_w + (T_sch + T_setup) + T_packet. As above, T_packet is w for the first
  // word's generation and w for each of the others.
  for (const std::int64_t words : {1, 2, 16})
    EXPECT_EQ(latency(scheduled_per_packet(), "wormhole", static_cast<Bytes>(words) * 8),
              kWire * 2 + (kScheduling + kSetup) + kWord * words)
        << words << " words";
}

// D 8.4.1: a worm is header, ten words of payload, tail; "the creation of network packets" takes no time. If
// the PE is the slowest part, a message of k such worms takes as long as its payload; otherwise 2 k words
// more.
TEST(Section8_4_1, TheNicMakesHeaderAndTailInNoTime) {
  for (const char* technique : {"wormhole", "packet", "hybrid"})
    for (const std::int64_t worms : {1, 3}) {
      SwitchParameters p = scheduled_per_packet();
      p.word_generation = nanoseconds(100);
      p.worm_limit = 80;
      p.worm_overhead_words = 2;
      p.allocation = "none";
      const auto bytes = static_cast<Bytes>(80 * worms);
      p.nic_makes_headers = false;
      const Time by_pe = latency(p, technique, bytes);
      p.nic_makes_headers = true;
      const Time by_nic = latency(p, technique, bytes);
      if (technique == std::string_view("hybrid")) {  // its slots may end in between
        EXPECT_LT(by_nic, by_pe);
        continue;
      }
      // All words but the tail are generated; the tail follows the last word on the link.
      EXPECT_EQ(by_pe - by_nic, nanoseconds(100) * (2 * worms) - kWord) << technique << ", " << worms;
    }
}

TEST(Figure3_2, AMessageOfKWormsIsScheduledKTimes) {
  // Equation 3.3 has k (T_sch + T_setup) and one T_packet. But the next worm is scheduled when the previous
  // one has left, so that k T_packet = T_message pass. Difference to the printed equation: (k - 1) T_packet.
  const Time packet = kWord * 16;
  for (const std::int64_t k : {2, 3, 8})
    EXPECT_EQ(latency(scheduled_per_packet(), "wormhole", static_cast<Bytes>(k) * 128),
              kWire * 2 + (kScheduling + kSetup) * k + packet + packet * (k - 1))
        << k << " worms";
}

TEST(Figure3_2, APacketCostsItsBufferingMore) {
  // Equation 3.2: 2 T_w + k (T_sch + T_setup) + T_buffering + T_packet. T_buffering: w for the first word's
  // generation and w for each of the others. On the second link the last word's w is not counted (see above):
  // one w less than the equation; as with worms, k T_packet instead of one.
  const Time packet = kWord * 16;
  for (const std::int64_t k : {1, 2, 3})
    EXPECT_EQ(latency(scheduled_per_packet(), "packet", static_cast<Bytes>(k) * 128),
              kWire * 2 + (kScheduling + kSetup) * k + packet + packet * k - kWord)
        << k << " packets";
  // The difference to wormhole is T_buffering.
  EXPECT_EQ(latency(scheduled_per_packet(), "packet", 128) - latency(scheduled_per_packet(), "wormhole", 128),
            packet - kWord);
}

// ---- Figures 4.3 to 4.9: slots of one time unit, 100 ns, ten words.
//
// A packet is five words, so that two pass in a slot. PEs send chunks at once (1 ps a word) in the last 9 ns
// before their cycle, when no word can start any more, and the packets in the first slot. A chunk, one
// predictive slot's data of a connection, fills the slot in Figure 4.5. With S_W it is eight words: worms
// share the NIC's link with circuits, which the figures leave out, and SES gives S_W no time unless worms are
// at the switch; two words per slot arrive in time.

constexpr Time kUnit = nanoseconds(100);
constexpr Bytes kPacket = 40;

struct Chunk {
  Port to = 0;
  Time cycle{};  // its beginning, from the origin
};

struct Scenario {
  SwitchParameters p;
  Time origin{};
  std::int64_t chunk_words = 8;
  std::vector<Chunk> chunks;  // of PE 0
  std::vector<Port> packets;  // their destinations

  /// For each chunk, then for each packet: end of its last word, from `origin`, in ns.
  std::vector<double> done(const std::vector<Port>& preloaded) const {
    std::vector<Action> script;
    for (std::uint32_t s = 0; s < preloaded.size(); ++s) {
      script.push_back({Action::What::preload, Time{}, {}, s, Configuration(p.nodes), kNoPort});
      script.back().configuration.add({0, preloaded[s]});
    }
    std::uint64_t id = 0;
    const auto send = [&](Time at, Port to, Bytes bytes) {
      script.push_back({Action::What::send, origin + at, {id++, {0, to}, bytes}, 0, {}, kNoPort});
    };
    for (const Chunk& chunk : chunks)
      send(chunk.cycle - nanoseconds(9), chunk.to, static_cast<Bytes>(chunk_words) * 8);
    for (const Port to : packets) send(nanoseconds(5), to, kPacket);
    std::sort(script.begin(), script.end(), [](const Action& a, const Action& b) {
      return a.at != b.at ? a.at < b.at : a.message.id < b.message.id;
    });
    const auto network = TechniqueRegistration::make(p.technique, p);
    std::vector<double> done;
    const Recorder recorder = run_script(*network, script, milliseconds(1));
    for (const Outcome& outcome : recorder.outcomes)
      done.push_back((outcome.delivered + kWord - origin).nanoseconds());
    return done;
  }
};

Scenario scenario(const char* technique, const char* allocation, std::uint32_t slots, std::uint32_t preload) {
  Scenario s;
  s.p = bare(16);
  s.p.technique = technique;
  s.p.allocation = allocation;
  s.p.word_generation = Time{1};
  s.p.worm_limit = kPacket;
  s.p.slots = slots;
  s.p.preload = preload;
  s.p.slot_length = kUnit;
  return s;
}

/// End of a chunk of `words` words in the slot that begins at `begin`.
double chunk_in(Time begin, std::int64_t words = 8) { return (begin + kWord * words).nanoseconds(); }
/// End of the n-th packet (from 0) in the S_W that begins at `begin`: after n + 1 times five words.
double packet_in(Time begin, std::int64_t n) { return (begin + kWord * 5 * (n + 1)).nanoseconds(); }

TEST(Figure4_3, PredictiveSlotsRepeatAndTheWormholeSlotGoesRoundRobin) {
  // PE 0 to 1, 3, 4 and 12 in the slots 0 to 3; packets to 6 and 7 in the first S_W, to 8 and 9 in the
  // second. Cycles of 5 units; the counter of 4.2.2 begins one every 500 ns.
  Scenario s = scenario("hybrid", "none", 4, 4);
  const Time cycle = kUnit * 5;
  s.origin = cycle * 2;
  for (const Time begin : {Time{}, cycle})
    for (const Port to : {1U, 3U, 4U, 12U}) s.chunks.push_back({to, begin});
  s.packets = {6, 7, 8, 9};
  const std::vector<double> expected{
      chunk_in(kUnit * 0),     chunk_in(kUnit * 1),     chunk_in(kUnit * 2),     chunk_in(kUnit * 3),
      chunk_in(kUnit * 5),     chunk_in(kUnit * 6),     chunk_in(kUnit * 7),     chunk_in(kUnit * 8),
      packet_in(kUnit * 4, 0), packet_in(kUnit * 4, 1), packet_in(kUnit * 9, 0), packet_in(kUnit * 9, 1)};
  EXPECT_EQ(s.done({1, 3, 4, 12}), expected);
}

/// Figure 4.5: K = 4, configurations in slots 0 and 1 only, no S_W; four chunks for each of the two, which
/// fill their slots and wait from the start.
std::vector<double> figure_4_5(const char* allocation) {
  Scenario s = scenario("tdm", allocation, 4, 2);
  s.origin = kUnit * 20;  // slot 0 in both sequences
  s.chunk_words = 10;
  for (int i = 0; i < 4; ++i) s.chunks.insert(s.chunks.end(), {{1, Time{}}, {2, Time{}}});
  return s.done({1, 2});
}

TEST(Figure4_5, EmptySlotsTakeHalfTheTimeUnlessTheyAreSkipped) {
  std::vector<double> plain, skipping;
  for (std::int64_t cycle = 0; cycle < 4; ++cycle)
    for (std::int64_t slot = 0; slot < 2; ++slot) {
      plain.push_back(chunk_in(kUnit * (4 * cycle + slot), 10));     // S0 S1 S2 S3 S0 ...
      skipping.push_back(chunk_in(kUnit * (2 * cycle + slot), 10));  // S0 S1 S0 ...
    }
  EXPECT_EQ(figure_4_5("none"), plain);
  EXPECT_EQ(figure_4_5("ses"), skipping);
  EXPECT_EQ(skipping.back(), (kUnit * 8).nanoseconds());  // no bandwidth is lost
}

/// Figures 4.7 and 4.9: two predictive slots and S_W, in cycles of the given length; PE 0 has four chunks,
/// two per cycle, and six packets.
std::vector<double> figure_4_7(const char* allocation, Time cycle, Time wormhole_slot = Time{}) {
  Scenario s = scenario("hybrid", allocation, 2, 2);
  s.p.wormhole_slot_length = wormhole_slot;
  s.origin = kUnit * 12;  // S_P^(0) in every allocation's sequence
  s.chunks = {{1, Time{}}, {2, Time{}}, {1, cycle}, {2, cycle}};
  s.packets = {3, 4, 5, 6, 7, 8};
  return s.done({1, 2});
}

TEST(Figure4_7, EqualSlotsTakeNineTimeUnits) {
  // (a): cycles of three units, two packets in each S_W, which ends with the cycle: 3, 6, 9. SES takes as
  // long: the configurations of S_P stay loaded after their traffic has ended.
  const std::vector<double> expected{
      chunk_in(kUnit * 0),     chunk_in(kUnit * 1),     chunk_in(kUnit * 3),     chunk_in(kUnit * 4),
      packet_in(kUnit * 2, 0), packet_in(kUnit * 2, 1), packet_in(kUnit * 5, 0), packet_in(kUnit * 5, 1),
      packet_in(kUnit * 8, 0), packet_in(kUnit * 8, 1)};
  ASSERT_EQ(expected.back(), (kUnit * 9).nanoseconds());
  EXPECT_EQ(figure_4_7("none", kUnit * 3), expected);
  EXPECT_EQ(figure_4_7("ses", kUnit * 3), expected);
}

TEST(Figure4_7, AWormholeSlotHalfAsLongAgainTakesSeven) {
  // (b): cycles of 3.5 units, three packets in each S_W.
  const Time half{kUnit.ps / 2}, cycle = kUnit * 3 + half;
  std::vector<double> expected;
  for (std::int64_t c = 0; c < 2; ++c)
    for (std::int64_t slot = 0; slot < 2; ++slot) expected.push_back(chunk_in(cycle * c + kUnit * slot));
  for (std::int64_t c = 0; c < 2; ++c)
    for (std::int64_t n = 0; n < 3; ++n) expected.push_back(packet_in(cycle * c + kUnit * 2, n));
  ASSERT_EQ(expected.back(), (kUnit * 7).nanoseconds());
  EXPECT_EQ(figure_4_7("sla", cycle, kUnit + half), expected);
}

/// Two slots with circuits of PE 0, which has chunks of ten words for both, and packets of PE 8, of two words
/// and three of header, all from the start. Returns the intervals from each packet to the next, in ns; the
/// passes of the scheduler take 1 ps each.
std::vector<std::int64_t> packets_beside(int chunks, int packets, bool shares_time) {
  SwitchParameters p = scenario("hybrid", "sla", 2, 2).p;
  p.sla_shares_time = shares_time;
  p.worm_limit = 16;
  p.worm_overhead_words = 3;
  p.scheduler.cycle = picoseconds(1);
  std::vector<Action> script;
  for (std::uint32_t s = 0; s < 2; ++s) {
    script.push_back({Action::What::preload, Time{}, {}, s, Configuration(p.nodes), kNoPort});
    script.back().configuration.add({0, 1 + s});
  }
  std::uint64_t id = 0;
  for (int k = 0; k < chunks; ++k)
    script.push_back(Action::send(kUnit * 12, id++, {0, static_cast<Port>(1 + k % 2)}, 80));
  for (int k = 0; k < packets; ++k)
    script.push_back(Action::send(kUnit * 12, id++, {8, static_cast<Port>(3 + k % 3)}, 16));
  const auto network = TechniqueRegistration::make(p.technique, p);
  const Recorder recorder = run_script(*network, script, milliseconds(1));
  std::vector<std::int64_t> delivered, intervals;
  for (auto k = static_cast<std::size_t>(chunks); k < id; ++k)
    delivered.push_back(recorder.outcomes[k].delivered.ps / 1000);
  std::sort(delivered.begin(), delivered.end());
  for (std::size_t k = 1; k < delivered.size(); ++k) intervals.push_back(delivered[k] - delivered[k - 1]);
  return intervals;
}

TEST(Figure4_7, TheSwitchMeasuresThatPacketsNeedThreeUnitsBesideFourChunks) {
  // A bit more than four chunks of ten words per six packets of two: the share of the data is 0.58 units of
  // S_W, two packets as in (a). But packets move payload in 40 % of the time: 1.44 units, three packets as in
  // (b), from the second S_W on. So four chunks and six packets take seven units.
  const std::vector<std::int64_t> all = packets_beside(104, 150, true);
  std::vector<std::int64_t> expected{50, 250};  // two packets in the first S_W, then the two slots
  while (expected.size() < 100) expected.insert(expected.end(), {50, 50, 250});
  EXPECT_EQ(std::vector(all.begin(), all.begin() + 100),
            std::vector(expected.begin(), expected.begin() + 100));
  // By its share of the data, S_W has two packets, as long as a predictive slot: nine units.
  const std::vector<std::int64_t> data = packets_beside(104, 150, false);
  EXPECT_EQ(std::vector(data.begin(), data.begin() + 4), (std::vector<std::int64_t>{50, 250, 50, 250}));
}

TEST(Figure4_7, AMeasuredWormholeSlotCanBeHalfAPredictiveSlot) {
  const std::vector<std::int64_t> all = packets_beside(100, 20, true);
  EXPECT_EQ(all, std::vector<std::int64_t>(19, 250));  // one packet, 50 ns, beside the two slots of 100 ns
}

TEST(Figure4_9, PreemptTakesSevenWithoutKnowingTheRatio) {
  // After two cycles (six units) the chunks have passed: S_P is in the background, S_W follows S_W. With two
  // packets per slot, six packets take 2 + 2 + 2, so one more slot of S_W is needed: 7 units, the sum in the
  // text. The text also mentions a fourth cycle, for which its numbers leave no packet.
  const std::vector<double> expected{
      chunk_in(kUnit * 0),     chunk_in(kUnit * 1),     chunk_in(kUnit * 3),     chunk_in(kUnit * 4),
      packet_in(kUnit * 2, 0), packet_in(kUnit * 2, 1), packet_in(kUnit * 5, 0), packet_in(kUnit * 5, 1),
      packet_in(kUnit * 6, 0), packet_in(kUnit * 6, 1)};
  ASSERT_EQ(expected.back(), (kUnit * 7).nanoseconds());
  EXPECT_EQ(figure_4_7("preempt", kUnit * 3), expected);
}

}  // namespace
}  // namespace hybrid
