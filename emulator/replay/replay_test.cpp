// When the operations of a job begin and end.
#include "emulator/replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "emulator/network/technique.h"
#include "emulator/replay/testing/jobs.h"
#include "emulator/replay/testing/memory_trace.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::HasSubstr;

const TechniqueRegistration kFixed{
    "fixed-latency", "for tests: nothing disturbs anything",
    [](const SwitchParameters&) -> std::unique_ptr<Technique> { return std::make_unique<FixedLatency>(); }};

TEST(Replay, ABlockingSendReturnsWhenItHasLeftAndAReceiveWhenItHasArrived) {
  MemoryTrace trace(2);
  trace.add(0, make(Kind::send, 1, 100, microseconds(5)));
  trace.add(0, finish());
  trace.add(1, make(Kind::recv, 0, 100));
  trace.add(1, finish(microseconds(2)));
  const ReplayResult result = run(trace);
  // 5 us computing, 100 ns to leave, 1 us to arrive, 2 us computing.
  EXPECT_EQ(result.measures.time, microseconds(8) + nanoseconds(100));
  EXPECT_EQ(result.measures.compute_time, nanoseconds(3500));
  EXPECT_EQ(result.measures.communication_time.ps,
            (nanoseconds(100) + microseconds(6) + nanoseconds(100)).ps / 2);
  EXPECT_EQ(result.measures.messages, 1u);
  EXPECT_EQ(result.measures.bytes, 100u);
  EXPECT_EQ(result.measures.latency.maximum(), kLatency + nanoseconds(100));
  EXPECT_EQ(result.measures.hit_rate, 1.0);
  EXPECT_EQ(result.measures.nodes, 2u);
  EXPECT_EQ(result.measures.statistics.messages, 1u);
}

TEST(Replay, CountsTheWaitOfEachCall) {
  MemoryTrace trace(2);
  trace.regions = {"MPI_Send", "MPI_Recv"};
  // The first and the last site are at one place, as in an unrolled loop.
  trace.sites = {{"work", "a.c", 7}, {"work", "a.c", 9}, {"work", "a.c", 7}};
  const auto call = [](Operation operation, std::uint32_t name, std::uint32_t site) {
    operation.call = name;
    operation.call_site = site;
    return operation;
  };
  trace.add(0, call(make(Kind::send, 1, 100, microseconds(5)), 0, 1));
  trace.add(0, call(make(Kind::send, 1, 100), 0, 3));
  trace.add(0, make(Kind::send, 1, 100));
  trace.add(0, finish());
  for (std::uint32_t i = 0; i < 3; ++i) trace.add(1, call(make(Kind::recv, 0, 100), 1, 2));
  trace.add(1, finish());
  const auto waits = run(trace).call_waits;
  ASSERT_EQ(waits.size(), 2u);
  // Means over two ranks: each send waits 100 ns until it has left; the receives take from 0 to 6.3 us.
  EXPECT_EQ(waits.at({"MPI_Send", {"work", "a.c", 7}}), nanoseconds(100));
  EXPECT_EQ(waits.at({"MPI_Recv", {"work", "a.c", 9}}), nanoseconds(3150));
}

TEST(Replay, ASynchronousSendReturnsOnArrivalAndABufferedOneAtOnce) {
  for (const auto& [mode, expected] :
       {std::pair{SendMode::synchronous, kLatency + nanoseconds(50)},
        std::pair{SendMode::ready, nanoseconds(50)}, std::pair{SendMode::buffered, Time{}}}) {
    for (const bool blocking : {true, false}) {
      MemoryTrace trace(2);
      Operation send = make(blocking ? Kind::send : Kind::send_start, 1, 50, {}, 1);
      send.mode = mode;
      trace.add(0, send);
      if (!blocking) trace.add(0, make(Kind::send_complete, 0, 0, {}, 1));
      trace.add(0, finish());
      EXPECT_EQ(run(trace).measures.time, expected) << static_cast<int>(mode) << blocking;
    }
  }
}

TEST(Replay, NonblockingTransfersOverlapWithComputing) {
  MemoryTrace trace(2);
  trace.add(0, make(Kind::send_start, 1, 3000, {}, 1));
  trace.add(0, make(Kind::send_complete, 0, 0, microseconds(2), 1));
  trace.add(0, finish());
  trace.add(1, make(Kind::recv_post, 0, 0, {}, 1));
  trace.add(1, make(Kind::recv_complete, 0, 3000, microseconds(3), 1));
  trace.add(1, finish());
  EXPECT_EQ(run(trace).measures.time, microseconds(4));  // leaves at 3 us, arrives at 4 us
}

TEST(Replay, ReceivesMatchInOrderPerSourceTagAndCommunicator) {
  MemoryTrace trace(3);
  trace.communicators.push_back({{0, 1, 2}, {}});
  trace.add(0, tagged(make(Kind::send, 2, 1000), 1));
  trace.add(0, tagged(make(Kind::send, 2, 10, microseconds(100)), 2));
  trace.add(0, tagged(make(Kind::send, 2, 10, microseconds(100)), 1));
  trace.add(0, finish());
  trace.add(1, make(Kind::send, 2, 10, microseconds(7)));
  trace.add(1, finish());
  trace.add(2, make(Kind::recv, 1, 10));               // 8.01 us
  trace.add(2, tagged(make(Kind::recv, 0, 1000), 1));  // has arrived
  trace.regions = {"after"};
  trace.add(2, make(Kind::phase_begin));
  trace.add(2, tagged(make(Kind::recv, 0, 10), 1));  // the second of tag 1, not the second sent
  trace.add(2, make(Kind::phase_end));
  trace.add(2, finish());
  const ReplayResult result = run(trace);
  EXPECT_EQ(result.measures.time, microseconds(202) + nanoseconds(20));
  const auto& phases = result.measures.phases;
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].time.ps, (result.measures.time - microseconds(8) - nanoseconds(10)).ps / 3);  // ranks
  EXPECT_EQ(phases[0].messages, 0u);
  EXPECT_EQ(phases[1].name, "outside phases");
}

TEST(Replay, RanksOfOnePortDoNotReachTheSwitch) {
  MemoryTrace trace(3);
  trace.ports = {0, 0, 1};
  trace.add(0, make(Kind::send, 1, 1000));
  trace.add(0, make(Kind::send, 2, 10));
  trace.add(0, finish());
  trace.add(1, make(Kind::recv, 0, 1000));
  trace.add(1, finish());
  trace.add(2, make(Kind::recv, 0, 10));
  trace.add(2, finish());
  const ReplayResult result = run(trace);
  EXPECT_EQ(result.measures.messages, 1u);
  EXPECT_EQ(result.measures.local_messages, 1u);
  EXPECT_EQ(result.measures.local_bytes, 1000u);
  EXPECT_EQ(result.measures.nodes, 2u);
  // 1000 bytes at 80 Gb/s: 100 ns.
  EXPECT_EQ(result.measures.time, nanoseconds(100 + 10) + kLatency);

  MemoryTrace alone(3);
  alone.add(0, make(Kind::send, 1, 1000));
  alone.add(1, make(Kind::recv, 0, 1000));
  alone.add(1, finish());
  ReplayOptions options;
  options.placement = {4, 4, 4};
  EXPECT_EQ(run(alone, options).measures.time, nanoseconds(300));
  options.placement = {0, 1};
  EXPECT_THAT(error_of(alone, options), HasSubstr("the placement is of 2 ranks, the job has 3"));
}

/// The longest run is 2^61 ps. 64 bits of picoseconds can hold the sum of about four such times, so that the
/// sum over five ranks must be wider than a Time.
TEST(Replay, TheMeanTimesOfManyRanksAreThoseOfOneInALongRun) {
  const Time computing{(std::int64_t{1} << 61) - 5000};
  MemoryTrace idle(5);
  for (std::uint32_t r = 0; r < 5; ++r) idle.add(r, finish(computing));
  EXPECT_EQ(run(idle).measures.compute_time, computing);
  EXPECT_EQ(run(idle).measures.communication_time, Time{});

  // Five ranks wait for one that computes.
  MemoryTrace waiting(6);
  for (std::uint32_t r = 1; r < 6; ++r) {
    waiting.add(0, make(Kind::send, r, 0, r == 1 ? computing : Time{}));
    waiting.add(r, make(Kind::recv, 0));
    waiting.add(r, finish());
  }
  ReplayOptions together;
  together.placement.assign(6, 0);
  together.local_latency = {};
  const Measures m = run(waiting, together).measures;
  EXPECT_EQ(m.time, computing);
  EXPECT_EQ(m.communication_time.ps, computing.ps / 6 * 5 + computing.ps % 6 * 5 / 6);
}

TEST(Replay, ARunBeyondTheEndOfTimeIsRefused) {
  const auto refused = [](std::uint32_t messages, Bytes bytes, BitRate rate, Time compute) {
    MemoryTrace trace(2);
    trace.ports = {0, 0};
    for (std::uint32_t i = 0; i < messages; ++i) {
      trace.add(0, make(Kind::send, 1, bytes, compute));
      trace.add(1, make(Kind::recv, 0, bytes));
    }
    trace.add(0, finish());
    trace.add(1, finish());
    ReplayOptions options;
    options.local_rate = rate;
    return error_of(trace, options);
  };
  const Time day{std::int64_t{86'400'000} * 1'000'000'000};
  EXPECT_EQ(refused(26, 1000, 80, day), "no error");
  EXPECT_THAT(refused(27, 1000, 80, day), HasSubstr("longer than can be emulated"));    // of computing
  EXPECT_THAT(refused(2'400, 1'000, 8, {}), HasSubstr("longer than can be emulated"));  // of messages
  EXPECT_THAT(refused(1, ~Bytes{0}, 1, {}), HasSubstr("longer than can be emulated"));  // of one
  EXPECT_THAT(refused(2, 1, 8, Time::never()), HasSubstr("longer than can be emulated"));
}

TEST(Replay, TheFabricsBroadcastsEndTogetherWithTheRun) {
  MemoryTrace trace(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    trace.add(r, collective(CollectiveOp::bcast, ~Bytes{0} / 2));
    trace.add(r, finish());
  }
  ReplayOptions options;
  options.hardware_multicast = true;
  EXPECT_THAT(error_of(trace, options), HasSubstr("longer than can be emulated"));
}

TEST(Replay, RefusesALocalLatencyOfManySeconds) {
  MemoryTrace trace(1);
  ReplayOptions options;
  options.local_latency = milliseconds(10'000);
  EXPECT_EQ(error_of(trace, options), "no error");
  options.local_latency = milliseconds(10'001);
  EXPECT_THAT(error_of(trace, options), HasSubstr("local-latency: 10.001s"));
}

TEST(Replay, FlushHintsReachTheTechnique) {
  MemoryTrace trace(1);
  trace.add(0, make(Kind::flush));
  trace.add(0, make(Kind::flush));
  EXPECT_EQ(run(trace).measures.statistics.flushes, 2u);
}

TEST(Replay, TracesWithoutRanksAndWithOneRankWork) {
  MemoryTrace none(0);
  EXPECT_EQ(run(none).measures.time, Time{});
  MemoryTrace one(1);
  one.add(0, make(Kind::send_start, 0, 8, {}, 1));
  one.add(0, make(Kind::recv, 0, 8));
  one.add(0, make(Kind::send_complete, 0, 0, {}, 1));
  one.add(0, collective(CollectiveOp::alltoall, 8));
  one.add(0, collective(CollectiveOp::barrier, 0));
  one.add(0, finish(microseconds(3)));
  const ReplayResult result = run(one);
  EXPECT_EQ(result.measures.messages, 0u);
  EXPECT_EQ(result.measures.local_messages, 1u);
  EXPECT_GT(result.measures.time, microseconds(3));
}

}  // namespace
}  // namespace hybrid
