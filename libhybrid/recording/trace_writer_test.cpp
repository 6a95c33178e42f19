#include "libhybrid/recording/trace_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "emulator/replay/operation.h"
#include "emulator/replay/trace_format.h"
#include "libhybrid/recording/mpi_regions.h"
#include "libhybrid/recording/testing/recorded_process.h"
#include "libhybrid/recording/testing/trace_writer_fixture.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(TraceWriter, NamesTheCallSites) {
  ranks(2);
  // Two processes number their sites differently; one of the objects does not exist.
  for (std::uint32_t r = 0; r < 2; ++r) {
    rank(r).definitions.call_site(1 + r, {"/gone/it's.so", 0x10, "exchange"});
    rank(r).definitions.call_site(2 - r, {"/gone/it's.so", 0x20, ""});
    rank(r)->event(EventKind::send_start, 100, 10, {.call_site = 1 + r, .peer = 0, .bytes = 5, .request = 1});
    rank(r)->event(EventKind::send_complete, 200, 10, {.call_site = 2 - r, .request = 1});
    rank(r)->event(EventKind::send_start, 300, 10, {.peer = 0, .bytes = 5, .request = 1});
    rank(r)->finish(500);
  }
  const auto trace = open();
  for (std::uint32_t r = 0; r < 2; ++r) {
    const auto all = operations(*trace, r);
    ASSERT_EQ(kinds(all),
              (std::vector{Kind::send_start, Kind::send_complete, Kind::send_start, Kind::finish}));
    EXPECT_EQ(source_call(*trace, all[0].call, all[0].call_site),
              (SourceCall{"MPI_Isend", {"exchange", "", 0}}));
    EXPECT_EQ(source_call(*trace, all[1].call, all[1].call_site),
              (SourceCall{"MPI_Wait", {"0x20 in it's.so", "", 0}}));
    // Without a site: the region around it, which is the application.
    EXPECT_EQ(source_call(*trace, all[2].call, all[2].call_site),
              (SourceCall{"MPI_Isend", {"application", "", 0}}));
  }
}

TEST_F(TraceWriter, NamesTheCalls) {
  ranks(1);
  rank(0).definitions.call_site(1, {"/gone/a.so", 0x10, "exchange"});
  rank(0).definitions.window(3, kWorldCommunicator);
  std::uint64_t at = 0;
  const auto event = [&](EventKind kind, Event values) {
    values.call_site = 1;
    rank(0)->event(kind, at, 10, values);
  };
  const auto send = [&](std::uint8_t by) {
    at += 100;
    event(EventKind::send_start,
          {.op = static_cast<std::uint8_t>(static_cast<std::uint8_t>(SendMode::synchronous) | by),
           .peer = 0,
           .bytes = 5,
           .request = static_cast<std::uint32_t>(at)});
  };
  const auto post = [&](std::uint8_t by) {
    event(EventKind::recv_post,
          {.op = by, .peer = 0, .bytes = 5, .request = static_cast<std::uint32_t>(at + 1)});
  };
  send(0);
  send(kByStart);
  send(kByPready);
  send(0), post(0);
  send(kByStart), post(kByStart);
  at += 100, post(kByStart);
  at += 100,
      event(EventKind::collective_start,
            {.op = static_cast<std::uint8_t>(CollectiveOp::bcast), .peer = 0, .tag = -1, .request = 9});
  for (std::uint8_t op = 0; op < 4; ++op)
    at += 100, event(EventKind::accumulate, {.op = op, .communicator = 3, .peer = 0, .bytes = 8});
  rank(0)->finish(at + 100);
  const auto trace = open();
  std::vector<std::string> names;
  for (const Operation& o : operations(*trace, 0)) {
    EXPECT_TRUE(o.kind != Kind::send_start || o.mode == SendMode::synchronous);
    if (o.call_site != 0) names.push_back(source_call(*trace, o.call, o.call_site).call);
  }
  EXPECT_THAT(names, ElementsAre("MPI_Issend", "MPI_Start", "MPI_Pready", "MPI_Isendrecv", "MPI_Isendrecv",
                                 "MPI_Startall", "MPI_Startall", "MPI_Start", "MPI_Start", "MPI_Accumulate",
                                 "MPI_Get_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap"));
}

TEST_F(TraceWriter, NamesTheCallsOfAmbiguousOperationsByTheirSite) {
  ranks(1);
  const char* const functions[] = {"MPI_Waitsome", "MPI_Wait", "MPI_Comm_split", "MPI_Ssend"};
  for (std::uint32_t i = 0; i < 4; ++i)
    rank(0).definitions.call_site(1 + i, {"/gone/a.so", 0x10 + i, "exchange", functions[i]});
  rank(0)->event(EventKind::recv_post, 100, 10, {.peer = 0, .request = 1});
  rank(0)->event(EventKind::recv_complete, 200, 10, {.call_site = 1, .peer = 0, .request = 1});
  rank(0)->event(EventKind::recv_post, 300, 10, {.peer = 0, .request = 2});
  rank(0)->event(EventKind::recv_complete, 400, 10, {.call_site = 2, .peer = 0, .request = 2});
  rank(0)->event(EventKind::send, 500, 10, {.call_site = 4, .peer = 0});  // by a pointer to a function
  rank(0)->event(EventKind::call, 600, 10, {.call_site = 3});
  rank(0)->finish(700);
  const auto trace = open();
  std::vector<std::string> names;
  for (const Operation& o : operations(*trace, 0))
    if (o.call_site != 0) names.push_back(source_call(*trace, o.call, o.call_site).call);
  EXPECT_THAT(names, ElementsAre("MPI_Irecv", "MPI_Waitsome", "MPI_Irecv", "MPI_Wait", "MPI_Send"));
  EXPECT_THAT(trace->region_name(static_cast<std::uint32_t>(mpi_regions().size() + 1)), "MPI_Comm_split");
}

TEST_F(TraceWriter, NotesTheUseOfMpiIo) {
  ranks(1);
  rank(0).definitions.call_site(1, {"/gone/a.so", 0x10, "save", "MPI_File_open"});
  rank(0)->event(EventKind::call, 100, 10, {.call_site = 1});
  rank(0)->finish(200);
  EXPECT_EQ(open()->property("mpi_io"), "yes");
}

TEST_F(TraceWriter, ReportsItsProgress) {
  constexpr std::uint64_t kSends = 10'000;
  ranks(1);
  for (std::uint64_t i = 0; i < kSends; ++i)
    rank(0)->event(EventKind::send, 10 * i, 5, {.peer = kNoPeer, .bytes = 8});
  rank(0)->finish(10 * kSends);
  std::vector<std::uint64_t> written;
  const TraceSummary summary = write([&](std::uint64_t events, std::uint64_t all) {
    written.push_back(events);
    EXPECT_EQ(all, kSends + 2) << "and the thread's begin and end";
  });
  EXPECT_EQ(summary.events, kSends + 2);
  ASSERT_GT(written.size(), 1u);
  EXPECT_TRUE(std::ranges::is_sorted(written));
  EXPECT_LE(written.back(), summary.events);
}

TEST_F(TraceWriter, WritesPointToPointOperations) {
  ranks(3);
  rank(0)->event(EventKind::send, 1'000, 20,
                 {.op = static_cast<std::uint8_t>(SendMode::synchronous), .peer = 2, .tag = 7, .bytes = 100});
  rank(0)->event(EventKind::send, 1'100, 20, {.peer = kNoPeer, .tag = 7, .bytes = 100});
  rank(0)->finish(1'500);
  // A wildcard that is posted before the send; its completion has the sender and the tag.
  rank(2)->event(EventKind::recv_post, 400, 10, {.peer = kAnyPeer, .tag = kAnyTag, .request = 5});
  rank(2)->event(EventKind::send_start, 450, 10, {.peer = 1, .tag = 9, .bytes = 50, .request = 6});
  rank(2)->event(EventKind::recv_complete, 900, 300, {.peer = 0, .tag = 7, .bytes = 100, .request = 5});
  rank(2)->event(EventKind::send_complete, 900, 300, {.request = 6});
  rank(2)->finish(1'400);
  rank(1)->event(EventKind::recv, 460, 30, {.peer = 2, .tag = 9, .bytes = 50});
  rank(1)->finish(1'000);
  const auto trace = open();
  ASSERT_EQ(trace->ranks(), 3u);

  const auto zero = operations(*trace, 0);
  ASSERT_EQ(kinds(zero), (std::vector{Kind::send, Kind::finish}));
  EXPECT_EQ(zero[0].mode, SendMode::synchronous);
  EXPECT_EQ(zero[0].peer, 2u);
  EXPECT_EQ(zero[0].tag, 7);
  EXPECT_EQ(zero[0].bytes, 100u);
  EXPECT_EQ(zero[0].compute, nanoseconds(1'000));
  EXPECT_EQ(zero[1].compute, nanoseconds(80 + 380))
      << "the send to MPI_PROC_NULL takes time, but is no transfer";

  const auto two = operations(*trace, 2);
  ASSERT_EQ(kinds(two), (std::vector{Kind::recv_post, Kind::send_start, Kind::recv_complete,
                                     Kind::send_complete, Kind::finish}));
  EXPECT_EQ(two[0].compute, nanoseconds(400));
  EXPECT_EQ(two[1].compute, nanoseconds(40));
  EXPECT_EQ(two[2].compute, nanoseconds(440));
  EXPECT_EQ(two[2].peer, 0u);
  EXPECT_EQ(two[2].tag, 7);
  EXPECT_EQ(two[2].request, two[0].request);
  EXPECT_EQ(two[3].compute, Time{}) << "the same call";
  EXPECT_EQ(two[3].request, two[1].request);
  EXPECT_NE(two[0].request, two[1].request);
  EXPECT_EQ(two[4].compute, nanoseconds(200));
  EXPECT_EQ(kinds(operations(*trace, 1)), (std::vector{Kind::recv, Kind::finish}));
}

TEST_F(TraceWriter, WritesPersistentRequestsCancellationsAndProcNull) {
  ranks(2);
  for (std::uint64_t i = 0; i < 3; ++i) {
    rank(0)->event(EventKind::send_start, 100 + i * 100, 10, {.peer = 1, .tag = 1, .bytes = 8, .request = 3});
    rank(0)->event(EventKind::send_complete, 150 + i * 100, 10, {.request = 3});
    rank(1)->event(EventKind::recv_post, 100 + i * 100, 10, {.peer = 0, .tag = 1, .request = 3});
    rank(1)->event(EventKind::recv_complete, 170 + i * 100, 10,
                   {.peer = 0, .tag = 1, .bytes = 8, .request = 3});
  }
  rank(1)->event(EventKind::recv_post, 500, 10, {.peer = 0, .tag = 1, .request = 4});
  rank(1)->event(EventKind::cancelled, 520, 10, {.request = 4});
  rank(1)->event(EventKind::recv_post, 540, 10, {.peer = kNoPeer, .tag = 1, .request = 5});
  rank(1)->event(EventKind::recv_complete, 560, 10, {.peer = kNoPeer, .request = 5});
  const auto trace = open();
  EXPECT_EQ(kinds(operations(*trace, 0)),
            (std::vector{Kind::send_start, Kind::send_complete, Kind::send_start, Kind::send_complete,
                         Kind::send_start, Kind::send_complete, Kind::finish}));
  EXPECT_EQ(
      kinds(operations(*trace, 1)),
      (std::vector{Kind::recv_post, Kind::recv_complete, Kind::recv_post, Kind::recv_complete,
                   Kind::recv_post, Kind::recv_complete, Kind::recv_post, Kind::cancelled, Kind::finish}));
}

TEST_F(TraceWriter, WritesCollectivesOnSplitCommunicatorsWithDifferentIds) {
  ranks(4);
  const auto op = [](CollectiveOp o) { return static_cast<std::uint8_t>(o); };
  const std::vector<std::int32_t> even{2, 0}, odd{1, 3};
  for (std::uint32_t r = 0; r < 4; ++r) {
    const auto id = static_cast<std::uint16_t>(10 + r);
    rank(r).definitions.communicator(id, r % 2 == 0 ? even : odd);
    rank(r)->event(
        EventKind::collective, 100, 10,
        {.op = op(CollectiveOp::bcast), .communicator = id, .peer = r % 2 == 0 ? 0 : 1, .bytes = 64});
    rank(r)->event(EventKind::collective_start, 200, 10,
                   {.op = op(CollectiveOp::allreduce), .communicator = id, .bytes = 16, .request = 1});
    rank(r)->event(EventKind::collective_complete, 300, 10, {.request = 1});
    // Sizes by peer.
    const auto self = static_cast<std::int32_t>(r);
    rank(r)->extension(Extension::counts, r % 2 == 0 ? 2 - self : 4 - self, 1'000 + r);
    rank(r)->extension(Extension::counts_received, r % 2 == 0 ? 2 - self : 4 - self,
                       1'000 + (r % 2 == 0 ? 2 - r : 4 - r));
    rank(r)->event(EventKind::collective, 400, 10,
                   {.op = op(CollectiveOp::alltoallv), .communicator = id, .bytes = 1'000 + r});
    rank(r)->finish(500);
  }
  const auto trace = open();
  const auto zero = operations(*trace, 0), two = operations(*trace, 2), three = operations(*trace, 3);
  ASSERT_EQ(kinds(zero), (std::vector{Kind::collective, Kind::collective_start, Kind::collective_complete,
                                      Kind::collective, Kind::finish}));
  EXPECT_EQ(zero[0].communicator, two[0].communicator);
  EXPECT_NE(zero[0].communicator, three[0].communicator);
  EXPECT_THAT(trace->communicator(zero[0].communicator).members, ElementsAre(2, 0));
  EXPECT_THAT(trace->communicator(three[0].communicator).members, ElementsAre(1, 3));
  EXPECT_EQ(zero[0].collective, CollectiveOp::bcast);
  EXPECT_EQ(zero[0].peer, 0u);
  EXPECT_EQ(two[0].peer, 0u);
  EXPECT_EQ(three[0].peer, 1u);
  EXPECT_EQ(two[0].bytes, 64u);
  EXPECT_EQ(zero[0].number, 0u);
  EXPECT_EQ(zero[1].number, 1u);
  EXPECT_FALSE(zero[1].persistent);
  EXPECT_EQ(zero[1].collective, CollectiveOp::allreduce);
  EXPECT_EQ(zero[1].bytes, 16u);
  EXPECT_EQ(zero[2].request, zero[1].request);
  EXPECT_EQ(zero[3].collective, CollectiveOp::alltoallv);
  EXPECT_THAT(zero[3].counts_sent, ElementsAre(1'000, 0))
      << "rank 2 is the first member of this communicator";
  EXPECT_THAT(zero[3].counts_received, ElementsAre(1'002, 0));
  EXPECT_THAT(two[3].counts_sent, ElementsAre(0, 1'002));
}

TEST_F(TraceWriter, NeighbourhoodsKeepTheOrderOfTheTopology) {
  ranks(3);
  for (std::uint32_t r = 0; r < 3; ++r) {
    const auto left = static_cast<std::int32_t>((r + 2) % 3), right = static_cast<std::int32_t>((r + 1) % 3);
    for (const std::int32_t peer : {right, left})
      rank(r)->extension(Extension::counts, peer, peer == right ? 5 : 0);
    for (const std::int32_t peer : {left, right})
      rank(r)->extension(Extension::counts_received, peer, peer == left ? 5 : 0);
    rank(r)->event(EventKind::collective, 100, 10,
                   {.op = static_cast<std::uint8_t>(CollectiveOp::neighbor_alltoallv), .bytes = 5});
  }
  const auto trace = open();
  const auto one = operations(*trace, 1);
  ASSERT_EQ(kinds(one), (std::vector{Kind::collective, Kind::finish}));
  EXPECT_EQ(one[0].collective, CollectiveOp::neighbor_alltoallv);
  EXPECT_THAT(one[0].neighbors_out, ElementsAre(2, 0));
  EXPECT_THAT(one[0].counts_sent, ElementsAre(5, 0));
  EXPECT_THAT(one[0].neighbors_in, ElementsAre(0, 2));
  EXPECT_THAT(one[0].counts_received, ElementsAre(5, 0));
}

TEST_F(TraceWriter, PhasesAreRegionsByName) {
  ranks(2);
  rank(0).definitions.region(0, "solve");
  rank(1).definitions.region(0, "setup");
  rank(1).definitions.region(1, "solve");
  rank(0)->event(EventKind::phase_begin, 100, 0, {.request = 0});
  rank(0)->event(EventKind::send, 200, 10, {.peer = 1, .tag = 1, .bytes = 1});
  rank(0)->event(EventKind::flush, 250, 0, {});
  rank(0)->event(EventKind::phase_end, 300, 0, {.request = 0});
  rank(1)->event(EventKind::phase_begin, 100, 0, {.request = 1});
  rank(1)->event(EventKind::recv, 150, 100, {.peer = 0, .tag = 1, .bytes = 1});
  // Rank 1 is killed in its phase.
  const auto trace = open();
  const auto zero = operations(*trace, 0);
  ASSERT_EQ(kinds(zero),
            (std::vector{Kind::phase_begin, Kind::send, Kind::flush, Kind::phase_end, Kind::finish}));
  EXPECT_EQ(trace->region_name(zero[0].region), "solve");
  EXPECT_EQ(zero[0].compute, nanoseconds(100));
  EXPECT_EQ(zero[1].compute, nanoseconds(100));
  EXPECT_EQ(zero[3].compute, nanoseconds(50));
  const auto one = operations(*trace, 1);
  ASSERT_GE(one.size(), 2u);
  EXPECT_EQ(one[0].region, zero[0].region);
}

TEST_F(TraceWriter, WritesTheHintsOfPhases) {
  ranks(3);
  rank(0).definitions.region(0, "solve");
  rank(0)->event(EventKind::phase_begin, 100, 0, {.request = 0});
  rank(0)->event(EventKind::hint, 110, 0, {.peer = 2});
  rank(0)->event(EventKind::hint, 110, 0, {.peer = 1});
  rank(0)->event(EventKind::send, 200, 10, {.peer = 1, .tag = 1, .bytes = 1});
  rank(0)->event(EventKind::phase_end, 300, 0, {.request = 0});
  rank(1)->event(EventKind::recv, 150, 100, {.peer = 0, .tag = 1, .bytes = 1});
  const auto trace = open();
  const auto zero = operations(*trace, 0);
  ASSERT_EQ(kinds(zero), (std::vector{Kind::phase_begin, Kind::hint, Kind::hint, Kind::send, Kind::phase_end,
                                      Kind::finish}));
  EXPECT_EQ(zero[1].peer, 2u);
  EXPECT_EQ(zero[2].peer, 1u);
  EXPECT_EQ(zero[3].compute, nanoseconds(100)) << "since the begin of the phase: hints take no time";
}

TEST_F(TraceWriter, PhasesMayHaveTheNamesOfMpiFunctions) {
  ranks(2);
  rank(0).definitions.region(0, "MPI_Send");
  rank(0)->event(EventKind::phase_begin, 100, 0, {.request = 0});
  rank(0)->event(EventKind::send, 200, 10, {.peer = 1, .tag = 1, .bytes = 1});
  rank(0)->event(EventKind::phase_end, 300, 0, {.request = 0});
  rank(1)->event(EventKind::recv, 150, 100, {.peer = 0, .tag = 1, .bytes = 1});
  const auto trace = open();
  const auto zero = operations(*trace, 0);
  ASSERT_EQ(kinds(zero), (std::vector{Kind::phase_begin, Kind::send, Kind::phase_end, Kind::finish}));
  EXPECT_EQ(trace->region_name(zero[0].region), "MPI_Send");
  EXPECT_EQ(zero[1].compute, nanoseconds(100)) << "compute time inside the phase";
}

TEST_F(TraceWriter, ThreadsAreLocationsAndMayCompleteEachOthersRequests) {
  ranks(2);
  rank(0)->event(EventKind::recv_post, 100, 10, {.peer = 1, .tag = 1, .request = 7});
  auto& other = rank(0).thread(1);
  other.start(50);
  other.event(EventKind::recv_complete, 200, 100, {.peer = 1, .tag = 1, .bytes = 4, .request = 7});
  other.finish(400);
  rank(0)->finish(500);
  rank(1)->event(EventKind::send, 150, 10, {.peer = 0, .tag = 1, .bytes = 4});
  const auto trace = open();
  ASSERT_EQ(trace->locations().size(), 3u);
  const auto first = operations(*trace, 0, 0), second = operations(*trace, 0, 1);
  ASSERT_EQ(kinds(first), (std::vector{Kind::recv_post, Kind::finish}));
  ASSERT_EQ(second.at(0).kind, Kind::recv_complete);
  EXPECT_EQ(second[0].request, first[0].request);
}

TEST_F(TraceWriter, WritesValuesInTheWideForm) {
  ranks(2);
  const std::uint64_t bytes = (std::uint64_t{3} << 32) + 5, long_time = 6'000'000'000;
  const std::vector<std::int32_t> world{0, 1};
  for (std::uint32_t r = 0; r < 2; ++r) rank(r).definitions.communicator(70'000, world);
  rank(0)->event(EventKind::send, 100, long_time, {.peer = 1, .tag = 1}, {bytes, 0, 70'000});
  rank(0)->finish(100 + long_time + 50);
  rank(1)->event(EventKind::recv, 100, long_time, {.peer = 0, .tag = 1}, {bytes, 0, 70'000});
  rank(1)->finish(100 + long_time + 50);
  const auto trace = open();
  const auto zero = operations(*trace, 0);
  ASSERT_EQ(kinds(zero), (std::vector{Kind::send, Kind::finish}));
  EXPECT_EQ(zero[0].bytes, bytes);
  EXPECT_NE(zero[0].communicator, operations(*trace, 1)[1].communicator);
  EXPECT_EQ(zero[1].compute, nanoseconds(50)) << "the call's whole duration counts";
}

TEST_F(TraceWriter, FactsAreCommonPropertiesAndSumsOfCounts) {
  ranks(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    auto& definitions = rank(r).definitions;
    definitions.property("application", "/opt/halo");
    definitions.property("arguments", "-n 4\tx\ny");
    definitions.property("host", "node" + std::to_string(r));
    definitions.property("port", std::to_string(7 - r));
    definitions.property("live_hits", "20");
    rank(r)->finish(10);
  }
  const auto trace = open();
  EXPECT_EQ(trace->property("application"), "/opt/halo");
  EXPECT_EQ(trace->property("arguments"), "-n 4 x y");
  EXPECT_EQ(trace->property("live_hits"), "40");
  EXPECT_EQ(trace->property("hosts"), "2");
  EXPECT_EQ(trace->property("complete"), "yes");
  EXPECT_EQ(trace->property("mpi_io"), "");
  EXPECT_EQ(trace->property("port"), "");
  EXPECT_THAT(trace->placement(), ElementsAre(7, 6));
}

TEST_F(TraceWriter, WritesComputeTimesOfTheCpuClock) {
  ranks(1);
  rank(0).definitions.property("clock", "cpu");
  rank(0).definitions.region(0, "p");
  rank(0)->extension(Extension::compute, kNoPeer, 300);
  rank(0)->event(EventKind::phase_begin, 5'000, 0, {.request = 0});
  rank(0)->extension(Extension::compute, kNoPeer, 40);
  rank(0)->event(EventKind::collective, 9'000, 2'000,
                 {.op = static_cast<std::uint8_t>(CollectiveOp::barrier)});
  rank(0)->event(EventKind::predict_request, 11'010, 0, {.peer = 3});
  rank(0)->event(EventKind::collective, 11'025, 10, {.op = static_cast<std::uint8_t>(CollectiveOp::barrier)});
  rank(0)->finish(12'000);
  const auto trace = open();
  const auto all = operations(*trace, 0);
  ASSERT_EQ(kinds(all).size(), 5u);
  EXPECT_EQ(all[0].compute, nanoseconds(300));
  EXPECT_EQ(all[1].compute, nanoseconds(40));
  EXPECT_EQ(all[2].compute, nanoseconds(25));
}

TEST_F(TraceWriter, ShiftsHostsSoThatNoMessageIsEarly) {
  // The wall clock of node b is 5000 ns behind: its receive ends before the send begins.
  const auto header = [&](std::uint32_t r) {
    return test_clock(r * 777'777, 1'700'000'000'000'000'000 - r * 5'000);
  };
  for (std::uint32_t r = 0; r < 2; ++r) {
    processes_.push_back(std::make_unique<RecordedProcess>(directory_.path(), r, 2, header(r)));
    rank(r).definitions.property("host", r == 0 ? "a" : "b");
    rank(r)->start();
  }
  rank(0)->event(EventKind::send, 1'000, 10, {.peer = 1, .tag = 1, .bytes = 1});
  rank(1)->event(EventKind::recv, 900, 200, {.peer = 0, .tag = 1, .bytes = 1});
  const TraceSummary summary = write();
  const auto trace = open_trace(summary.anchor);
  EXPECT_EQ(trace->property("early_messages"), "1");
  EXPECT_EQ(trace->property("clock_shift_ns"), "4900") << "the least shift that suffices";
  EXPECT_EQ(trace->property("clock_error_ns"), "0");
}

TEST_F(TraceWriter, Otf2PrintReadsTheTrace) {
  ranks(2);
  rank(0)->event(EventKind::send, 100, 20, {.peer = 1, .tag = 3, .bytes = 64});
  rank(1)->event(EventKind::recv, 50, 100, {.peer = 0, .tag = 3, .bytes = 64});
  for (std::uint32_t r = 0; r < 2; ++r) {
    rank(r)->event(EventKind::collective, 300, 20,
                   {.op = static_cast<std::uint8_t>(CollectiveOp::allreduce), .bytes = 8});
    rank(r)->finish(400);
  }
  const TraceSummary summary = write();
  const auto events = printed(summary.anchor);
  ASSERT_TRUE(events.has_value()) << "otf2-print is not installed: package otf2-tools";
  EXPECT_THAT(*events,
              HasSubstr("Receiver: 1 (\"Master thread\" <1>), Communicator: \"MPI_COMM_WORLD\" <0>, Tag: 3, "
                        "Length: 64"));
  EXPECT_THAT(*events, HasSubstr("Sender: 0"));
  EXPECT_THAT(*events, HasSubstr("Operation: ALLREDUCE"));
  EXPECT_LT(events->find("MPI_SEND "), events->find("MPI_RECV "));
  const auto definitions = printed(summary.anchor, "-G");
  EXPECT_THAT(*definitions, HasSubstr("Type: COMM_LOCATIONS"));
  EXPECT_THAT(*definitions, testing::Not(HasSubstr("INVALID")));
}

}  // namespace
}  // namespace hybrid
