// Receives for which MPI does not report the message, in recordings made by the test.
#include "libhybrid/recording/unresolved_receives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "libhybrid/recording/testing/trace_writer_fixture.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class UnresolvedReceives : public TraceWriter {
 protected:
  void send(std::uint32_t from, std::int32_t to, std::int32_t tag, std::uint32_t communicator = 0) {
    rank(from)->event(EventKind::send, next(), 5,
                      {.communicator = static_cast<std::uint16_t>(communicator), .peer = to, .tag = tag});
  }
  void receive(std::uint32_t at, std::int32_t from, std::int32_t tag) {
    rank(at)->event(EventKind::recv, next(), 5, {.peer = from, .tag = tag});
  }
  // As the receiving half of MPI_Isendrecv is recorded.
  void post(std::uint32_t at, std::int32_t from, std::int32_t tag, std::uint32_t request) {
    rank(at)->event(EventKind::recv_post, next(), 5, {.peer = from, .tag = tag, .request = request});
  }
  void end(std::uint32_t at, std::int32_t from, std::int32_t tag, std::uint32_t request,
           EventKind how = EventKind::recv_complete) {
    rank(at)->event(how, next(), 5, {.peer = from, .tag = tag, .bytes = 8, .request = request});
  }
  void finish() {
    for (auto& process : processes_) (*process)->finish(next());
  }
  // (source, tag) of the messages that rank 1 received, from the trace. Stores the number of unresolved
  // receives.
  std::vector<std::pair<std::uint32_t, std::int32_t>> received() {
    const auto trace = open();
    unresolved_ = trace->property("unresolved_receives");
    std::vector<std::pair<std::uint32_t, std::int32_t>> all;
    for (const Operation& operation : operations(*trace, 1))
      if (operation.kind == Kind::recv || operation.kind == Kind::recv_complete)
        all.emplace_back(operation.peer, operation.tag);
    return all;
  }
  std::uint64_t next() { return time_ += 10; }

  std::uint64_t time_ = 100;
  std::string unresolved_;
};

TEST_F(UnresolvedReceives, GetTheMessagesThatNoOtherReceiveGot) {
  ranks(3);
  post(1, kAnyPeer, kAnyTag, 1);
  send(0, 1, 5);
  send(2, 1, 6);
  send(0, 1, 5);
  send(0, 2, 9);  // to another rank
  receive(1, 0, 5);
  receive(1, 2, 6);
  end(1, kAnyPeer, kAnyTag, 1);
  receive(2, 0, 9);
  finish();
  // It gets the first of the two messages with tag 5, in order of posting.
  EXPECT_THAT(received(), ElementsAre(Pair(0u, 5), Pair(2u, 6), Pair(0u, 5)));
  EXPECT_EQ(unresolved_, "");
}

TEST_F(UnresolvedReceives, StayUnresolvedIfSeveralSendersOrTagsArePossible) {
  ranks(3);
  post(1, kAnyPeer, 5, 1);
  post(1, kAnyPeer, 5, 2);
  post(1, 0, kAnyTag, 3);
  send(0, 1, 5);
  send(2, 1, 5);
  send(0, 1, 7);
  end(1, kAnyPeer, 5, 1);
  end(1, kAnyPeer, 5, 2);
  end(1, 0, kAnyTag, 3);
  finish();
  EXPECT_THAT(received(), IsEmpty());
  EXPECT_EQ(unresolved_, "3");
}

TEST_F(UnresolvedReceives, ResolvingOneMayResolveAnother) {
  ranks(3);
  post(1, kAnyPeer, 5, 1);
  post(1, 0, kAnyTag, 2);
  send(2, 1, 5);
  send(0, 1, 5);
  end(1, kAnyPeer, 5, 1);
  end(1, 0, kAnyTag, 2);
  finish();
  // Only the message from 0 is possible for the second receive. Then only that from 2 remains for the first.
  EXPECT_THAT(received(), ElementsAre(Pair(2u, 5), Pair(0u, 5)));
  EXPECT_EQ(unresolved_, "");
}

TEST_F(UnresolvedReceives, IgnoreCancelledSendsAndOtherCommunicators) {
  ranks(3);
  for (std::uint32_t r = 0; r < 3; ++r) rank(r).definitions.communicator(2, std::vector{0, 1, 2});
  post(1, kAnyPeer, kAnyTag, 1);
  rank(0)->event(EventKind::send_start, next(), 5, {.peer = 1, .tag = 3, .request = 9});
  rank(0)->event(EventKind::cancelled, next(), 5, {.request = 9});
  send(0, 1, 4, 2);
  send(2, 1, 5);
  end(1, kAnyPeer, kAnyTag, 1);
  rank(1)->event(EventKind::recv, next(), 5, {.communicator = 2, .peer = 0, .tag = 4});
  finish();
  EXPECT_THAT(received(), ElementsAre(Pair(2u, 5), Pair(0u, 4)));
  EXPECT_EQ(unresolved_, "");
}

TEST_F(UnresolvedReceives, MayBeFreedOrStartedByAnotherThread) {
  ranks(2);
  post(1, kAnyPeer, 5, 1);
  post(1, 0, kAnyTag, 2);
  send(0, 1, 5);
  send(0, 1, 5);
  end(1, kAnyPeer, 5, 1, EventKind::recv_freed);
  rank(1).thread(1).event(EventKind::start, next(), 0);
  rank(1).thread(1).event(EventKind::recv_complete, next(), 5,
                          {.peer = 0, .tag = kAnyTag, .bytes = 8, .request = 2});
  rank(1).thread(1).event(EventKind::finish, next(), 0);
  finish();
  const auto trace = open();
  EXPECT_EQ(trace->property("unresolved_receives"), "");
  EXPECT_EQ(trace->property("lost_events"), "0");
}

TEST_F(UnresolvedReceives, StayUnresolvedInAnIncompleteRecording) {
  ranks(2);
  post(1, kAnyPeer, kAnyTag, 1);
  send(0, 1, 5);
  end(1, kAnyPeer, kAnyTag, 1);
  rank(1)->finish(next());  // rank 0 has no end
  EXPECT_THAT(received(), IsEmpty());
  EXPECT_EQ(unresolved_, "1");
}

TEST_F(UnresolvedReceives, AreResolvedOnTheCpuClock) {
  ranks(2);
  rank(0).definitions.property("clock", "cpu");
  rank(1).definitions.property("clock", "cpu");
  post(1, kAnyPeer, kAnyTag, 1);
  send(0, 1, 5);
  end(1, kAnyPeer, kAnyTag, 1);
  finish();
  EXPECT_THAT(received(), ElementsAre(Pair(0u, 5)));
  EXPECT_EQ(unresolved_, "");
}

}  // namespace
}  // namespace hybrid
