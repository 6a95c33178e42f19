#include "emulator/traffic/phase_record.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/registry.h"
#include "emulator/measures.h"
#include "emulator/replay/testing/memory_trace.h"
#include "emulator/traffic/pattern.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

/// Node 0 sends to node 1 in phases a, b, a; node 1 to node 0 in b.
class TwoNodes final : public Pattern {
 public:
  std::uint64_t messages(Port source) const override { return source == 0 ? 3 : 1; }
  Send next(Port source) override {
    Send send;
    send.destination = 1 - source;
    send.phase = source == 1 || next_++ == 1 ? 1 : 0;
    return send;
  }
  std::vector<std::string> phases() const override { return {"a", "b", "never"}; }

 private:
  int next_ = 0;
};

// A message of 100 bytes takes 100 ns on the link and 1 us more: those of node 0 arrive at 1100, 1200 and
// 1300, that of node 1 at 1100. So node 0 is in a until 1100, in b until 1200, then in a; node 1 is always in
// b.
TEST(PhaseRecord, AHandWorkedRun) {
  FixedLatency technique;
  TwoNodes pattern;
  SwitchParameters p;
  p.nodes = 2;
  TrafficOptions o;
  o.message = 100;
  const Measures m = simulate(technique, pattern, p, o);
  ASSERT_EQ(m.time, nanoseconds(1300));
  ASSERT_EQ(m.phases.size(), 2u) << "a phase without messages is not reported";
  const PhaseMeasures &a = m.phases[0], &b = m.phases[1];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.time, nanoseconds((1100 + 100) / 2));
  EXPECT_EQ(a.messages, 2u);
  EXPECT_EQ(a.bytes, 200u);
  EXPECT_EQ(a.hits, 2u);  // messages of an even number of bytes
  EXPECT_EQ(a.hit_rate(), 1);
  EXPECT_EQ(a.latency.count(), 2u);
  EXPECT_EQ(a.latency.mean(), nanoseconds(1100));
  EXPECT_DOUBLE_EQ(a.utilisation, 200 / (600 * 2 * 0.8));  // a link carries 0.8 bytes a ns
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.time, nanoseconds((100 + 1300) / 2));
  EXPECT_EQ(b.messages, 2u);
  EXPECT_DOUBLE_EQ(b.utilisation, 200 / (700 * 2 * 0.8));
}

// A message of b that overtakes the last message of a does not start b; b ends as soon as it starts.
TEST(PhaseRecord, EachInstantIsInOnePhaseEvenIfMessagesOvertake) {
  PhaseRecord record(2, {"a", "b"});
  const Message message{0, {0, 1}, 8};
  const auto first = record.sent(0, 0), second = record.sent(0, 1), third = record.sent(0, 0);
  record.delivered(nanoseconds(50), message, second, false);
  record.delivered(nanoseconds(60), message, third, true);
  record.delivered(nanoseconds(80), message, first, false);
  const auto phases = record.finish(nanoseconds(10), nanoseconds(100));
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].time, nanoseconds(90)) << "node 1 sends nothing and does not count";
  EXPECT_EQ(phases[0].messages, 2u);
  EXPECT_EQ(phases[0].hits, 1u);
  EXPECT_EQ(phases[1].time, Time{});
  EXPECT_EQ(phases[1].messages, 1u);
}

TEST(PhaseAccount, MeansAddUpToThePicosecond) {
  PhaseAccount account;
  for (const char* name : {"a", "b", "c"}) account.add(name);
  for (std::uint32_t phase = 0; phase < 3; ++phase) account.time(phase, Time{1000 + phase});
  Time sum;
  for (const PhaseMeasures& phase : account.finish(7)) sum += phase.time;
  EXPECT_EQ(sum, Time{3003 / 7});
  EXPECT_TRUE(PhaseAccount{}.finish(0).empty());
}

/// Sums over the phases of a run.
void expect_sums(const Measures& m, const std::string& of) {
  Time time;
  std::uint64_t messages = 0, hits = 0, latencies = 0;
  Bytes bytes = 0;
  double busy = 0;
  for (const PhaseMeasures& p : m.phases) {
    time += p.time;
    messages += p.messages;
    hits += p.hits;
    latencies += p.latency.count();
    bytes += p.bytes;
    busy += p.utilisation * p.time.seconds();
    EXPECT_LE(p.latency.maximum(), m.latency.maximum()) << of;
  }
  EXPECT_EQ(time, m.time) << of;
  EXPECT_EQ(messages, m.messages) << of;
  EXPECT_EQ(hits, m.statistics.hits) << of;
  EXPECT_EQ(latencies, m.latency.count()) << of;
  EXPECT_EQ(bytes, m.bytes) << of;
  EXPECT_NEAR(busy / m.time.seconds(), m.utilisation, 1e-9) << of;
}

TEST(PhaseRecord, PhasesAddUpToTheRunOnEveryTechnique) {
  for (const std::string technique :
       {"packet", "wormhole", "circuit", "tdm", "hybrid", "wave", "coll", "chen-liu"})
    for (const std::string pattern : {"two-phase", "phases"})
      for (const double load : {0.0, 0.5})
        for (const std::uint32_t preload : {0u, 2u}) {
          SwitchParameters p;
          p.technique = technique;
          p.nodes = 9;
          p.preload = preload;
          TrafficOptions o;
          o.pattern = pattern;
          o.phase_length = 10;
          o.messages = 50;
          o.load = load;
          const Measures m = simulate(p, o);
          const std::string of = technique + " " + pattern;
          ASSERT_EQ(m.phases.size(), 2u) << of;
          expect_sums(m, of);
          // The all-to-all has 8 messages per node. Four of the ten rounds of a turn are random; two in three
          // of the other six, the mesh's, send.
          EXPECT_EQ(m.phases[pattern == "phases" ? 1 : 0].messages, pattern == "phases" ? 180u : 72u) << of;
        }
}

TEST(PhaseRecord, PatternsWithoutPhasesHaveNone) {
  SwitchParameters p;
  for (const char* pattern : {"uniform", "mixed", "ordered-mesh", "all-to-all"}) {
    TrafficOptions o;
    o.pattern = pattern;
    EXPECT_TRUE(simulate(p, o).phases.empty()) << pattern;
  }
}

}  // namespace
}  // namespace hybrid
