// A recorded job as an OTF2 archive: the names that libhybrid's trace writer and reader use in addition to
// what OTF2 defines. Each name is an OTF2 attribute, parameter or property, so that other tools open the
// archives and ignore what they do not know. All are optional for the reader, so that archives of Score-P,
// TAU or EZTrace replay unchanged.
//
// Layout of an archive
// - One location group of type PROCESS for each rank, one location of type CPU_THREAD for each thread that
//   communicated.
//   One group of type COMM_LOCATIONS, paradigm MPI, lists the main thread's location of each world rank;
//   communicators are Comm (or InterComm) definitions over COMM_GROUP groups whose members are world ranks.
// - Each call is an Enter and a Leave of a region of paradigm MPI ("MPI_Send", ...); time outside such
// regions
//   is compute time. A sequence of unsuccessful polls and a call that moves no data are regions without
//   further events.
// - Within its region, point to point is MpiSend, MpiIsend, MpiIsendComplete, MpiIrecvRequest, MpiIrecv,
//   MpiRecv, MpiRequestCancelled; a blocking collective is MpiCollectiveBegin, MpiCollectiveEnd; a
//   nonblocking one NonBlockingCollectiveRequest, NonBlockingCollectiveComplete; one-sided is RmaPut, RmaGet,
//   RmaAtomic on an RmaWin, and a synchronisation (kRmaSync) is RmaCollectiveBegin and -End (fence; operation
//   BARRIER), RmaGroupSync (post, start, complete, wait; the group is that of the call, or of the post or
//   start whose epoch it ends), RmaAcquireLock (lock, lock_all), RmaReleaseLock (unlock, unlock_all) or
//   RmaSync (flush, flush_all). A window's creation and end are RmaWinCreate and RmaWinDestroy. Transfers
//   with MPI_PROC_NULL and empty polls are not written as events.
// - Peers and roots are ranks in the communicator, in an inter-communicator ranks of the other group, as in
//   OTF2. The root is OTF2_UNDEFINED_UINT32 if it is MPI_PROC_NULL or the operation has no root; MPI_ROOT is
//   OTF2_COLLECTIVE_ROOT_SELF, and in the group of the root OTF2_COLLECTIVE_ROOT_THIS_GROUP.
// - Request ids are unique among the open requests of the *process*: thread number << 32 | id in the journal.
// - A phase is a region of paradigm USER, role CODE, with OTF2_REGION_FLAG_PHASE. All regions with that flag
// are
//   phases.
#pragma once

#include <string>
#include <string_view>

namespace hybrid::trace_names {

// ---- Attributes of events. An absent one has the value in brackets.

/// UINT8, on MpiSend and MpiIsend: SendMode [standard].
inline constexpr std::string_view kSendMode = "hybrid.send_mode";

/// UINT64, on Enter of an MPI region, Enter and Leave of a phase, and kFlush: nanoseconds of compute time
/// since the previous of these events (of an MPI region: its Leave), if the job was recorded with a CPU clock
/// [the difference of the time stamps].
inline constexpr std::string_view kCompute = "hybrid.compute_ns";

/// CALLING_CONTEXT, on Enter of an MPI region: the place in the source that calls it; the context's region is
/// the function that contains the call [the innermost region around it that is no phase; a calling context
/// that is entered instead of a region: its parent].
inline constexpr std::string_view kCallSite = "hybrid.call_site";

/// UINT8, on MpiCollectiveEnd, NonBlockingCollectiveRequest: CollectiveOp [OTF2's operation]. Needed for the
/// neighbourhood forms, for which OTF2 has no operation (the event has the closest one).
inline constexpr std::string_view kCollective = "hybrid.collective";
/// UINT64, on MpiCollectiveEnd, NonBlockingCollectiveRequest: Operation::bytes
/// [deduced from OTF2's bytes sent and received].
inline constexpr std::string_view kBytes = "hybrid.bytes";
/// COMM and UINT32, on NonBlockingCollectiveRequest: communicator and root, which OTF2 records at completion
/// only [the reader reads ahead to the completion].
inline constexpr std::string_view kCommunicator = "hybrid.communicator";
inline constexpr std::string_view kRoot = "hybrid.root";

/// INT32, on MpiCollectiveEnd, NonBlockingCollectiveRequest: number of the call among the rank's calls that
/// are collective over the communicator, from 0; of a start of a persistent collective -1 - number of its
/// initialisation. Ranks' calls with the same number belong together [the n-th calls of each rank].
inline constexpr std::string_view kNumber = "hybrid.number";

/// UINT8, on the events of one-sided synchronisation: RmaSync [deduced from the event].
inline constexpr std::string_view kRmaSync = "hybrid.rma_sync";

/// UINT32, on the parameter events kCountSent and kCountReceived: the peer's rank in the communicator.
inline constexpr std::string_view kPeer = "hybrid.peer";

// ---- Parameters (type UINT64): ParameterUnsignedInt events.

/// One event for each peer (kPeer), before the MpiCollectiveEnd or NonBlockingCollectiveRequest that it
/// belongs to, in the same location: bytes that this rank sends to, or receives from, the peer. For the v and
/// w forms and reduce_scatter (counts_received[i]: member i's part of the result); peers with 0 bytes may be
/// left out. gatherv: the root's counts_received; scatterv: the root's counts_sent; allgatherv:
/// counts_received on every rank, including its own. Neighbourhood forms: one event for each neighbour, in
/// the order of the topology, including those with 0 bytes.
inline constexpr std::string_view kCountSent = "hybrid.count_sent";
inline constexpr std::string_view kCountReceived = "hybrid.count_received";

/// Hint that the working set changes here; the value is 0.
inline constexpr std::string_view kFlush = "hybrid.flush";

/// Hint of the program: the value is a world rank that this one sends to in the innermost open phase, in
/// addition to those hinted before for that phase.
inline constexpr std::string_view kHint = "hybrid.hint";

/// Decision of the predictor while the job ran: the value is the destination port.
inline constexpr std::string_view kPredictRequest = "hybrid.predict_request";
inline constexpr std::string_view kPredictRelease = "hybrid.predict_release";

// ---- Property of a location group (UINT32): the port that the process is placed on [rank r at port r].

inline constexpr std::string_view kPort = "hybrid.port";

// ---- Facts of the run: archive properties. OTF2 allows capitals, digits and underscores in their names,
// after a name space.

inline constexpr std::string_view kPropertyPrefix = "HYBRID::";  // OTF2 refuses names without a name space

/// Names of facts for JobTrace::property. Archives may have others, too; all are in the report.
inline constexpr std::string_view kApplication = "application";
inline constexpr std::string_view kArguments = "arguments";
inline constexpr std::string_view kRanks = "ranks";  // decimal
inline constexpr std::string_view kHosts = "hosts";  // decimal
inline constexpr std::string_view kMpi = "mpi";      // the MPI library
inline constexpr std::string_view kClock = "clock";  // "wall" or "cpu"
inline constexpr std::string_view kYield = "yield";  // "yes" or "no": unsuccessful polls yielded the core
inline constexpr std::string_view kPlacement = "placement";     // rank, core, numa, nic, host
inline constexpr std::string_view kLostEvents = "lost_events";  // decimal
/// "yes": the program called functions of MPI I/O, whose messages and data are not recorded.
inline constexpr std::string_view kMpiIo = "mpi_io";
/// Decimal; wildcard receives for which MPI did not report the match: they are recorded as cancelled.
inline constexpr std::string_view kUnresolvedReceives = "unresolved_receives";
/// Its name in archives of earlier versions; the reader converts it.
inline constexpr std::string_view kUnresolvedReceivesBefore = "untold_receives";
inline constexpr std::string_view kComplete = "complete";           // "no": a rank did not reach its end
inline constexpr std::string_view kMissingRanks = "missing_ranks";  // without a journal: "3,7"
inline constexpr std::string_view kIncompleteRanks =
    "incomplete_ranks";  // with a journal without an end: "3,7"
/// Set by the reader, never written: ranks without kPort in an archive in which other ranks have it.
inline constexpr std::string_view kUnplacedRanks = "unplaced_ranks";

/// "lost_events" -> "HYBRID::LOST_EVENTS". A fact's name has lower-case letters, digits and underscores.
inline std::string property_of_fact(std::string_view fact) {
  std::string name(kPropertyPrefix);
  for (const char c : fact) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

/// A fact's value as the value of a property, which is one line.
inline std::string property_value(std::string_view value) {
  std::string line(value);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return line;
}

}  // namespace hybrid::trace_names
