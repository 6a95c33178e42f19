// Matching of receives with messages when several with one sender and tag are open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "emulator/replay/otf2_stream.h"
#include "emulator/replay/testing/archive.h"
#include "emulator/replay/testing/jobs.h"
#include "emulator/replay/trace_format.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

// Rank 0 sends 100 bytes at once, and 10 bytes at 50 us: they arrive at 1.1 and 51.01 us.
void two_messages(MemoryTrace& trace) {
  trace.add(0, make(Kind::send, 1, 100));
  trace.add(0, make(Kind::send, 1, 10, microseconds(50) - nanoseconds(100)));
  trace.add(0, finish());
}
constexpr Time kSecond = microseconds(51) + nanoseconds(10);

TEST(ReplayReceives, TheFirstPostedGetsTheFirstSentWhateverIsCompletedFirst) {
  for (const bool sent_before : {false, true}) {
    MemoryTrace trace(2);
    two_messages(trace);
    // Posted before the messages are sent, or after the first one has arrived.
    trace.add(1, make(Kind::phase_begin, 0, 0, sent_before ? microseconds(5) : Time{}));
    trace.regions = {"phase"};
    trace.add(1, matched_post(0, 1));
    trace.add(1, matched_post(0, 2));
    trace.add(1, make(Kind::recv_complete, 0, 10, {}, 2));
    trace.add(1, make(Kind::recv_complete, 0, 100, microseconds(30), 1));
    trace.add(1, finish());
    // It computes 30 us after the arrival of the second message, not before.
    EXPECT_EQ(run(trace).measures.time, kSecond + microseconds(30)) << sent_before;
  }
}

TEST(ReplayReceives, ABlockingReceiveMatchesAfterThosePostedBefore) {
  MemoryTrace trace(2);
  two_messages(trace);
  trace.add(1, matched_post(0, 1));
  trace.add(1, make(Kind::recv, 0, 10));
  trace.add(1, make(Kind::recv_complete, 0, 100, microseconds(30), 1));
  trace.add(1, finish());
  EXPECT_EQ(run(trace).measures.time, kSecond + microseconds(30));
}

TEST(ReplayReceives, APostWithoutItsMatchMatchesWhereItCompletes) {
  MemoryTrace trace(2);
  two_messages(trace);
  trace.add(1, make(Kind::recv_post, 0, 0, {}, 1));
  trace.add(1, make(Kind::recv, 0, 100));
  trace.add(1, make(Kind::recv_complete, 0, 10, microseconds(30), 1));
  trace.add(1, finish());
  EXPECT_EQ(run(trace).measures.time, kSecond);
}

TEST(ReplayReceives, APostThatIsNeverCompletedTakesItsMessage) {
  MemoryTrace trace(2);
  two_messages(trace);
  trace.add(1, matched_post(0, 1));
  trace.add(1,
            matched_post(0, 1));  // the same request number: the first one's completion is not in the trace
  trace.add(1, make(Kind::recv_complete, 0, 10, {}, 1));
  trace.add(1, finish());
  EXPECT_EQ(run(trace).measures.time, kSecond);
}

TEST(ReplayReceives, OfARankThatDiedPostedReceivesAreDropped) {
  MemoryTrace trace(3);
  trace.facts = {{"complete", "no"}};
  trace.add(0, make(Kind::send, 1, 100));  // then it ends without its last events
  trace.add(1, matched_post(0, 1));
  trace.add(1, matched_post(0, 2));
  trace.add(1, matched_post(0, 3));
  trace.add(1, make(Kind::recv_complete, 0, 10, {}, 2));
  trace.add(1, make(Kind::recv_complete, 0, 100, microseconds(30), 1));
  trace.add(1, make(Kind::recv_complete, 0, 100, {}, 3));
  trace.add(1, make(Kind::send, 2, 10));
  trace.add(1, finish());
  trace.add(2, make(Kind::recv, 1, 10));
  trace.add(2, finish());
  const ReplayResult result = run(trace);
  EXPECT_EQ(result.measures.time, microseconds(1 + 30 + 1) + nanoseconds(100 + 10));
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_THAT(result.warnings[0], HasSubstr("2 receives were dropped"));
}

TEST(ReplayReceives, OneDroppedReceiveIsWarnedOfInTheSingular) {
  MemoryTrace trace(2);
  trace.facts = {{"complete", "no"}};
  trace.add(0, finish());
  trace.add(1, make(Kind::recv, 0, 8));
  trace.add(1, finish());
  const ReplayResult result = run(trace);
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_THAT(result.warnings[0], HasSubstr("1 receive was dropped"));
}

TEST(ReplayReceives, ARankThatWaitsForAPostedReceiveForEverIsNamed) {
  MemoryTrace trace(2);
  two_messages(trace);
  trace.add(1, matched_post(0, 1));
  trace.add(1, matched_post(0, 2));
  trace.add(1, matched_post(0, 3));
  trace.add(1, make(Kind::recv_complete, 0, 10, {}, 3));
  trace.add(1, finish());
  EXPECT_THAT(error_of(trace), HasSubstr("rank 1 waits forever to receive from rank 0"));
}

// Rank 1 posts two receives, sends `between` messages to itself, and completes the second one first.
class PostedInAnArchive : public testing::Test {
 protected:
  void write(std::uint64_t between) {
    TestArchive archive(directory_.path(), "t", 2);
    archive.call(0, 0, 10, "MPI_Send", [&](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 0, 1, 0, 7, 100); });
    archive.call(0, 50'000, 50'010, "MPI_Send",
                 [&](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 50'000, 1, 0, 7, 10); });
    std::uint64_t tick = 0;
    for (const std::uint64_t request : {1, 2})
      archive.call(1, tick, tick, "MPI_Irecv",
                   [&](auto* w) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, tick, request); });
    archive.call(1, tick, tick, "MPI_Irecv",
                 [&](auto* w) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, tick, 3); });
    for (std::uint64_t i = 0; i < between; ++i)
      archive.call(1, tick, tick, "MPI_Sendrecv", [&](auto* w) {
        OTF2_EvtWriter_MpiSend(w, nullptr, tick, 1, 0, 8, 0);
        OTF2_EvtWriter_MpiRecv(w, nullptr, tick, 1, 0, 8, 0);
      });
    archive.call(1, tick, 60'000, "MPI_Wait",
                 [&](auto* w) { OTF2_EvtWriter_MpiIrecv(w, nullptr, 60'000, 0, 0, 7, 10, 2); });
    archive.call(1, 90'000, 90'000, "MPI_Wait",
                 [&](auto* w) { OTF2_EvtWriter_MpiIrecv(w, nullptr, 90'000, 0, 0, 7, 100, 1); });
    archive.call(1, 90'000, 90'000, "MPI_Cancel",
                 [&](auto* w) { OTF2_EvtWriter_MpiRequestCancelled(w, nullptr, 90'000, 3); });
    archive.close();
  }
  std::vector<bool> matches() const {
    const auto trace = open_trace(directory_.path());
    std::vector<bool> posts;
    Operation operation;
    while (trace->next(1, operation))
      if (operation.kind == Kind::recv_post) posts.push_back(operation.matched);
    return posts;
  }
  Time time() const {
    SwitchParameters parameters;
    parameters.technique = "fixed-latency";
    ReplayOptions options;
    options.local_latency = {};
    return replay(*open_trace(directory_.path()), parameters, options).measures.time;
  }

 private:
  TemporaryDirectory directory_;
};

TEST_F(PostedInAnArchive, TheMatchIsKnownWhenTheReceiveIsPosted) {
  write(3);
  EXPECT_THAT(matches(), ElementsAre(true, true, false));  // the third was cancelled
  // The second send begins after 100 ns of sending and 49.99 us of computing.
  EXPECT_EQ(time(), nanoseconds(100 + 49'990 + 10) + kLatency + microseconds(30));
}

TEST_F(PostedInAnArchive, AReceiveThatStaysOpenForLongDoesNotHoldBackTheTrace) {
  write(Otf2Stream::kLookAhead);
  EXPECT_THAT(matches(), ElementsAre(false, false, false));
  EXPECT_EQ(time(), nanoseconds(100 + 49'990 + 10) + kLatency);  // matched at its completion
}

// Rank 1 posts a receive and completes it long afterwards, when it has posted a second one from the same
// sender. The sender waits for an answer to its first message before it sends the second.
TEST(Replay, AReceiveWithoutItsMatchGetsTheMessageBeforeALaterOne) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "t", 2);
  archive.call(0, 0, 10, "MPI_Send", [](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 0, 1, 0, 7, 100); });
  archive.call(0, 20, 900, "MPI_Recv", [](auto* w) { OTF2_EvtWriter_MpiRecv(w, nullptr, 900, 1, 0, 9, 8); });
  archive.call(0, 910, 920, "MPI_Send",
               [](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 910, 1, 0, 7, 10); });
  const auto post = [&](std::uint64_t request) {
    archive.call(1, 10, 10, "MPI_Irecv",
                 [&](auto* w) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, 10, request); });
  };
  const auto complete = [&](std::uint64_t tick, Bytes bytes, std::uint64_t request) {
    archive.call(1, tick, tick, "MPI_Wait",
                 [&](auto* w) { OTF2_EvtWriter_MpiIrecv(w, nullptr, tick, 0, 0, 7, bytes, request); });
  };
  post(1);
  for (std::uint64_t i = 0; i < Otf2Stream::kLookAhead; ++i)
    archive.call(1, 10, 10, "MPI_Sendrecv", [](auto* w) {
      OTF2_EvtWriter_MpiSend(w, nullptr, 10, 1, 0, 8, 0);
      OTF2_EvtWriter_MpiRecv(w, nullptr, 10, 1, 0, 8, 0);
    });
  post(2);
  complete(800, 100, 1);
  archive.call(1, 810, 820, "MPI_Send", [](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 810, 0, 0, 9, 8); });
  complete(950, 10, 2);
  archive.close();
  SwitchParameters parameters;
  parameters.technique = "fixed-latency";
  EXPECT_EQ(replay(*open_trace(directory.path()), parameters, {}).measures.messages, 3u);
}

}  // namespace
}  // namespace hybrid
