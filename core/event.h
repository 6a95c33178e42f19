// Event: a record of the journal (core/journal.h), one for each intercepted transfer or completion. 32 bytes,
// fixed layout, no MPI types: the shim maps MPI functions to the kinds below.
//
// A journal holds the events of one thread in program order. If the values of an event do not fit into its
// fields, `extension` events before it carry the rest.
#pragma once

#include <cstdint>

namespace hybrid {

enum class EventKind : std::uint8_t {
  none = 0,   // never written: a journal is zero after its last event
  extension,  // carries a part of the next event; `op` is the Extension

  // Point to point. `peer` is a world rank, `bytes` the size as sent or as received.
  send,        // blocking send, complete on return; `op` is the SendMode
  send_start,  // nonblocking, persistent or partitioned send started; `request`; `op` is the SendMode, with
               // kByStart or kByPready
  recv,        // blocking receive with its match
  recv_post,   // receive posted; peer and tag as given (kAnyPeer, kAnyTag), or of the message that a matched
               // probe took; `request`; `op` is 0 or kByStart
  send_complete,  // `request`, inside a wait or test
  recv_complete,  // `request`; peer, tag, bytes of the match, or as posted if MPI does not report it
  cancelled,      // `request` ended without a transfer

  // Collectives. `op` is the CollectiveOp, `peer` the root's world rank or kNoPeer (in an inter-communicator
  // MPI_ROOT is the rank itself). `bytes`: bcast, reduce, allreduce, scan, exscan: the vector; gather,
  // scatter, allgather, alltoall, reduce_scatter_block and their neighbourhood forms: one member's block; v
  // and w forms, reduce_scatter: the total that this rank sends, with `counts` extensions before the event.
  // `tag`: number of the call among the process's collective calls over the communicator, from 0, by which
  // the calls of different ranks are matched; of the start of a persistent collective -1 - number of its
  // initialisation.
  collective,
  collective_start,     // `request`
  collective_complete,  // `request`

  // One-sided. `peer` is the target's world rank, `communicator` the window's id in the definitions.
  put,
  get,
  accumulate,  // `op` is the AccumulateOp
  rma_sync,    // fence, lock, ..., creation and end of a window: `op` is the RmaSync. Before post and start,
               // one `member` extension for each process of the group

  poll,  // a run of unsuccessful completion tests or probes: from the begin of the first to the end of the
         // last
  call,  // another MPI call that took time (communicator creation, I/O); it is not compute time

  phase_begin,  // `request` is the region's id in the definitions
  phase_end,
  flush,  // hint: the working set changes here (D 5.2.3)

  // Decisions of the predictor; `peer` is a destination port. The size is in the event of the send.
  predict_request,
  predict_release,

  start,   // the thread's first event
  finish,  // the thread's last event; absent if the rank died

  recv_freed,  // `request`, peer, tag and bytes as posted: the request was freed, the receive continues

  hint,  // a hint of the program: this rank sends to world rank `peer` in the innermost open phase
};

enum class SendMode : std::uint8_t { standard = 0, buffered = 1, synchronous = 2, ready = 3 };
/// Bits of Event::op: a transfer that MPI_Start began, and a partitioned send that MPI_Pready did. The other
/// bits are the SendMode.
inline constexpr std::uint8_t kByStart = 0x40, kByPready = 0x80, kSendModeBits = 0x3F;
/// The send mode in Event::op of a send or send_start.
constexpr std::uint8_t send_mode(std::uint8_t op) { return op & kSendModeBits; }

enum class CollectiveOp : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
};

enum class RmaSync : std::uint8_t {
  fence,
  post,
  start,
  complete,
  wait,
  lock,
  unlock,
  lock_all,
  unlock_all,
  flush,
  flush_all,
  create,  // of the window, any kind
  free
};

/// The function of an accumulate event. All but the first also get the old value (a `get` event).
enum class AccumulateOp : std::uint8_t { accumulate, get_accumulate, fetch_and_op, compare_and_swap };

/// The data that an extension event carries for the next event.
enum class Extension : std::uint8_t {
  wide,  // values too large for their fields: begin = bytes, request = communicator, bytes = the high bits of
         // the duration
  counts,  // one (peer, bytes) pair of a collective with per-peer sizes: peer, begin = bytes sent to it
  counts_received,  // likewise: bytes received from it
  compute,          // begin = nanoseconds of CPU time of the gap before the next event (--clock cpu)
  member,           // of the group of a post (its origins) or start (its targets): peer
};

inline constexpr std::int32_t kNoPeer = -1;   // MPI_PROC_NULL, no root
inline constexpr std::int32_t kAnyPeer = -2;  // MPI_ANY_SOURCE
inline constexpr std::int32_t kAnyTag = -1;

/// Bits of Event::duration. A longer call takes about a millisecond, beside which the extension for its
/// duration costs nothing.
inline constexpr unsigned kDurationBits = 22;
inline constexpr std::uint32_t kDurationMask = (1u << kDurationBits) - 1;
/// Number of call sites of a process that events can name; the others are unknown.
inline constexpr std::uint32_t kMostCallSites = (1u << (32 - kDurationBits)) - 1;

struct Event {
  std::uint64_t begin = 0;  // clock ticks at entry of the call (rate: JournalHeader::ticks_per_second)
  std::uint32_t duration : kDurationBits = 0;        // ticks until its return
  std::uint32_t call_site : 32 - kDurationBits = 0;  // id in the definitions; 0: unknown
  EventKind kind = EventKind::none;
  std::uint8_t op = 0;             // SendMode, CollectiveOp, AccumulateOp, RmaSync or Extension
  std::uint16_t communicator = 0;  // id in the definitions (one-sided: id of the window)
  std::int32_t peer = kNoPeer;
  std::int32_t tag = 0;
  std::uint32_t bytes = 0;
  std::uint32_t request = 0;  // unique among the thread's open requests; reused after completion
};
static_assert(sizeof(Event) == 32);

/// Values of an event that may exceed their fields.
struct WideValues {
  std::uint64_t bytes = 0;
  std::uint64_t duration = 0;
  std::uint32_t communicator = 0;
};
constexpr bool needs_wide(const WideValues& v) {
  return (v.bytes >> 32 | v.duration >> kDurationBits | v.communicator >> 16) != 0;
}
constexpr Event wide_extension(const WideValues& v) {
  Event e;
  e.begin = v.bytes;
  e.kind = EventKind::extension;
  e.op = static_cast<std::uint8_t>(Extension::wide);
  e.request = v.communicator;
  e.bytes = static_cast<std::uint32_t>(v.duration >> kDurationBits);
  return e;
}
/// The full values of `event`. `wide`: the `wide` extension before it, or nullptr.
constexpr WideValues wide_values(const Event& event, const Event* wide) {
  if (wide == nullptr) return {event.bytes, event.duration, event.communicator};
  return {wide->begin, std::uint64_t{wide->bytes} << kDurationBits | event.duration, wide->request};
}

}  // namespace hybrid
