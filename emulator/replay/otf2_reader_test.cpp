#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/network/longest_run.h"
#include "emulator/replay/operation.h"
#include "emulator/replay/testing/archive.h"
#include "emulator/replay/trace_format.h"
#include "emulator/replay/trace_names.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using testing::ElementsAre;

std::vector<Operation> all(JobTrace& trace, std::uint32_t location) {
  std::vector<Operation> operations;
  Operation operation;
  while (trace.next(location, operation)) operations.push_back(operation);
  return operations;
}

std::vector<Kind> kinds(const std::vector<Operation>& operations) {
  std::vector<Kind> result;
  for (const Operation& o : operations) result.push_back(o.kind);
  return result;
}

TEST(Otf2Reader, ReadsPointToPointAsScorePWritesIt) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "traces", 3, 1'000'000'000, "Score-P 8.0");
  const OTF2_CommRef pair = archive.communicator({2, 0});
  archive.first_tick(100);
  archive.call(0, 100, 200, "MPI_Init");
  archive.call(0, 350, 400, "MPI_Send",
               [&](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 360, 0, pair, 7, 4096); });
  archive.call(2, 100, 220, "MPI_Init");
  // A wildcard: OTF2 carries what was received.
  archive.call(2, 230, 410, "MPI_Recv",
               [&](auto* w) { OTF2_EvtWriter_MpiRecv(w, nullptr, 405, 1, pair, 7, 4096); });
  archive.close();

  const auto trace = open_trace(directory.path());
  ASSERT_EQ(trace->ranks(), 3u);
  ASSERT_EQ(trace->locations().size(), 3u);
  EXPECT_TRUE(trace->placement().empty());
  const auto sender = all(*trace, 0);
  ASSERT_THAT(kinds(sender), ElementsAre(Kind::send, Kind::finish));
  EXPECT_EQ(sender[0].peer, 2u);  // rank 0 of {2, 0}
  EXPECT_EQ(sender[0].tag, 7);
  EXPECT_EQ(sender[0].bytes, 4096u);
  EXPECT_EQ(sender[0].compute, nanoseconds(150));
  EXPECT_EQ(sender[0].at, nanoseconds(250));
  EXPECT_EQ(sender[1].compute, Time{});
  const auto receiver = all(*trace, 2);
  ASSERT_THAT(kinds(receiver), ElementsAre(Kind::recv, Kind::finish));
  EXPECT_EQ(receiver[0].peer, 0u);
  EXPECT_EQ(receiver[0].communicator, sender[0].communicator);
  EXPECT_EQ(receiver[0].compute, nanoseconds(10));
  EXPECT_THAT(kinds(all(*trace, 1)), ElementsAre(Kind::finish));
}

TEST(Otf2Reader, SaysHowManyEventsItHasRead) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "traces", 2);
  constexpr std::uint64_t kSends = 400;
  for (std::uint64_t i = 0; i < kSends; ++i)
    archive.call(1, 100 * i, 100 * i + 50, "MPI_Send",
                 [&](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 100 * i + 10, 0, 0, 0, 64); });
  archive.close();
  const auto trace = open_trace(directory.path());
  EXPECT_EQ(trace->events().read, 0u);
  EXPECT_EQ(trace->events().all, 3 * kSends) << "enter, send, leave";
  Operation operation;
  ASSERT_TRUE(trace->next(1, operation));
  EXPECT_GT(trace->events().read, 0u);
  EXPECT_LT(trace->events().read, 3 * kSends) << "the trace is read in pieces";
  all(*trace, 1);
  EXPECT_EQ(trace->events().read, trace->events().all);
}

TEST(Otf2Reader, ReadsNonblockingTransfersAndLeavesPollsOutOfComputeTime) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "t", 2);
  archive.call(0, 0, 10, "MPI_Irecv", [&](auto* w) { OTF2_EvtWriter_MpiIrecvRequest(w, nullptr, 5, 1); });
  archive.call(0, 20, 30, "MPI_Isend",
               [&](auto* w) { OTF2_EvtWriter_MpiIsend(w, nullptr, 25, 1, 0, 3, 64, 2); });
  archive.call(0, 40, 50, "MPI_Test", [&](auto* w) { OTF2_EvtWriter_MpiRequestTest(w, nullptr, 45, 1); });
  archive.call(0, 60, 90, "MPI_Waitall", [&](auto* w) {
    OTF2_EvtWriter_MpiIrecv(w, nullptr, 80, 1, 0, 4, 32, 1);
    OTF2_EvtWriter_MpiIsendComplete(w, nullptr, 85, 2);
  });
  archive.call(0, 95, 96, "MPI_Cancel",
               [&](auto* w) { OTF2_EvtWriter_MpiRequestCancelled(w, nullptr, 95, 9); });
  archive.close();

  const auto trace = open_trace(directory / "t.otf2");
  const auto operations = all(*trace, 0);
  ASSERT_THAT(kinds(operations), ElementsAre(Kind::recv_post, Kind::send_start, Kind::recv_complete,
                                             Kind::send_complete, Kind::cancelled, Kind::finish));
  EXPECT_EQ(operations[0].compute, Time{});
  EXPECT_EQ(operations[1].compute, nanoseconds(10));
  EXPECT_EQ(operations[2].compute, nanoseconds(20));  // 30 to 40, 50 to 60
  EXPECT_EQ(operations[2].request, 1u);
  EXPECT_EQ(operations[2].tag, 4);
  EXPECT_EQ(operations[3].compute, Time{});
  EXPECT_EQ(operations[4].compute, nanoseconds(5));
}

TEST(Otf2Reader, DeducesTheSizesOfCollectivesFromScorePsBytes) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "t", 4, 1'000'000'000, "Score-P 8.0");
  const OTF2_CommRef three = archive.communicator({3, 1, 0});
  std::uint64_t tick = 0;
  const auto collective = [&](std::uint32_t rank, OTF2_CollectiveOp op, OTF2_CommRef comm, std::uint32_t root,
                              std::uint64_t sent, std::uint64_t received) {
    archive.call(rank, tick, tick + 10, "MPI_Collective", [&](auto* w) {
      OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, tick);
      OTF2_EvtWriter_MpiCollectiveEnd(w, nullptr, tick + 10, op, comm, root, sent, received);
    });
    tick += 20;
  };
  constexpr std::uint32_t kNone = OTF2_COLLECTIVE_ROOT_NONE;
  collective(1, OTF2_COLLECTIVE_OP_BARRIER, three, kNone, 0, 0);
  collective(1, OTF2_COLLECTIVE_OP_BCAST, three, 1, 300, 100);  // the root
  collective(3, OTF2_COLLECTIVE_OP_BCAST, three, 1, 0, 100);    // another rank
  collective(1, OTF2_COLLECTIVE_OP_ALLREDUCE, three, kNone, 24, 24);
  collective(1, OTF2_COLLECTIVE_OP_ALLTOALL, three, kNone, 30, 30);
  collective(1, OTF2_COLLECTIVE_OP_GATHER, three, 1, 0,
             20);  // in place: the root does not count its own part
  collective(1, OTF2_COLLECTIVE_OP_ALLGATHERV, three, kNone, 30, 60);
  collective(1, OTF2_COLLECTIVE_OP_SCAN, three, kNone, 16, 16);  // rank 1 of 3: 2 vectors sent, 2 received
  collective(1, OTF2_COLLECTIVE_OP_CREATE_HANDLE, three, kNone, 0, 0);
  archive.close();

  const auto trace = open_trace(directory.path());
  const auto one = all(*trace, 1);
  ASSERT_EQ(one.size(), 8u);  // the creation of a handle moves no data
  EXPECT_EQ(one[1].peer, 1u);
  EXPECT_EQ(one[1].bytes, 100u);
  EXPECT_EQ(all(*trace, 3)[0].bytes, 100u);
  EXPECT_EQ(one[2].bytes, 8u);
  EXPECT_EQ(one[3].bytes, 10u);
  EXPECT_EQ(one[4].bytes, 10u);
  EXPECT_THAT(one[5].counts_received, ElementsAre(20u, 20u, 20u));
  EXPECT_EQ(one[6].bytes, 8u);
  EXPECT_THAT(trace->communicator(one[0].communicator).members, ElementsAre(3u, 1u, 0u));
}

TEST(Otf2Reader, ReadsAheadForTheParametersOfANonblockingCollective) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "t", 2);
  archive.call(0, 0, 10, "MPI_Ibcast",
               [&](auto* w) { OTF2_EvtWriter_NonBlockingCollectiveRequest(w, nullptr, 5, 11); });
  archive.call(0, 20, 30, "MPI_Send", [&](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 25, 1, 0, 0, 8); });
  archive.call(0, 40, 50, "MPI_Ibarrier",
               [&](auto* w) { OTF2_EvtWriter_NonBlockingCollectiveRequest(w, nullptr, 45, 12); });
  archive.call(0, 60, 70, "MPI_Wait", [&](auto* w) {
    OTF2_EvtWriter_NonBlockingCollectiveComplete(w, nullptr, 65, OTF2_COLLECTIVE_OP_BCAST, 0, 1, 0, 77, 11);
  });
  archive.close();

  const auto trace = open_trace(directory.path());
  const auto operations = all(*trace, 0);
  // The barrier is never completed: it is unknown and dropped.
  ASSERT_THAT(kinds(operations),
              ElementsAre(Kind::collective_start, Kind::send, Kind::collective_complete, Kind::finish));
  EXPECT_EQ(operations[0].collective, CollectiveOp::bcast);
  EXPECT_EQ(operations[0].bytes, 77u);
  EXPECT_EQ(operations[0].peer, 1u);
  EXPECT_EQ(operations[2].request, 11u);
}

TEST(Otf2Reader, ReadsTheAdditionsOfOurOwnArchivesToOtf2) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "trace", 2, 3'000'000'000);
  const auto mode = archive.attribute(trace_names::kSendMode, OTF2_TYPE_UINT8);
  const auto compute = archive.attribute(trace_names::kCompute, OTF2_TYPE_UINT64);
  const auto collective = archive.attribute(trace_names::kCollective, OTF2_TYPE_UINT8);
  const auto bytes = archive.attribute(trace_names::kBytes, OTF2_TYPE_UINT64);
  const auto comm = archive.attribute(trace_names::kCommunicator, OTF2_TYPE_COMM);
  const auto root = archive.attribute(trace_names::kRoot, OTF2_TYPE_UINT32);
  const auto sync = archive.attribute(trace_names::kRmaSync, OTF2_TYPE_UINT8);
  const auto peer = archive.attribute(trace_names::kPeer, OTF2_TYPE_UINT32);
  const auto sent = archive.parameter(trace_names::kCountSent);
  const auto received = archive.parameter(trace_names::kCountReceived);
  const auto flush = archive.parameter(trace_names::kFlush);
  const auto request = archive.parameter(trace_names::kPredictRequest);
  const OTF2_RmaWinRef window = archive.window(0);
  const OTF2_RegionRef phase = archive.region("sweep", OTF2_PARADIGM_USER, OTF2_REGION_FLAG_PHASE);
  archive.port(0, 5);
  archive.port(1, 2);
  archive.fact(trace_names::property_of_fact("lost_events"), "3");
  archive.fact(trace_names::property_of_fact(trace_names::kApplication), "halo");

  OTF2_AttributeList* list = OTF2_AttributeList_New();
  OTF2_EvtWriter* w = archive.events(0);
  OTF2_EvtWriter_Enter(w, nullptr, 0, phase);
  OTF2_AttributeList_AddUint64(list, compute, 42);
  OTF2_EvtWriter_Enter(w, list, 3000, archive.region("MPI_Ssend"));
  OTF2_AttributeList_RemoveAllAttributes(list);
  OTF2_AttributeList_AddUint8(list, mode, static_cast<std::uint8_t>(SendMode::synchronous));
  OTF2_EvtWriter_MpiSend(w, list, 3001, 1, 0, 1, 10);
  OTF2_AttributeList_RemoveAllAttributes(list);
  OTF2_EvtWriter_Leave(w, nullptr, 3010, archive.region("MPI_Ssend"));
  OTF2_EvtWriter_ParameterUnsignedInt(w, nullptr, 3013, flush, 0);
  OTF2_EvtWriter_ParameterUnsignedInt(w, nullptr, 3013, request, 1);
  archive.call(0, 3014, 3020, "MPI_Neighbor_alltoallv", [&](auto* e) {
    OTF2_AttributeList_AddUint32(list, peer, 1);
    OTF2_EvtWriter_ParameterUnsignedInt(e, list, 3014, sent, 100);
    OTF2_AttributeList_AddUint32(list, peer, 1);
    OTF2_EvtWriter_ParameterUnsignedInt(e, list, 3014, sent, 200);
    OTF2_AttributeList_AddUint32(list, peer, 0);
    OTF2_EvtWriter_ParameterUnsignedInt(e, list, 3014, received, 0);
    OTF2_AttributeList_AddUint8(list, collective,
                                static_cast<std::uint8_t>(CollectiveOp::neighbor_alltoallv));
    OTF2_AttributeList_AddUint64(list, bytes, 300);
    OTF2_EvtWriter_MpiCollectiveEnd(e, list, 3020, OTF2_COLLECTIVE_OP_ALLTOALLV, 0, OTF2_COLLECTIVE_ROOT_NONE,
                                    0, 0);
  });
  archive.call(0, 3020, 3030, "MPI_Ireduce", [&](auto* e) {
    OTF2_AttributeList_AddUint8(list, collective, static_cast<std::uint8_t>(CollectiveOp::reduce));
    OTF2_AttributeList_AddUint64(list, bytes, 512);
    OTF2_AttributeList_AddCommRef(list, comm, 0);
    OTF2_AttributeList_AddUint32(list, root, 1);
    OTF2_EvtWriter_NonBlockingCollectiveRequest(e, list, 3025, 8);
  });
  archive.call(0, 3030, 3040, "MPI_Put",
               [&](auto* e) { OTF2_EvtWriter_RmaPut(e, nullptr, 3030, window, 1, 99, 0); });
  archive.call(0, 3040, 3050, "MPI_Win_flush", [&](auto* e) {
    OTF2_AttributeList_AddUint8(list, sync, static_cast<std::uint8_t>(RmaSync::flush_all));
    OTF2_EvtWriter_RmaSync(e, list, 3050, window, 1, OTF2_RMA_SYNC_TYPE_MEMORY);
  });
  OTF2_EvtWriter_Leave(w, nullptr, 3053, phase);
  OTF2_AttributeList_Delete(list);
  archive.close();

  const auto trace = open_trace(directory.path());
  EXPECT_THAT(trace->placement(), ElementsAre(5u, 2u));
  EXPECT_EQ(trace->property("lost_events"), "3");
  EXPECT_EQ(trace->property("application"), "halo");
  EXPECT_EQ(trace->property("clock"), "");
  const auto operations = all(*trace, 0);
  ASSERT_THAT(kinds(operations),
              ElementsAre(Kind::phase_begin, Kind::send, Kind::flush, Kind::collective,
                          Kind::collective_start, Kind::put, Kind::rma_sync, Kind::phase_end, Kind::finish));
  EXPECT_EQ(trace->region_name(operations[0].region), "sweep");
  EXPECT_EQ(operations[1].mode, SendMode::synchronous);
  EXPECT_EQ(operations[1].compute, nanoseconds(42));  // by the CPU clock, not 1000 ns
  EXPECT_EQ(operations[2].compute, nanoseconds(1));   // 3 ticks of a third of a nanosecond
  EXPECT_EQ(operations[3].collective, CollectiveOp::neighbor_alltoallv);
  EXPECT_EQ(operations[3].bytes, 300u);
  EXPECT_THAT(operations[3].neighbors_out, ElementsAre(1u, 1u));
  EXPECT_THAT(operations[3].counts_sent, ElementsAre(100u, 200u));
  EXPECT_THAT(operations[3].neighbors_in, ElementsAre(0u));
  EXPECT_EQ(operations[3].compute, picoseconds(333));
  EXPECT_EQ(operations[4].collective, CollectiveOp::reduce);
  EXPECT_EQ(operations[4].peer, 1u);
  EXPECT_EQ(operations[4].bytes, 512u);
  EXPECT_TRUE(operations[4].neighbors_out.empty());
  EXPECT_EQ(operations[5].bytes, 99u);
  EXPECT_EQ(operations[6].sync, RmaSync::flush_all);
  EXPECT_EQ(operations[7].compute, nanoseconds(1));
}

TEST(Otf2Reader, ACallIsInTheInnermostFunctionAroundIt) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "t", 1);
  const OTF2_RegionRef main = archive.region("main", OTF2_PARADIGM_COMPILER),
                       exchange = archive.region("exchange", OTF2_PARADIGM_COMPILER),
                       phase = archive.region("solve", OTF2_PARADIGM_USER, OTF2_REGION_FLAG_PHASE);
  OTF2_EvtWriter* w = archive.events(0);
  std::uint64_t at = 0;
  const auto send = [&] {
    at += 10;
    archive.call(0, at, at + 5, "MPI_Send",
                 [&](auto* e) { OTF2_EvtWriter_MpiSend(e, nullptr, at, 0, 0, 0, 8); });
  };
  send();
  OTF2_EvtWriter_Enter(w, nullptr, at += 10, main);
  OTF2_EvtWriter_Enter(w, nullptr, at += 10, phase);
  send();
  OTF2_EvtWriter_Enter(w, nullptr, at += 10, exchange);
  send();
  OTF2_EvtWriter_Leave(w, nullptr, at += 10, exchange);
  OTF2_EvtWriter_Leave(w, nullptr, at += 10, phase);
  send();
  archive.close();
  const auto trace = open_trace(directory.path());
  std::vector<std::string> functions;
  for (const Operation& operation : all(*trace, 0)) {
    if (operation.kind != Kind::send) continue;
    functions.emplace_back(operation.call_site == 0
                               ? "-"
                               : source_call(*trace, operation.call, operation.call_site).site.function);
  }
  EXPECT_THAT(functions, ElementsAre("-", "main", "exchange", "main"));
}

TEST(Otf2Reader, PeersInAnIntercommunicatorAreRanksOfTheOtherGroup) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "t", 4);
  const OTF2_CommRef inter = archive.inter_communicator({0, 2}, {3, 1});
  archive.call(2, 0, 1, "MPI_Send", [&](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 0, 1, inter, 0, 8); });
  archive.call(1, 0, 1, "MPI_Recv", [&](auto* w) { OTF2_EvtWriter_MpiRecv(w, nullptr, 1, 1, inter, 0, 8); });
  archive.call(3, 0, 1, "MPI_Send", [&](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 0, 0, 1, 0, 8); });
  archive.close();
  const auto trace = open_trace(directory.path());
  EXPECT_EQ(all(*trace, 2)[0].peer, 1u);
  EXPECT_EQ(all(*trace, 1)[0].peer, 2u);
  EXPECT_EQ(all(*trace, 3)[0].peer, 3u);  // MPI_COMM_SELF
}

TEST(Otf2Reader, KeepsThreadsInStepWithTheirRank) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "t", 1);
  const OTF2_LocationRef thread = archive.thread(0), idle = archive.thread(0);
  archive.call(0, 100, 110, "MPI_Init");
  archive.call(thread, 400, 410, "MPI_Send",
               [&](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 405, 0, 0, 0, 8); });
  OTF2_EvtWriter_Enter(archive.events(idle), nullptr, 100, archive.region("work", OTF2_PARADIGM_COMPILER));
  OTF2_EvtWriter_Leave(archive.events(idle), nullptr, 900, archive.region("work", OTF2_PARADIGM_COMPILER));
  archive.close();
  const auto trace = open_trace(directory.path());
  ASSERT_EQ(trace->locations().size(), 3u);
  EXPECT_EQ(trace->locations()[1].rank, 0u);
  EXPECT_EQ(all(*trace, 1)[0].compute, nanoseconds(300));
  EXPECT_EQ(all(*trace, 2)[0].compute, Time{});  // a thread that never communicates delays nothing
}

TEST(Otf2Reader, LimitsTheSumOfComputeTimes) {
  TemporaryDirectory directory;
  TestArchive archive(directory.path(), "t", 1);
  const auto compute = archive.attribute(trace_names::kCompute, OTF2_TYPE_UINT64);
  OTF2_AttributeList* list = OTF2_AttributeList_New();
  for (std::uint64_t tick : {100, 200}) {  // MPI_Init communicates nothing: the times before it are added
    OTF2_AttributeList_AddUint64(list, compute, ~std::uint64_t{0});
    OTF2_EvtWriter_Enter(archive.events(0), list, tick, archive.region("MPI_Init"));
    OTF2_EvtWriter_Leave(archive.events(0), nullptr, tick + 50, archive.region("MPI_Init"));
  }
  OTF2_AttributeList_Delete(list);
  archive.call(0, 300, 310, "MPI_Send",
               [&](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 305, 0, 0, 0, 8); });
  archive.close();
  const auto operations = all(*open_trace(directory.path()), 0);
  ASSERT_EQ(operations.size(), 2u);
  EXPECT_EQ(operations[0].compute, kLongestRun);
}

TEST(Otf2Reader, ReadsTracesWithoutRanksOrEvents) {
  TemporaryDirectory directory;
  TestArchive(directory.path(), "t", 0).close();
  const auto trace = open_trace(directory.path());
  EXPECT_EQ(trace->ranks(), 0u);
  EXPECT_TRUE(trace->locations().empty());
}

}  // namespace
}  // namespace hybrid
