#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/replay/testing/jobs.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;

TEST(Replay, ABarrierHoldsAllRanksUntilTheLastOneHasCome) {
  for (const std::uint32_t ranks : {2u, 5u, 8u}) {
    MemoryTrace trace(ranks);
    std::uint32_t rounds = 0;
    while (1u << rounds < ranks) ++rounds;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      Operation barrier = collective(CollectiveOp::barrier, 0);
      barrier.compute = r == 1 ? microseconds(50) : Time{};
      trace.add(r, barrier);
      trace.add(r, finish());
    }
    const ReplayResult result = run(trace);
    EXPECT_EQ(result.measures.messages, ranks * rounds);
    EXPECT_EQ(result.measures.time, microseconds(50) + kLatency * rounds);
  }
}

TEST(Replay, NonblockingCollectivesProgressWhileTheRankComputes) {
  MemoryTrace trace(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    trace.add(r, collective(CollectiveOp::barrier, 0, Kind::collective_start, 9));
    Operation complete = make(Kind::collective_complete, 0, 0, microseconds(10), 9);
    trace.add(r, complete);
    trace.add(r, finish());
  }
  EXPECT_EQ(run(trace).measures.time, microseconds(10));
}

TEST(Replay, CollectivesOfSeveralCommunicatorsDoNotMix) {
  MemoryTrace trace(4);
  trace.communicators.push_back({{3, 1}, {}});
  trace.communicators.push_back({{0, 2}, {}});
  for (std::uint32_t r = 0; r < 4; ++r) {
    for (int i = 0; i < 3; ++i) {
      Operation pair = collective(CollectiveOp::allreduce, 8);
      pair.communicator = r % 2 == 1 ? 2 : 3;
      trace.add(r, pair);
      trace.add(r, collective(CollectiveOp::allreduce, 8));
      Operation self = collective(CollectiveOp::allreduce, 8);
      self.communicator = 1;
      trace.add(r, self);
    }
    trace.add(r, finish());
  }
  const ReplayResult result = run(trace);
  EXPECT_EQ(result.measures.messages, 3u * (4 + 8));
  EXPECT_EQ(result.measures.time, (kLatency + nanoseconds(8)) * 9);
}

TEST(Replay, PersistentCollectivesMatchInTheOrderOfInitialisation) {
  MemoryTrace trace(3);
  const auto start = [](CollectiveOp op, std::uint32_t number) {
    Operation o = collective(op, 8, Kind::collective_start, number);
    o.number = number;
    o.persistent = true;
    return o;
  };
  for (std::uint32_t r = 0; r < 3; ++r) {
    for (int round = 0; round < 2; ++round) {
      const bool barrier_first = (r + static_cast<std::uint32_t>(round)) % 2 == 0;
      trace.add(r, barrier_first ? start(CollectiveOp::barrier, 5) : start(CollectiveOp::bcast, 4));
      Operation between = collective(CollectiveOp::allreduce, 8);
      between.number = 6 + static_cast<std::uint32_t>(round);
      trace.add(r, between);
      trace.add(r, barrier_first ? start(CollectiveOp::bcast, 4) : start(CollectiveOp::barrier, 5));
      trace.add(r, make(Kind::collective_complete, 0, 0, {}, 4));
      trace.add(r, make(Kind::collective_complete, 0, 0, {}, 5));
    }
    trace.add(r, finish());
  }
  // Messages among three ranks: a barrier 6, a broadcast 2, an allreduce by recursive doubling 4.
  EXPECT_EQ(run(trace).measures.messages, 2u * (6 + 2 + 4));
}

TEST(Replay, CollectivesOfARanksThreadsMatchByTheirNumbers) {
  MemoryTrace trace(2);
  const std::uint32_t second = trace.add_location(0);
  const auto call = [](CollectiveOp op, std::uint32_t number, Time compute) {
    Operation o = collective(op, 8);
    o.number = number;
    o.compute = compute;
    return o;
  };
  // Rank 0 calls the barrier in its second thread, then the reduction in its first; the trace does not show
  // that the first thread waited for the second.
  trace.add(0, call(CollectiveOp::allreduce, 1, microseconds(1)));
  trace.add(0, finish());
  trace.add(second, call(CollectiveOp::barrier, 0, microseconds(9)));
  trace.add(second, finish());
  trace.add(1, call(CollectiveOp::barrier, 0, {}));
  trace.add(1, call(CollectiveOp::allreduce, 1, {}));
  trace.add(1, finish());
  EXPECT_EQ(run(trace).measures.messages, 4u);
}

TEST(Replay, DifferentCollectivesOfTheSameNumberAreNamed) {
  MemoryTrace trace(2);
  trace.add(0, collective(CollectiveOp::bcast, 8));
  trace.add(1, collective(CollectiveOp::barrier, 0));
  for (std::uint32_t r = 0; r < 2; ++r) trace.add(r, finish());
  EXPECT_THAT(error_of(trace),
              testing::HasSubstr(
                  "rank 1 calls a barrier where rank 0 of the same communicator calls a bcast (root 0)"));
}

TEST(Replay, AlgorithmsCanBeChosenByName) {
  const auto messages = [](const std::map<std::string, std::string>& algorithms) {
    MemoryTrace trace(8);
    for (std::uint32_t r = 0; r < 8; ++r) {
      trace.add(r, collective(CollectiveOp::allreduce, 8000));
      trace.add(r, finish());
    }
    ReplayOptions options;
    options.algorithms = algorithms;
    return run(trace, options).measures.messages;
  };
  EXPECT_EQ(messages({}), 8u * 6);  // Rabenseifner
  EXPECT_EQ(messages({{"allreduce", "ring"}}), 8u * 14);
  EXPECT_EQ(messages({{"allreduce", "recursive-doubling"}}), 8u * 3);
  EXPECT_THROW(messages({{"allreduce", "rign"}}), UserError);
  EXPECT_THROW(messages({{"alreduce", "ring"}}), UserError);
}

TEST(Replay, AnIntercommunicatorBroadcastGoesFromTheRootToTheOtherGroup) {
  MemoryTrace trace(5);
  trace.communicators.push_back({{0, 1}, {4, 3, 2}});
  for (std::uint32_t r = 0; r < 5; ++r) {
    Operation bcast = collective(CollectiveOp::bcast, 100);
    bcast.communicator = 2;
    bcast.peer = r == 0 ? kNoRoot : 1;
    trace.add(r, bcast);
    Operation barrier = collective(CollectiveOp::barrier, 0);
    barrier.communicator = 2;
    trace.add(r, barrier);
    trace.add(r, finish());
  }
  const ReplayResult result = run(trace);
  EXPECT_EQ(result.measures.messages, 3u + 2 * 2 * 3);
  EXPECT_EQ(result.measures.bytes, 300u);
}

}  // namespace
}  // namespace hybrid
