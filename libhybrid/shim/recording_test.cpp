// What the shim records of small MPI programs, event by event.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "libhybrid/recording/job_definitions.h"
#include "libhybrid/recording/source_places.h"
#include "libhybrid/shim/testing/recorded_run.h"

namespace hybrid::shim::testing {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAreArray;
using Lines = std::vector<std::string>;

std::string collective(CollectiveOp op) { return "collective " + std::to_string(static_cast<int>(op)); }
std::string sync(RmaSync what) { return "sync " + std::to_string(static_cast<int>(what)); }

TEST(PointToPoint, BlockingModesWildcardsAndProcNull) {
  const RecordedRun run(2, {program("shim_p2p"), "blocking"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(run.transfers(0), ElementsAre("send 1 tag 1 40", "ssend 1 tag 2 20", "bsend 1 tag 3 12",
                                            "recv 1 tag 9 0", "rsend 1 tag 4 8", "send -1 tag 5 40"));
  EXPECT_THAT(run.transfers(1),
              ElementsAre("recv 0 tag 1 40", "recv 0 tag 2 20", "recv 0 tag 3 12", "irecv 0 tag 4 40 #1",
                          "send 0 tag 9 0", "received 0 tag 4 8 #1", "recv -1 tag -1 0"));
  EXPECT_TRUE(run.complete(0) && run.complete(1));
  EXPECT_EQ(run.outcome().out, "blocking done\n");
  EXPECT_EQ(run.outcome().err, "");
}

TEST(PointToPoint, NonblockingCompletesOnceByAnyCall) {
  const RecordedRun run(2, {program("shim_p2p"), "nonblocking"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const Lines sent = run.transfers(0);
  EXPECT_THAT(sent,
              UnorderedElementsAreArray({"isend 1 tag 10 4 #1", "isend 1 tag 11 8 #2", "isend 1 tag 12 12 #3",
                                         "sent 1 tag 10 4 #1", "sent 1 tag 11 8 #2", "sent 1 tag 12 12 #3",
                                         "issend 1 tag 13 16 #4", "sent 1 tag 13 16 #4"}));
  const std::vector<Event> events = run.events(1);
  EXPECT_EQ(count(events, EventKind::recv_post), 4u);
  EXPECT_EQ(count(events, EventKind::recv_complete), 4u);
  Lines matches;
  for (const Event& event : events)
    if (event.kind == EventKind::recv_complete)
      matches.push_back(std::to_string(event.peer) + " " + std::to_string(event.tag) + " " +
                        std::to_string(event.bytes));
  EXPECT_THAT(matches, UnorderedElementsAreArray({"0 10 4", "0 11 8", "0 12 12", "0 13 16"}));
}

TEST(PointToPoint, PersistentRequestsTransferAtEveryStart) {
  const RecordedRun run(2, {program("shim_p2p"), "persistent"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  Lines expected;
  for (int round = 0; round < 3; ++round) {
    expected.insert(expected.end(), {"isend 1 tag 20 40 #1", "irecv 1 tag 20 40 #2", "sent 1 tag 20 40 #1",
                                     "received 1 tag 20 40 #2"});
  }
  EXPECT_THAT(run.transfers(0), ElementsAreArray(expected));
}

TEST(PointToPoint, PartitionedLeavesAsOneMessageWhenAllPartitionsAreReady) {
  const RecordedRun run(2, {program("shim_p2p"), "partitioned"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(run.transfers(0), ElementsAre("isend 1 tag 30 32 #1", "sent 1 tag 30 32 #1",
                                            "isend 1 tag 30 32 #1", "sent 1 tag 30 32 #1"));
  EXPECT_EQ(count(run.events(1), EventKind::recv_post), 2u);
  EXPECT_EQ(count(run.events(1), EventKind::recv_complete), 2u);
}

TEST(PointToPoint, SendrecvIsASendAndAReceiveAtOnce) {
  const RecordedRun run(2, {program("shim_p2p"), "exchange"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(
      run.transfers(0),
      ElementsAre("isend 1 tag 40 40 #1", "recv 1 tag 40 40", "sent 1 tag 40 40 #1", "isend 1 tag 41 4 #1",
                  "recv 1 tag 41 4", "sent 1 tag 41 4 #1", "isend 1 tag 42 28 #2", "irecv 1 tag 42 28 #3",
                  "received 1 tag 42 28 #3", "sent 1 tag 42 28 #2", "isend 1 tag 43 4 #4",
                  "irecv 1 tag 43 4 #5", "received 1 tag 43 4 #5", "sent 1 tag 43 4 #4"));
}

TEST(PointToPoint, MatchedProbesReceiveWhatTheyMatched) {
  const RecordedRun run(2, {program("shim_p2p"), "matched"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(run.transfers(1),
              ElementsAre("irecv 0 tag 50 24 #1", "received 0 tag 50 24 #1", "irecv 0 tag 51 16 #2",
                          "received 0 tag 51 16 #2", "recv 0 tag 52 8"));
}

TEST(PointToPoint, CancelledRequestsEndWithoutATransfer) {
  const RecordedRun run(2, {program("shim_p2p"), "cancelled"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_EQ(count(run.events(0), EventKind::cancelled), 2u);
  EXPECT_EQ(count(run.events(0), EventKind::recv_complete), 0u);
}

TEST(PointToPoint, ManyOpenRequestsOnOneHandleAllComplete) {
  const RecordedRun run(2, {program("shim_p2p"), "flood"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_EQ(count(run.events(0), EventKind::send_start), 5000u);
  EXPECT_EQ(count(run.events(0), EventKind::send_complete), 5000u);
  EXPECT_EQ(count(run.events(1), EventKind::recv_post), 5001u);
  EXPECT_EQ(count(run.events(1), EventKind::recv_complete), 5001u);
  const Lines received = run.transfers(1);
  EXPECT_THAT(received[received.size() - 2], ::testing::StartsWith("irecv -1 "));
  EXPECT_THAT(received.back(), ::testing::StartsWith("received -1 "));
}

TEST(PointToPoint, DerivedTypesCountTheirOwnSizeThoughHandlesAreReused) {
  const RecordedRun run(2, {program("shim_p2p"), "derived"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(run.transfers(0), ElementsAre("send 1 tag 70 8", "send 1 tag 70 16", "send 1 tag 70 24"));
}

TEST(Communicators, SubcommunicatorsNameWorldRanks) {
  const RecordedRun run(4, {program("shim_groups"), "sub"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const Definitions definitions = run.definitions(3);
  EXPECT_THAT(definitions.communicators.at(0).members, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(definitions.communicators.at(1).members, ElementsAre(3));
  EXPECT_THAT(definitions.communicators.at(2).members, ElementsAre(3, 1));
  EXPECT_THAT(definitions.communicators.at(3).members, ElementsAre(1, 3));
  EXPECT_THAT(definitions.communicators.at(4).members, ElementsAre(1, 3));
  // The last receive completes after its communicator was freed.
  EXPECT_THAT(run.transfers(3),
              ElementsAre("send 1 tag 1 4 comm 2", "recv 1 tag 1 4 comm 3", "irecv -2 tag 2 4 comm 4 #1",
                          collective(CollectiveOp::barrier) + " -1 0", "received 1 tag 2 4 comm 4 #1"));
}

TEST(Communicators, AreTheSameOnAllRanksInAnyOrderOfCreation) {
  const RecordedRun run(4, {program("shim_groups"), "order"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const JobDefinitions job = merge_definitions(run.recording(), {0, 1, 2, 3});
  std::map<std::int32_t, std::set<std::uint32_t>> by_tag;
  std::set<std::uint32_t> all;
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    for (const Event& event : run.events(rank))
      if (event.kind == EventKind::send_start || event.kind == EventKind::recv) {
        const std::uint32_t id = job.processes[rank].communicators.at(event.communicator).id;
        by_tag[event.tag].insert(id);
        all.insert(id);
      }
  EXPECT_EQ(by_tag.size(), 8u);
  EXPECT_EQ(all.size(), 8u);
  for (const auto& [tag, ids] : by_tag) EXPECT_EQ(ids.size(), 1u) << tag;
}

TEST(Communicators, IntercommunicatorsNameTheOtherGroup) {
  const RecordedRun run(4, {program("shim_groups"), "inter"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const auto both = run.definitions(1).communicators.at(3);
  EXPECT_THAT(both.members, ElementsAre(0, 1));
  EXPECT_THAT(both.remote, ElementsAre(2, 3));
  const std::string bcast = collective(CollectiveOp::bcast);
  EXPECT_THAT(run.transfers(1), ElementsAre("isend 2 tag 3 4 comm 3 #1", "recv 2 tag 3 4 comm 3",
                                            "sent 2 tag 3 4 comm 3 #1", bcast + " 1 4 comm 3"));
  EXPECT_THAT(run.transfers(0), IsSupersetOf({bcast + " -1 0 comm 3", std::string("send 2 tag 4 4 comm 4")}));
  EXPECT_THAT(run.transfers(2), IsSupersetOf({bcast + " 1 4 comm 3", std::string("recv 0 tag 4 4 comm 4")}));
}

TEST(Communicators, GridsHaveNeighbours) {
  const RecordedRun run(4, {program("shim_groups"), "grid"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(run.definitions(0).communicators.at(2).neighbors_out, ElementsAre(-1, 1));
  EXPECT_THAT(run.definitions(2).communicators.at(2).neighbors_in, ElementsAre(1, 3));
  EXPECT_THAT(run.transfers(0),
              ElementsAre("isend 1 tag 6 4 comm 2 #1", "recv -1 tag -1 0 comm 2", "sent 1 tag 6 4 comm 2 #1",
                          "to -1 4", "to 1 4", "from -1 4", "from 1 4",
                          collective(CollectiveOp::neighbor_allgather) + " -1 4 comm 2",
                          collective(CollectiveOp::barrier) + " -1 0 comm 3"));
}

TEST(Communicators, GraphsHaveDestinationsAndSources) {
  const RecordedRun run(4, {program("shim_groups"), "graph"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const auto ring = run.definitions(0).communicators.at(2);
  EXPECT_THAT(ring.neighbors_out, ElementsAre(1));
  EXPECT_THAT(ring.neighbors_in, ElementsAre(3));
  EXPECT_THAT(
      run.transfers(0),
      ElementsAre("to 1 8", "from 3 8", collective(CollectiveOp::neighbor_alltoallv) + " -1 8 comm 2",
                  "to 1 4", "from 3 4", collective(CollectiveOp::neighbor_allgather) + " -1 4 comm 2"));
}

TEST(Collectives, BytesFollowTheConventionOfEachForm) {
  const RecordedRun run(3, {program("shim_collectives"), "blocking"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  using enum CollectiveOp;
  EXPECT_THAT(run.transfers(0),
              ElementsAre(collective(barrier) + " -1 0", collective(bcast) + " 1 40",
                          collective(gather) + " 2 16", "from 0 4", "from 1 8", "from 2 12",
                          collective(gatherv) + " 0 4", collective(scatter) + " 0 16", "to 0 4", "to 1 8",
                          "to 2 12", collective(scatterv) + " 0 24", collective(allgather) + " -1 8",
                          collective(allgather) + " -1 12", "from 0 4", "from 1 8", "from 2 12",
                          collective(allgatherv) + " -1 4", collective(alltoall) + " -1 8", "to 0 20",
                          "to 1 20", "to 2 20", "from 0 20", "from 1 20", "from 2 20",
                          collective(alltoallv) + " -1 60", "to 0 20", "to 1 20", "to 2 20", "from 0 20",
                          "from 1 20", "from 2 20", collective(alltoallw) + " -1 60",
                          collective(reduce) + " 1 24", collective(allreduce) + " -1 28",
                          collective(scan) + " -1 32", collective(exscan) + " -1 36", "from 0 4", "from 1 8",
                          "from 2 12", collective(reduce_scatter) + " -1 24",
                          collective(reduce_scatter_block) + " -1 8", collective(allreduce) + " -1 28"));
  EXPECT_THAT(run.transfers(2), IsSupersetOf({collective(gatherv) + " 0 12", collective(scatterv) + " 0 0",
                                              collective(allgatherv) + " -1 12"}));
}

TEST(Collectives, NonblockingFormsStartAndComplete) {
  const RecordedRun run(3, {program("shim_collectives"), "nonblocking"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  using enum CollectiveOp;
  EXPECT_THAT(
      run.transfers(0),
      ElementsAre("start " + collective(bcast) + " 1 40 #1", "start " + collective(allreduce) + " -1 28 #2",
                  "to 0 20", "to 1 20", "to 2 20", "from 0 20", "from 1 20", "from 2 20",
                  "start " + collective(alltoallv) + " -1 60 #3", "end " + collective(bcast) + " 1 40 #1",
                  "end " + collective(allreduce) + " -1 28 #2",
                  "end " + collective(alltoallv) + " -1 60 #3"));
}

TEST(Collectives, PersistentFormsKeepTheirSizesByPeer) {
  const RecordedRun run(3, {program("shim_collectives"), "persistent"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  Lines expected;
  for (int round = 0; round < 2; ++round)
    expected.insert(expected.end(), {"from 0 4", "from 1 8", "from 2 12",
                                     "start " + collective(CollectiveOp::allgatherv) + " -1 8 #1",
                                     "end " + collective(CollectiveOp::allgatherv) + " -1 8 #1"});
  EXPECT_THAT(run.transfers(1), ElementsAreArray(expected));
}

TEST(OneSided, TransfersAndSynchronisationOfEveryKind) {
  const RecordedRun run(2, {program("shim_one_sided")});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  using enum RmaSync;
  EXPECT_THAT(run.definitions(0).windows, ElementsAre(std::pair<const std::uint32_t, std::uint32_t>{0, 0}));
  EXPECT_THAT(
      run.transfers(0),
      ElementsAre(sync(create) + " -1 0", sync(fence) + " -1 0", "put 1 16", sync(fence) + " -1 0", "get 1 8",
                  "accumulate 1 4", sync(fence) + " -1 0", sync(lock) + " 1 0", "accumulate 1 4", "get 1 4",
                  sync(RmaSync::flush) + " 1 0", "put 1 12", sync(unlock) + " 1 0", "member 1",
                  sync(start) + " -1 0", "put 1 4", sync(complete) + " -1 0", sync(RmaSync::free) + " -1 0"));
  const Lines other = run.transfers(1);
  ASSERT_GE(other.size(), 4u);
  EXPECT_THAT(
      Lines(other.end() - 4, other.end()),
      ElementsAre("member 0", sync(post) + " -1 0", sync(wait) + " -1 0", sync(RmaSync::free) + " -1 0"));
}

TEST(Threads, EachHasAJournalAndMayCompleteRequestsOfOthers) {
  const RecordedRun run(2, {program("shim_threads")});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const std::vector<Event> events = run.events(rank);
    EXPECT_EQ(count(events, EventKind::send_start), 801u);
    EXPECT_EQ(count(events, EventKind::recv_post), 801u);
    EXPECT_EQ(count(events, EventKind::send_complete), 801u);
    EXPECT_EQ(count(events, EventKind::recv_complete), 801u);
    EXPECT_LE(run.threads(rank), 5u) << "new threads continue the journals of ended ones";
    EXPECT_TRUE(run.complete(rank));
    for (const Event& event : events)
      if (event.kind == EventKind::recv_complete) {
        EXPECT_EQ(event.peer, 1 - static_cast<std::int32_t>(rank));
      }
  }
}

TEST(Threads, TheTimeAfterTheEndOfAThreadIsNotItsComputeTime) {
  const RecordedRun run(2, {program("shim_threads")});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const std::vector<Event> events = run.events(0);
  std::uint32_t finished = 0;
  for (std::size_t i = 1; i < events.size(); ++i) {
    if (events[i].kind != EventKind::finish || finished++ == 0)
      continue;  // the main thread calls MPI to the end
    EXPECT_EQ(events[i - 1].kind, EventKind::call) << "the end of the thread";
    EXPECT_EQ(events[i].begin, events[i - 1].begin + events[i - 1].duration);
  }
  EXPECT_EQ(finished, run.threads(0));
}

TEST(Facts, TheArgumentsAreWordsOfAShell) {
  const RecordedRun run(2, {program("shim_threads"), "a b", "it's", ""});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(run.definitions(0).properties.at("arguments"), EndsWith("shim_threads 'a b' 'it'\\''s' ''"));
}

TEST(Phases, NestAndAreNamed) {
  const RecordedRun run(2, {program("shim_phases")});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(run.transfers(0),
              ElementsAre("begin outer", "begin inner", collective(CollectiveOp::barrier) + " -1 0",
                          "end inner", "hint 1", "flush", "begin inner", "end inner", "end outer"));
}

TEST(Hints, APreloadGoesToTheLiveService) {
  const RecordedRun run(2, {program("shim_phases")}, {{"HYBRID_LIVE", "on"}, {"HYBRID_PRELOAD", "1"}});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const auto properties = run.definitions(rank).properties;
    ASSERT_TRUE(properties.contains("live_preloads")) << rank;
    EXPECT_EQ(properties.at("live_preloads"), "1") << rank;
    EXPECT_EQ(properties.at("live_flushes"), "1") << rank;
  }
}

TEST(Phases, EndWithTheirThreadAndNeedNoName) {
  const RecordedRun run(1, {program("shim_phase_threads")});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const std::string barrier = collective(CollectiveOp::barrier) + " -1 0";
  EXPECT_EQ(run.threads(0), 2u) << "the second thread has the journal of the first";
  EXPECT_THAT(run.transfers(0),
              ElementsAre("begin outer", barrier, "end outer", "begin around", "begin left open",
                          barrier + " comm 1", "end left open", "end around", barrier + " comm 1"));
}

TEST(Sessions, AreRecordedWithoutMpiInit) {
  const RecordedRun run(3, {program("shim_sessions")});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(run.definitions(1).communicators.at(2).members, ElementsAre(0, 1, 2));
  EXPECT_THAT(run.transfers(1),
              ElementsAre("isend 2 tag 1 4 comm 2 #1", "recv 0 tag 1 4 comm 2", "sent 2 tag 1 4 comm 2 #1"));
  EXPECT_TRUE(run.complete(1));
}

// Every language binding calls the C library in a different way, mpi_f08 partly by PMPI names.
class Bindings : public ::testing::TestWithParam<const char*> {};

TEST_P(Bindings, EachTransferIsRecordedOnce) {
  const RecordedRun run(4, {program(GetParam())});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_EQ(run.outcome().err, "");
  using enum CollectiveOp;
  EXPECT_THAT(run.definitions(1).communicators.at(2).members, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(
      run.transfers(1),
      ElementsAre("irecv 0 tag 5 12 comm 2 #1", "isend 2 tag 5 12 comm 2 #2", "received 0 tag 5 12 comm 2 #1",
                  "sent 2 tag 5 12 comm 2 #2", "irecv 0 tag 6 12 #3", "send 2 tag 6 8",
                  "received 0 tag 6 8 #3", "isend 2 tag 7 4 comm 2 #4", "recv 0 tag 7 4 comm 2",
                  "sent 2 tag 7 4 comm 2 #4", collective(allreduce) + " -1 4 comm 2",
                  collective(bcast) + " 2 12", collective(barrier) + " -1 0 comm 2"));
  EXPECT_TRUE(run.complete(1));
}
INSTANTIATE_TEST_SUITE_P(Shim, Bindings, ::testing::ValuesIn(HYBRID_SHIM_BINDINGS),
                         [](const auto& info) { return std::string(info.param).substr(5); });

// The source line of each call; "" without debug information.
Lines source_lines(const std::vector<CallSiteAddress>& addresses) {
  Lines lines;
  for (const CallSite& site : find_source_places(addresses)) {
    std::ifstream source(site.file);
    std::string& line = lines.emplace_back();
    for (std::uint32_t i = 0; i < site.line && std::getline(source, line); ++i) {
    }
  }
  return lines;
}
// The same of each event.
Lines source_lines(const RecordedRun& run, std::uint32_t rank, EventKind kind) {
  std::vector<CallSiteAddress> addresses;
  const Definitions definitions = run.definitions(rank);
  for (const Event& event : run.events(rank))
    if (event.kind == kind) addresses.push_back(definitions.call_sites.at(event.call_site));
  return source_lines(addresses);
}
// Compares the function of each call site with its source line, of at least `with_lines` sites, and returns
// the functions.
std::set<std::string> called_functions(const RecordedRun& run, std::uint32_t rank, std::size_t with_lines) {
  std::vector<CallSiteAddress> sites;
  for (const auto& [id, site] : run.definitions(rank).call_sites) sites.push_back(site);
  const Lines lines = source_lines(sites);
  std::set<std::string> functions;
  std::size_t compared = 0;
  const auto lower = [](std::string text) {  // Fortran
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  for (std::size_t i = 0; i < sites.size(); ++i) {
    EXPECT_FALSE(sites[i].function.empty());
    functions.insert(sites[i].function);
    if (lower(lines[i]).find("mpi_") == std::string::npos) continue;
    EXPECT_THAT(lower(lines[i]), HasSubstr(lower(sites[i].function)));
    ++compared;
  }
  EXPECT_GE(compared, with_lines);
  return functions;
}

TEST_P(Bindings, EachCallSiteHasItsFunction) {
  const RecordedRun run(4, {program(GetParam())});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(called_functions(run, 1, 5),
              IsSupersetOf({"MPI_Isend", "MPI_Waitall", "MPI_Sendrecv", "MPI_Bcast"}));
}

TEST(CallSites, HaveTheFunctionThatCompletes) {
  const RecordedRun run(2, {program("shim_p2p"), "nonblocking"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(called_functions(run, 1, 0), IsSupersetOf({"MPI_Waitany", "MPI_Waitsome", "MPI_Testall"}));
}

TEST(CallSites, OfAForeignFunctionInterfaceDifferByFunction) {
  const RecordedRun run(2, {program("shim_p2p"), "one_place"});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const Definitions definitions = run.definitions(0);
  Lines functions;
  std::set<std::uint64_t> addresses;
  for (const Event& event : run.events(0)) {
    if (event.kind != EventKind::send) continue;
    const CallSiteAddress& site = definitions.call_sites.at(event.call_site);
    functions.push_back(site.function);
    addresses.insert(site.address);
  }
  EXPECT_THAT(functions, ElementsAre("MPI_Send", "MPI_Ssend", "MPI_Send", "MPI_Ssend"));
  EXPECT_EQ(addresses.size(), 1u);
}

TEST_P(Bindings, EachCallHasItsSourceLine) {
  const RecordedRun run(4, {program(GetParam())});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(source_lines(run, 1, EventKind::send_start),
              ElementsAre(HasSubstr("MPI_Isend("), HasSubstr("MPI_Sendrecv(")));
  EXPECT_THAT(source_lines(run, 1, EventKind::send), ElementsAre(HasSubstr("MPI_Send(")));
  EXPECT_THAT(
      source_lines(run, 1, EventKind::collective),
      ElementsAre(HasSubstr("MPI_Allreduce("), HasSubstr("MPI_Bcast("),
                  // gfortran states the first line of the program for calls of mpi_f08 without a buffer.
                  AnyOf(HasSubstr("MPI_Barrier("), StartsWith("program same_transfers_f08"))));
}

TEST(CallSites, OfOneFunctionDiffer) {
  const RecordedRun run(7, {program("shim_call_sites")});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  const Lines lines = source_lines(run, 0, EventKind::send);
  EXPECT_EQ(lines.size(), 1800u);
  EXPECT_THAT(std::set(lines.begin(), lines.end()),
              ElementsAre(StartsWith("PLACE(down,"), StartsWith("PLACE(even,"), StartsWith("PLACE(odd,"),
                          StartsWith("PLACE(up,")));
}

TEST(OtherTools, SeeAllCallsBeforeAndBehindTheShim) {
  for (const bool before : {true, false}) {
    const std::string tool = program("libshim_counting_tool.so"), us = preload_library();
    const RecordedRun run(4, {program("shim_same_transfers")},
                          {{"LD_PRELOAD", before ? tool + ":" + us : us + ":" + tool}});
    ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
    EXPECT_EQ(run.outcome().out, "tool: 1 sends 1 waits\n");
    EXPECT_EQ(run.transfers(1).size(), 13u) << (before ? "tool first" : "tool last");
    EXPECT_TRUE(run.complete(1));
  }
}

TEST(PrivatelyLoadedMpi, IsRecordedToo) {
  const RecordedRun run(2, {program("shim_late_loader"), program("libshim_extension.so")});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  EXPECT_THAT(run.transfers(0), ElementsAre(collective(CollectiveOp::allreduce) + " -1 4"));
}

TEST(CpuClock, MeasuresTheComputeTimeOfLongGaps) {
  for (const char* rseq : {"1", "0"}) {  // with context switches that the shim sees, and without
    const RecordedRun run(
        2, {program("shim_computing")},
        {{"HYBRID_CLOCK", "cpu"}, {"GLIBC_TUNABLES", std::string("glibc.pthread.rseq=") + rseq}});
    ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
    // The program computes for 20 ms of CPU time and then sleeps 200 ms before it sends.
    std::uint64_t longest = 0;
    for (const Event& event : run.events(0))
      if (event.kind == EventKind::extension && event.op == static_cast<std::uint8_t>(Extension::compute))
        longest = std::max(longest, event.begin);
    EXPECT_GE(longest, 20'000'000u) << rseq;
    EXPECT_LT(longest, 150'000'000u) << rseq;
  }
}

TEST(CpuClock, MeasuresTheGapsBeforeSendsToProcNull) {
  const RecordedRun run(2, {program("shim_computing"), "null"}, {{"HYBRID_CLOCK", "cpu"}});
  ASSERT_EQ(run.outcome().status, 0) << run.outcome().err;
  // The last send follows the sleep of 200 ms.
  std::optional<std::uint64_t> compute, before_last;
  std::size_t sends = 0;
  for (const Event& event : run.events(0)) {
    if (event.kind == EventKind::extension && event.op == static_cast<std::uint8_t>(Extension::compute))
      compute = event.begin;
    if (event.kind != EventKind::send) continue;
    before_last = std::exchange(compute, std::nullopt);
    ++sends;
  }
  EXPECT_GT(sends, 100u);
  ASSERT_TRUE(before_last) << "the gap counts as computation";
  EXPECT_LT(*before_last, 150'000'000u);
}

}  // namespace
}  // namespace hybrid::shim::testing
