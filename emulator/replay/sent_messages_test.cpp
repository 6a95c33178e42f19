#include <gtest/gtest.h>

#include <vector>

#include "emulator/replay/replay.h"
#include "emulator/replay/testing/jobs.h"
#include "emulator/replay/testing/memory_trace.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;

TEST(ForEachSent, VisitsWhatTheReplaySendsInTimeOrder) {
  MemoryTrace trace(7), again(7);
  random_job(trace, 5);
  random_job(again, 5);
  std::uint64_t messages = 0;
  Bytes bytes = 0;
  for_each_sent(trace, {}, [&](const SentMessage& m) {
    EXPECT_NE(m.source, m.destination);
    ++messages;
    bytes += m.bytes;
  });
  SwitchParameters parameters;
  parameters.technique = "fixed-latency";
  const ReplayResult result = replay(again, parameters, {});
  EXPECT_EQ(messages, result.measures.messages);
  EXPECT_EQ(bytes, result.measures.bytes);
}

TEST(ForEachSent, ReportsPortsPhaseAndRecordedTime) {
  MemoryTrace trace(3);
  trace.ports = {0, 0, 5};
  trace.regions = {"a"};
  trace.add(0, make(Kind::send, 1, 8));  // local
  trace.add(0, make(Kind::phase_begin));
  Operation send = make(Kind::send, 2, 64);
  send.at = microseconds(3);
  trace.add(0, send);
  Operation early = make(Kind::put, 0, 16);
  early.at = microseconds(1);
  trace.add(2, early);
  std::vector<SentMessage> seen;
  for_each_sent(trace, {}, [&](const SentMessage& m) { seen.push_back(m); });
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].source, 5u);
  EXPECT_EQ(seen[0].phase, kNoPhase);
  EXPECT_EQ(seen[1].destination, 5u);
  EXPECT_EQ(seen[1].destination_rank, 2u);
  EXPECT_EQ(seen[1].at, microseconds(3));
  EXPECT_EQ(seen[1].phase, 0u);
  EXPECT_NE(seen[1].site, 0u);
}

// Rank 0 sends to ranks 1 to 6 in one of four orders, each with a tag of its own: a predictor that uses the
// call site knows the next destination, also in the emulator's network interface.
TEST(CallSite, ReachesThePredictorOfTheNetworkInterface) {
  const auto hits = [](const char* predictor) {
    MemoryTrace trace(7);
    constexpr std::uint32_t kOrders[4][6] = {
        {1, 2, 3, 4, 5, 6}, {1, 6, 5, 4, 3, 2}, {1, 3, 5, 2, 4, 6}, {1, 4, 2, 6, 3, 5}};
    Random random(1);
    for (int round = 0; round < 100; ++round) {
      const auto order = random.below(4);
      const auto tag = static_cast<std::int32_t>(order);
      for (const std::uint32_t to : kOrders[order]) {
        trace.add(0, tagged(make(Kind::send, to, 64, microseconds(2)), tag));
        trace.add(to, tagged(make(Kind::recv, 0, 64), tag));
      }
    }
    SwitchParameters parameters;
    parameters.technique = "hybrid";
    parameters.nodes = 7;
    parameters.slots = 2;
    parameters.predictor = predictor;
    return replay(trace, parameters, {}).measures.statistics.hits;
  };
  EXPECT_GT(hits("tagging"), 400u) << "of 600";
  EXPECT_LT(hits("lru"), 30u);
  EXPECT_LT(hits("markov1"), 360u);
}

TEST(ForEachSent, CountsThePhasesOccurrencesByRank) {
  MemoryTrace trace(2);
  trace.regions = {"a", "b"};
  const auto in_phase = [&](std::uint32_t region, std::uint32_t sends) {
    Operation begin = make(Kind::phase_begin), end = make(Kind::phase_end);
    begin.region = end.region = region;
    trace.add(0, begin);
    for (std::uint32_t i = 0; i < sends; ++i) trace.add(0, make(Kind::send, 1, 8));
    trace.add(0, end);
  };
  in_phase(0, 1);
  in_phase(1, 2);
  in_phase(0, 0);
  in_phase(0, 1);
  trace.add(0, make(Kind::send, 1, 8));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> seen;
  for_each_sent(trace, {}, [&](const SentMessage& m) { seen.emplace_back(m.phase, m.phase_occurrence); });
  EXPECT_EQ(seen, (decltype(seen){{0, 1}, {1, 1}, {1, 1}, {0, 3}, {kNoPhase, 0}}));
}

TEST(ForEachSent, EpochsHaveTheirNotices) {
  MemoryTrace trace(3);
  for (const RmaSync sync : {RmaSync::post, RmaSync::start, RmaSync::complete, RmaSync::wait}) {
    Operation o = make(Kind::rma_sync);
    o.sync = sync;
    o.group = {1, 2};
    trace.add(0, o);
  }
  std::vector<Port> destinations;
  for_each_sent(trace, {}, [&](const SentMessage& m) {
    EXPECT_EQ(m.source, 0u);
    EXPECT_EQ(m.bytes, 0u);
    destinations.push_back(m.destination);
  });
  EXPECT_EQ(destinations, (std::vector<Port>{1, 2, 1, 2}));
}

}  // namespace
}  // namespace hybrid
