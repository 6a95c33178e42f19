#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "emulator/replay/testing/jobs.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::HasSubstr;

TEST(Replay, OneSidedAccessesHaveArrivedByTheEndOfTheirEpoch) {
  MemoryTrace trace(2);
  const auto sync = [](RmaSync s) {
    Operation o = make(Kind::rma_sync);
    o.sync = s;
    return o;
  };
  trace.add(0, sync(RmaSync::lock));
  trace.add(0, make(Kind::put, 1, 500));
  trace.add(0, sync(RmaSync::flush));  // 1.5 us
  trace.add(0, make(Kind::get, 1, 200));
  trace.add(0, sync(RmaSync::unlock));  // request 1 us, data 1.2 us
  trace.add(0, finish());
  const ReplayResult result = run(trace);
  EXPECT_EQ(result.measures.time, microseconds(3) + nanoseconds(700));
  EXPECT_EQ(result.measures.messages, 3u);
  EXPECT_EQ(result.measures.bytes, 700u);
  // 500 bytes of the put and 200 of the get's reply; its request has no payload.
  EXPECT_EQ(result.measures.ports, (std::vector<PortTraffic>{{500, 200}, {200, 500}}));

  MemoryTrace fenced(2);
  fenced.add(0, make(Kind::accumulate, 1, 100));
  fenced.add(0, sync(RmaSync::fence));
  fenced.add(0, finish());
  fenced.add(1, sync(RmaSync::fence));
  fenced.add(1, finish());
  // The target leaves the fence when the barrier message of the origin arrives, after the origin's access.
  EXPECT_EQ(run(fenced).measures.time, microseconds(2) + nanoseconds(100));
}

Operation epoch(RmaSync sync, std::vector<std::uint32_t> group, std::uint32_t window = 0, Time compute = {}) {
  Operation o = make(Kind::rma_sync, 0, 0, compute);
  o.sync = sync;
  o.group = std::move(group);
  o.window = window;
  return o;
}

TEST(Replay, AnEpochBeginsWithThePostOfItsTargetAndEndsThereWithTheOriginsComplete) {
  MemoryTrace trace(2);
  trace.add(0, epoch(RmaSync::start, {1}));     // posted at 3 us, notice at 4 us
  trace.add(0, make(Kind::put, 1, 500));        // arrives at 5.5 us
  trace.add(0, epoch(RmaSync::complete, {1}));  // notice at 6.5 us
  trace.add(0, finish());
  trace.add(1, epoch(RmaSync::post, {0}, 0, microseconds(3)));
  trace.add(1, epoch(RmaSync::wait, {0}));
  trace.add(1, finish(microseconds(2)));
  const ReplayResult result = run(trace);
  EXPECT_EQ(result.measures.time, microseconds(8) + nanoseconds(500));
  EXPECT_EQ(result.measures.messages, 3u);
  EXPECT_EQ(result.measures.bytes, 500u);
}

TEST(Replay, AWaitIsForTheLastOfItsOriginsAndAStartForTheLastOfItsTargets) {
  MemoryTrace trace(4);
  for (const std::uint32_t target : {2u, 3u}) {
    trace.add(target, epoch(RmaSync::post, {0, 1}, 0, microseconds(target == 2 ? 5 : 0)));
    trace.add(target, epoch(RmaSync::wait, {1, 0}));
    trace.add(target, finish());
  }
  for (const std::uint32_t origin : {0u, 1u}) {
    trace.add(origin, epoch(RmaSync::start, {3, 2}));  // at 6 us
    Operation put = make(Kind::put, 2, 200);
    put.compute = microseconds(origin == 1 ? 10 : 0);
    trace.add(origin, put);                               // of rank 1 at 16 us, arrives at 17.2 us
    trace.add(origin, epoch(RmaSync::complete, {2, 3}));  // notice at 18.2 us
    trace.add(origin, finish());
  }
  EXPECT_EQ(run(trace).measures.time, microseconds(18) + nanoseconds(200));
}

TEST(Replay, EpochsOfTwoWindowsDoNotMix) {
  MemoryTrace trace(2);
  trace.add(0, epoch(RmaSync::start, {1}, 6));  // posted at 10 us
  trace.add(0, epoch(RmaSync::complete, {1}, 6));
  trace.add(0, epoch(RmaSync::start, {1}, 5));  // posted before
  trace.add(0, epoch(RmaSync::complete, {1}, 5));
  trace.add(0, finish());
  trace.add(1, epoch(RmaSync::post, {0}, 5));
  trace.add(1, epoch(RmaSync::post, {0}, 6, microseconds(10)));
  trace.add(1, epoch(RmaSync::wait, {0}, 5));  // notice at 12 us
  trace.add(1, epoch(RmaSync::wait, {0}, 6));
  trace.add(1, finish());
  EXPECT_EQ(run(trace).measures.time, microseconds(12));
  MemoryTrace never(2);
  never.add(0, epoch(RmaSync::start, {1}, 6));
  never.add(0, finish());
  never.add(1, epoch(RmaSync::post, {0}, 5));
  never.add(1, finish());
  EXPECT_THAT(error_of(never), HasSubstr("rank 0 waits forever for rank 1 to post (window 6)"));
}

}  // namespace
}  // namespace hybrid
