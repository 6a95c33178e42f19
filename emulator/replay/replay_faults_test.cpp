// Jobs that did not end properly: the messages about them, and the ranks that they delay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/replay/replay.h"
#include "emulator/replay/testing/jobs.h"
#include "emulator/replay/testing/memory_trace.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::HasSubstr;

TEST(Replay, AReceiveWithoutAMessageIsAnErrorThatNamesTheRank) {
  MemoryTrace trace(3);
  trace.add(0, collective(CollectiveOp::barrier, 0));
  trace.add(1, make(Kind::send, 2, 8));
  trace.add(1, collective(CollectiveOp::barrier, 0));
  trace.add(2, make(Kind::recv, 1, 8));
  trace.add(2, tagged(make(Kind::recv, 1, 8), 5));
  EXPECT_THAT(error_of(trace),
              HasSubstr("rank 2 waits forever to receive from rank 1 (tag 5, communicator 0): "
                        "operation 2 of its trace; 3 of 3 threads wait"));
}

TEST(Replay, EndsWhenTheJobTakesLongerThanTheLimit) {
  const auto open = [] {
    MemoryTrace trace(2);
    trace.add(0, make(Kind::send, 1, 8, microseconds(50)));
    trace.add(0, finish());
    trace.add(1, make(Kind::recv, 0, 8));
    trace.add(1, finish());
    return trace;
  };
  MemoryTrace whole = open(), cut = open();
  ReplayOptions options;
  const Time time = replay(whole, {}, options).measures.time;
  EXPECT_GT(time, microseconds(50));
  options.limit = picoseconds(49'987'654);
  try {
    replay(cut, {}, options);
    ADD_FAILURE() << "not ended";
  } catch (const UnfinishedReplay& error) {
    EXPECT_EQ(error.fault(), UnfinishedReplay::Fault::technique);
    EXPECT_THAT(error.what(), HasSubstr("the job takes longer than 49.9us"));
  }
  options.limit = time - picoseconds(1);
  MemoryTrace almost = open();
  EXPECT_THROW(replay(almost, {}, options), UnfinishedReplay);
  MemoryTrace just = open();
  options.limit = time;
  EXPECT_EQ(replay(just, {}, options).measures.time, time);
}

TEST(Replay, DifferentCollectivesOnOneCommunicatorAreAnError) {
  MemoryTrace trace(2);
  trace.add(0, collective(CollectiveOp::barrier, 0));
  trace.add(1, collective(CollectiveOp::allreduce, 8));
  EXPECT_THAT(error_of(trace), HasSubstr("rank 1 calls a allreduce"));
}

TEST(Replay, ARankThatDiedDoesNotBlockTheOthersForEver) {
  MemoryTrace trace(3);
  trace.facts = {{"complete", "no"}};
  trace.add(0, make(Kind::send, 1, 8));  // then it dies
  trace.add(1, make(Kind::recv, 0, 8));
  trace.add(1, make(Kind::recv, 0, 8));
  trace.add(1, make(Kind::send, 2, 8, microseconds(1)));
  trace.add(1, collective(CollectiveOp::barrier, 0));
  trace.add(1, finish());
  trace.add(2, make(Kind::recv, 1, 8));
  trace.add(2, collective(CollectiveOp::barrier, 0));
  trace.add(2, finish());
  const ReplayResult result = run(trace);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_THAT(result.warnings[0], HasSubstr("3 receives were dropped"));  // one, and two of the barrier
  EXPECT_EQ(result.measures.messages, 1u + 1 + 4);
}

TEST(Replay, CancelledSendsDoNotMatchLaterReceives) {
  MemoryTrace trace(2);
  trace.add(0, make(Kind::send_start, 1, 10, {}, 1));
  trace.add(0, make(Kind::cancelled, 0, 0, {}, 1));
  trace.add(0, make(Kind::send, 1, 10, microseconds(9)));
  trace.add(1, make(Kind::recv_post, 0, 0, {}, 4));
  trace.add(1, make(Kind::cancelled, 0, 0, {}, 4));
  trace.add(1, make(Kind::recv, 0, 10));
  trace.add(1, finish());
  EXPECT_EQ(run(trace).measures.time, microseconds(10) + nanoseconds(10));
}

}  // namespace
}  // namespace hybrid
