// Messages that are consumed other than by a successful receive: later messages must still match their
// receives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "emulator/replay/operation.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/recording/trace_writer.h"
#include "libhybrid/shim/testing/recorded_run.h"

namespace hybrid::shim::testing {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Cases of testing/matches.c, on rank 1.
class Matches : public ::testing::TestWithParam<const char*> {};

struct Received {
  std::vector<std::uint64_t> bytes;  // of the messages
  std::string unresolved, lost;
};

Received received(const RecordedRun& run) {
  const TemporaryDirectory directory;
  const auto trace = open_trace(write_trace(run.recording(), directory.path()).anchor);
  Received result;
  for (std::uint32_t l = 0; l < trace->locations().size(); ++l) {
    if (trace->locations()[l].rank != 1) continue;
    Operation operation;
    while (trace->next(l, operation))
      if (operation.kind == Operation::Kind::recv || operation.kind == Operation::Kind::recv_complete)
        result.bytes.push_back(operation.bytes);
  }
  result.unresolved = trace->property("unresolved_receives");
  result.lost = trace->property("lost_events");
  return result;
}

TEST_P(Matches, EveryMessageHasItsReceive) {
  const RecordedRun run(2, {program("shim_matches"), GetParam()});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const Received all = received(run);
  // For the truncated message, the size of the receive buffer.
  EXPECT_THAT(all.bytes, UnorderedElementsAre(AnyOf(10u, 1000u), 7u));
  EXPECT_EQ(all.unresolved, "");
  EXPECT_EQ(all.lost, "0");
}
INSTANTIATE_TEST_SUITE_P(Shim, Matches,
                         ::testing::Values("truncated", "truncated-wait", "waitall", "waitsome", "persistent",
                                           "freed", "got-status", "probes", "wildcard"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

// Cases of testing/collective_order.c.
class CollectiveOrder : public ::testing::TestWithParam<const char*> {};

TEST_P(CollectiveOrder, EveryCallIsReplayedWithThatOfTheOtherRank) {
  const RecordedRun run(2, {program("shim_collective_order"), GetParam()});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const TemporaryDirectory directory;
  const auto trace = open_trace(write_trace(run.recording(), directory.path()).anchor);
  SwitchParameters wormhole;
  wormhole.technique = "wormhole";
  EXPECT_THAT(replay(*trace, wormhole, {}).warnings, IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(Shim, CollectiveOrder, ::testing::Values("persistent", "threads", "error"));

TEST(MatchesInTheJournal, FreedReceivesAreRecorded) {
  const RecordedRun run(2, {program("shim_matches"), "freed"});
  EXPECT_THAT(run.transfers(1), ElementsAre("irecv 0 tag 5 1000 #1", "irecv 0 tag 5 10 #2",
                                            "freed 0 tag 5 1000 #1", "received 0 tag 5 7 #2"));
}

TEST(MatchesInTheJournal, AMatchedProbeIsAPost) {
  const RecordedRun run(2, {program("shim_matches"), "probes"});
  EXPECT_THAT(run.transfers(1), ElementsAre("irecv 0 tag 5 1000 #1", "irecv 0 tag 5 7 #2",
                                            "received 0 tag 5 7 #2", "received 0 tag 5 1000 #1"));
}

TEST(MatchesInTheJournal, UnresolvedReceivesAreNotLostEvents) {
  const RecordedRun run(2, {program("shim_matches"), "two-wildcards"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const Received all = received(run);
  EXPECT_EQ(all.unresolved, "2") << "of tags 5 and 7";
  EXPECT_EQ(all.lost, "0");
}

}  // namespace
}  // namespace hybrid::shim::testing
