// Results of a replay: by phase, with each technique, and word by word.
#include <gtest/gtest.h>

#include <map>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "emulator/network/technique.h"
#include "emulator/network/timeline.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/testing/jobs.h"
#include "emulator/replay/testing/memory_trace.h"
#include "emulator/switching/bounds.h"
#include "emulator/switching/testing/techniques.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;

// Rank 0 is in phase a for 1 us and in b, which is inside a, for 2 us; rank 1 for 1 and 4 us; rank 2 in no
// phase. The job ends at 5 us. Messages with an even number of bytes are hits. A message of n bytes takes n
// ns + 1 us.
TEST(Replay, PhasesHaveTheirMessagesAndTheMeanTimeOfTheRanks) {
  MemoryTrace trace(3);
  trace.regions = {"a", "b"};
  const auto phase = [](Kind kind, std::uint32_t region, Time compute = {}) {
    Operation o = make(kind, 0, 0, compute);
    o.region = region;
    return o;
  };
  for (std::uint32_t r = 0; r < 2; ++r) {
    trace.add(r, phase(Kind::phase_begin, 0));
    trace.add(r, make(Kind::send_start, 2, 10, {}, 1));
    trace.add(r, phase(Kind::phase_begin, 1, microseconds(1)));
    trace.add(r, make(Kind::send_start, 2, 31, {}, 2));
    trace.add(r, phase(Kind::phase_end, 1, microseconds(r == 0 ? 2 : 4)));
    trace.add(r, phase(Kind::phase_end, 0));
    trace.add(r, finish());
  }
  const ReplayResult result = run(trace);
  const auto& phases = result.measures.phases;
  ASSERT_EQ(result.measures.time, microseconds(5));
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[0].name, "a");
  EXPECT_EQ(phases[0].messages, 2u);
  EXPECT_EQ(phases[0].bytes, 20u);
  EXPECT_EQ(phases[0].hits, 2u);
  EXPECT_EQ(phases[0].latency.mean(), nanoseconds(1010));
  EXPECT_EQ(phases[1].name, "b");
  EXPECT_EQ(phases[1].messages, 2u);
  EXPECT_EQ(phases[1].bytes, 62u);
  EXPECT_EQ(phases[1].hits, 0u);
  EXPECT_EQ(phases[1].latency.mean(), nanoseconds(1031));
  EXPECT_EQ(phases[1].time, microseconds(2));  // (2 + 4) / 3
  EXPECT_EQ(phases[2].name, "outside phases");
  EXPECT_EQ(phases[2].messages, 0u);
  // In a: (1 + 1) / 3 us; outside: (2 + 0 + 5) / 3 us. Sums are exact.
  EXPECT_EQ(phases[0].time + phases[1].time + phases[2].time, result.measures.time);
  EXPECT_NEAR(phases[0].time.nanoseconds(), 2000.0 / 3, 0.001);
  // 62 bytes in 2 us on 3 links of 0.8 bytes a ns.
  EXPECT_DOUBLE_EQ(phases[1].utilisation, 62 / (2000 * 3 * 0.8));
}

// Phases by recorded time: the first one from 0 to 10 us and from 20 us on, the second one from 10 to 20 us.
TEST(Replay, AScheduleDefinesThePhaseOfEachOperation) {
  MemoryTrace trace(2);
  const auto at = [](Operation o, std::int64_t us) {
    o.at = microseconds(us);
    return o;
  };
  trace.add(0, at(make(Kind::send, 1, 100, microseconds(1)), 1));
  trace.add(0, at(make(Kind::send, 1, 200, microseconds(8)), 10));
  trace.add(0, at(make(Kind::send_start, 1, 400, microseconds(9), 1), 19));
  trace.add(0, at(make(Kind::send_complete, 0, 0, microseconds(3), 1), 25));
  trace.add(0, at(make(Kind::send, 1, 1000), 26));
  trace.add(0, finish());
  trace.add(1, at(make(Kind::recv, 0, 100), 2));
  trace.add(1, at(make(Kind::recv, 0, 200), 12));
  trace.add(1, at(make(Kind::recv, 0, 400), 24));
  trace.add(1, at(make(Kind::recv, 0, 1000), 30));
  trace.add(1, finish());
  ReplayOptions options;
  options.phases = {{"phase 1", "phase 2"},
                    {{microseconds(1), 0}, {microseconds(10), 1}, {microseconds(20), 0}}};
  const ReplayResult result = run(trace, options);
  const auto& phases = result.measures.phases;
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].name, "phase 1");
  EXPECT_EQ(phases[0].messages, 2u);
  EXPECT_EQ(phases[0].bytes, 1100u);
  EXPECT_EQ(phases[1].messages, 2u);
  EXPECT_EQ(phases[1].bytes, 600u);
  // Rank 0 sends at 1 us (has left at 1.1), 9.1 (9.3) and 18.3, and returns to the first phase at 21.3. Rank
  // 1 receives the first message at 2.1 us, the second one at 10.3, where its second phase ends, and the last
  // one at 23.3.
  EXPECT_EQ(result.measures.time, nanoseconds(23'300));
  EXPECT_EQ(phases[1].time, nanoseconds((21'300 - 9'100 + 10'300 - 2'100) / 2));
  EXPECT_EQ(phases[0].time + phases[1].time, result.measures.time);
}

TEST(Replay, EveryCollectiveEndsAndTheSameJobGivesTheSameResult) {
  for (const std::uint32_t ranks : {2u, 3u, 7u, 8u, 33u}) {
    ReplayResult results[2];
    for (ReplayResult& result : results) {
      MemoryTrace trace(ranks);
      random_job(trace, ranks);
      result = run(trace);
    }
    EXPECT_GT(results[0].measures.messages, 60u * ranks / 2);
    EXPECT_EQ(results[0].measures.time, results[1].measures.time);
    EXPECT_EQ(results[0].measures.messages, results[1].measures.messages);
    EXPECT_EQ(results[0].measures.latency.mean(), results[1].measures.latency.mean());
    EXPECT_EQ(results[0].measures.communication_time, results[1].measures.communication_time);
  }
}

// Each port sends in the order of its program, as uncontended.cpp requires.
TEST(Replay, NoTechniqueEndsAJobBeforeTheBounds) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto time = [&](std::string_view technique) {
      MemoryTrace trace(2 + static_cast<std::uint32_t>(seed) % 8);
      random_job(trace, seed, false);
      SwitchParameters parameters;
      parameters.technique = technique;
      return replay(trace, parameters, {}).measures.time;
    };
    const Time bound = time("uncontended");
    EXPECT_LE(time("no-network"), bound) << seed;
    for (const std::string& name : user_techniques())
      if (!is_instant(name)) {
        EXPECT_LE(bound, time(name)) << name << ", seed " << seed;
      }
  }
}

// What remains is computing and waiting for other ranks, with or without multicast in the fabric.
TEST(Replay, WithoutANetworkAJobComputesAndWaitsForOtherRanks) {
  for (const bool hardware_multicast : {false, true}) {
    MemoryTrace trace(3);
    trace.add(0, make(Kind::send, 1, 100'000, microseconds(5)));
    trace.add(1, make(Kind::recv, 0, 100'000, microseconds(1)));
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      trace.add(rank, collective(CollectiveOp::barrier, 0));
      trace.add(rank, collective(CollectiveOp::bcast, 1000));  // from rank 0
      trace.add(rank, finish(microseconds(1)));
    }
    SwitchParameters parameters;
    parameters.technique = "no-network";
    ReplayOptions options;
    options.hardware_multicast = hardware_multicast;
    const Measures m = replay(trace, parameters, options).measures;
    EXPECT_EQ(m.time, microseconds(6));
    EXPECT_EQ(m.compute_time, microseconds((6 + 2 + 1) / 3));
    EXPECT_EQ(m.communication_time, microseconds((0 + 4 + 5) / 3));
    EXPECT_EQ(m.latency.maximum(), Time{});
  }
}

TEST(Replay, EveryTechniqueEndsTheJobWithTheSameMessages) {
  std::uint64_t messages = 0;
  for (const std::string_view name : registered_names(Technique::kKind)) {
    ReplayResult results[2];
    for (ReplayResult& result : results) {
      MemoryTrace trace(9);
      random_job(trace, 77);
      SwitchParameters parameters;
      parameters.technique = name;
      result = replay(trace, parameters, {});
    }
    const Measures& m = results[0].measures;
    if (messages == 0) messages = m.messages;
    EXPECT_EQ(m.messages, messages) << name;
    EXPECT_EQ(m.statistics.messages, messages) << name;
    EXPECT_EQ(m.statistics.bytes, m.bytes) << name;
    Bytes out = 0, in = 0;
    for (const PortTraffic& port : m.ports) {
      out += port.out;
      in += port.in;
    }
    EXPECT_EQ(m.ports.size(), 9u) << name;
    EXPECT_EQ(out, m.bytes) << name;
    EXPECT_EQ(in, m.bytes) << name;
    EXPECT_EQ(m.latency.count(), messages) << name;
    EXPECT_GT(m.time, m.compute_time) << name;
    EXPECT_GT(m.utilisation, 0) << name;
    if (!is_bound(name)) {
      EXPECT_LE(m.utilisation, 1) << name;
    }
    EXPECT_EQ(m.time, results[1].measures.time) << name;
    EXPECT_EQ(m.statistics.hits, results[1].measures.statistics.hits) << name;
    EXPECT_EQ(m.latency.mean(), results[1].measures.latency.mean()) << name;
  }
}

/// Counts the words that leave and reach each port.
struct LinkWords final : PortTimeline {
  void offered(Time, std::uint32_t, const Message&) override {}
  void generated(Time, std::uint32_t) override {}
  void on_link(const WordSpan& words) override { left[words.connection.source] += words.starts.count; }
  void out_of_fabric(const WordSpan& words) override {
    arrived[words.connection.destination] += words.starts.count;
  }
  void waited(Time, Time, Connection, bool) override {}
  void slot(Time, Time, std::uint32_t, bool, Time) override {}
  std::map<Port, std::uint64_t> left, arrived;
};

TEST(Replay, ATimelineRecordsEveryWordAndChangesNothing) {
  const FatTreeShape crossbar, tree{2, 2, 2};
  for (const auto& [technique, network] : {std::pair{"wormhole", crossbar},
                                           {"circuit", crossbar},
                                           {"tdm", crossbar},
                                           {"hybrid", crossbar},
                                           {"wave", crossbar},
                                           {"coll", crossbar},
                                           {"chen-liu", crossbar},
                                           {"wormhole", tree},
                                           {"tdm", tree},
                                           {"hybrid", tree}}) {
    const auto job = [] {
      MemoryTrace trace(4);
      for (std::uint32_t r = 0; r < 4; ++r) {
        trace.add(r, make(Kind::send, (r + 1) % 4, 8 * (r + 1) * 10, microseconds(1)));
        trace.add(r, make(Kind::recv, (r + 3) % 4, 8 * ((r + 3) % 4 + 1) * 10));
        trace.add(r, finish());
      }
      return trace;
    };
    SwitchParameters parameters;
    parameters.technique = technique;
    parameters.tree = network;
    MemoryTrace plain = job(), observed = job();
    LinkWords words;
    ReplayOptions options;
    options.timeline = &words;
    const Measures without = replay(plain, parameters, {}).measures;
    const Measures with = replay(observed, parameters, options).measures;
    EXPECT_EQ(with.time, without.time) << technique;
    for (Port port = 0; port < 4; ++port) {
      EXPECT_EQ(words.left[port] * 8, with.ports[port].out) << technique << " port " << port;
      EXPECT_EQ(words.arrived[port] * 8, with.ports[port].in) << technique << " port " << port;
    }
  }
}

TEST(Replay, AJobRunsOnAFatTreeWithNodesToSpare) {
  SwitchParameters parameters;
  parameters.tree = {2, 3, 2};  // nine nodes
  for (const char* technique : {"wormhole", "tdm", "hybrid"}) {
    parameters.technique = technique;
    MemoryTrace trace(5);
    random_job(trace, 3);
    const Measures m = replay(trace, parameters, {}).measures;
    EXPECT_EQ(m.nodes, 9U);
    EXPECT_GT(m.messages, 100U);
  }
  MemoryTrace trace(10);
  random_job(trace, 3);
  EXPECT_THROW(replay(trace, parameters, {}), UserError);
  ReplayOptions options;
  options.hardware_multicast = true;
  MemoryTrace small(5);
  random_job(small, 3);
  EXPECT_THROW(replay(small, parameters, options), UserError);
}

}  // namespace
}  // namespace hybrid
