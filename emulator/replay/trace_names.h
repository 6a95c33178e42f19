// How a recorded job looks as an OTF2 archive: what the trace writer writes and the reader reads beyond what
// OTF2 itself defines. Every name here is an OTF2 attribute, parameter or property, so that other tools open
// our archives and pass over what they do not know; and the reader takes each as optional, so that archives
// of Score-P, TAU or EZTrace replay as they are.
//
// Layout of an archive of ours
// - One location group of type PROCESS a rank, one location of type CPU_THREAD a thread that communicated.
//   One group of type COMM_LOCATIONS, paradigm MPI, lists the main thread's location of each world rank;
//   communicators are Comm (or InterComm) definitions over COMM_GROUP groups whose members are world ranks.
// - Every call is an Enter and a Leave of a region of paradigm MPI ("MPI_Send", ...); time outside such
//   regions is compute time. A run of polls that found nothing and a call that moves no data are regions
//   without further events.
// - Within its region, point to point is MpiSend, MpiIsend, MpiIsendComplete, MpiIrecvRequest, MpiIrecv,
//   MpiRecv, MpiRequestCancelled; a blocking collective is MpiCollectiveBegin, MpiCollectiveEnd; a
//   nonblocking one NonBlockingCollectiveRequest, NonBlockingCollectiveComplete; one-sided is RmaPut, RmaGet,
//   RmaAtomic on an RmaWin, and a synchronisation (kRmaSync) is RmaCollectiveBegin and -End (fence; operation
//   BARRIER), RmaGroupSync (post, start, complete, wait; the group is that of the call, or of the post or
//   start that it ends), RmaAcquireLock (lock, lock_all), RmaReleaseLock (unlock, unlock_all) or RmaSync
//   (flush, flush_all). A window's creation and end are RmaWinCreate and RmaWinDestroy. Transfers with
//   MPI_PROC_NULL and empty polls are not written as events.
// - Peers and roots are ranks in the communicator, in an inter-communicator ranks of the other group, as OTF2
//   has it. A root that is MPI_PROC_NULL or that an operation does not have is OTF2_UNDEFINED_UINT32;
//   MPI_ROOT is OTF2_COLLECTIVE_ROOT_SELF, and in the group of the root OTF2_COLLECTIVE_ROOT_THIS_GROUP.
// - Request ids are unique among the open requests of the *process*: thread number << 32 | journal's id.
// - A phase is a region of paradigm USER, role CODE, with OTF2_REGION_FLAG_PHASE; all regions with that flag
//   are phases.
#pragma once

#include <string>
#include <string_view>

namespace hybrid::trace_names {

// ---- Attributes of events. Absent means the value in brackets.

/// UINT8, on MpiSend and MpiIsend: SendMode [standard].
inline constexpr std::string_view kSendMode = "hybrid.send_mode";

/// UINT64, on Enter of an MPI region, Enter and Leave of a phase, and kFlush: nanoseconds of compute time
/// since the previous of these (of an MPI region: its Leave), where the job was recorded with a CPU clock
/// [the difference of the time stamps].
inline constexpr std::string_view kCompute = "hybrid.compute_ns";

/// UINT8, on MpiCollectiveEnd, NonBlockingCollectiveRequest: CollectiveOp [OTF2's operation]. Needed for the
/// neighbourhood forms, for which OTF2 has no operation (write the closest of its own).
inline constexpr std::string_view kCollective = "hybrid.collective";
/// UINT64, on MpiCollectiveEnd, NonBlockingCollectiveRequest: the size by the convention of
/// emulator/replay/operation.h [deduced from OTF2's bytes sent and received].
inline constexpr std::string_view kBytes = "hybrid.bytes";
/// COMM and UINT32, on NonBlockingCollectiveRequest: communicator and root, which OTF2 tells at completion
/// only [the reader looks ahead to the completion].
inline constexpr std::string_view kCommunicator = "hybrid.communicator";
inline constexpr std::string_view kRoot = "hybrid.root";

/// UINT8, on the events of one-sided synchronisation: RmaSync [deduced from the event].
inline constexpr std::string_view kRmaSync = "hybrid.rma_sync";

/// UINT32, on the parameter events kCountSent and kCountReceived: the peer's rank in the communicator.
inline constexpr std::string_view kPeer = "hybrid.peer";

// ---- Parameters (type UINT64): ParameterUnsignedInt events.

/// One event a peer, before the MpiCollectiveEnd or NonBlockingCollectiveRequest that they belong to, on the
/// same location: bytes that this rank sends to, receives from, that peer (kPeer). For the v and w forms and
/// reduce_scatter (counts_received[i]: member i's part of the result); peers with 0 bytes may be left out.
/// gatherv: the root's counts_received; scatterv: the root's counts_sent; allgatherv: counts_received on
/// every rank, its own included. Neighbourhood forms: one event for every neighbour, in the topology's order,
/// zero or not.
inline constexpr std::string_view kCountSent = "hybrid.count_sent";
inline constexpr std::string_view kCountReceived = "hybrid.count_received";

/// The hint that the working set changes here; the value is 0.
inline constexpr std::string_view kFlush = "hybrid.flush";

/// What the program's hints told: the value is a world rank that this one sends to in the phase that is open
/// (the innermost). Adds to what was told of that phase before.
inline constexpr std::string_view kHint = "hybrid.hint";

/// What the predictor decided while the job ran: the value is the destination port.
inline constexpr std::string_view kPredictRequest = "hybrid.predict_request";
inline constexpr std::string_view kPredictRelease = "hybrid.predict_release";

// ---- Property of a location group (UINT32): the port that the process is placed on [rank r at port r].

inline constexpr std::string_view kPort = "hybrid.port";

// ---- Facts of the run: archive properties, whose names OTF2 keeps to capitals, digits and underscores
// after a name space.

inline constexpr std::string_view kPropertyPrefix = "HYBRID::";  // OTF2 refuses names without a namespace

/// Facts, as JobTrace::property names them. Others may be written too; all are passed on to the report.
inline constexpr std::string_view kApplication = "application";
inline constexpr std::string_view kArguments = "arguments";
inline constexpr std::string_view kRanks = "ranks";             // decimal
inline constexpr std::string_view kHosts = "hosts";             // decimal
inline constexpr std::string_view kMpi = "mpi";                 // the MPI library
inline constexpr std::string_view kClock = "clock";             // "wall" or "cpu"
inline constexpr std::string_view kYield = "yield";             // "yes" or "no": empty polls gave up the core
inline constexpr std::string_view kPlacement = "placement";     // rank, core, numa, nic, host
inline constexpr std::string_view kLostEvents = "lost_events";  // decimal
/// Decimal; receives of any rank or tag that MPI did not tell the match of: they stand as cancelled.
inline constexpr std::string_view kUntoldReceives = "untold_receives";
inline constexpr std::string_view kComplete = "complete";                 // "no": some rank did not end
inline constexpr std::string_view kMissingRanks = "missing_ranks";        // left no journal: "3,7"
inline constexpr std::string_view kIncompleteRanks = "incomplete_ranks";  // whose journal has no end: "3,7"
/// Given by the reader, never written: ranks without kPort where others have one.
inline constexpr std::string_view kUnplacedRanks = "unplaced_ranks";

/// "lost_events" -> "HYBRID::LOST_EVENTS". A fact's name has lower-case letters, digits and underscores.
inline std::string property_of_fact(std::string_view fact) {
  std::string name(kPropertyPrefix);
  for (const char c : fact) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

/// A fact's value as a property can hold it: an anchor file has one property a line.
inline std::string property_value(std::string_view value) {
  std::string line(value);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return line;
}

}  // namespace hybrid::trace_names
