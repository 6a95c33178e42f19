// The journal's events: 32 bytes, fixed layout, one per intercepted transfer or completion. Knows no MPI
// type: the shim's table has already turned functions into the few kinds below (docs/architecture.md,
// "Journal").
//
// A journal is a sequence of events of one thread in program order. An event whose values do not fit is
// preceded by `extension` events that carry the rest, so that a reader has them in hand when the event itself
// arrives.
#pragma once

#include <cstdint>

namespace hybrid {

enum class EventKind : std::uint8_t {
  none = 0,   // never written: a journal's memory is zero past its end
  extension,  // `flags` says what of the next event it carries, see Extension

  // Point to point. `peer` is a world rank, `bytes` the size as sent or as received.
  send,        // blocking send, done on return; flags: SendMode
  send_start,  // nonblocking, persistent or partitioned send started; `request`
  recv,        // blocking receive with its match
  recv_post,   // receive posted; peer and tag as given (kAnyPeer, kAnyTag), or of the message that a matched
               // probe took; `request`
  send_complete,  // `request`, inside a wait or test
  recv_complete,  // `request`; peer, tag, bytes of the match, or as posted where MPI does not tell it
  cancelled,      // `request` ended without a transfer

  // Collectives. `op` says which, `peer` the root's world rank or kNoPeer (in an inter-communicator MPI_ROOT
  // is the rank itself). `bytes`: bcast, reduce, allreduce, scan, exscan: the vector; gather, scatter,
  // allgather, alltoall, reduce_scatter_block and their neighbourhood forms: one member's block; v and w
  // forms, reduce_scatter: what this rank sends in all, with `counts` extensions before it.
  collective,
  collective_start,     // `request`
  collective_complete,  // `request`

  // One-sided. `peer` is the target's world rank, `communicator` the window's id in the definitions.
  put,
  get,
  accumulate,
  rma_sync,  // fence, lock, ..., and a window's creation and end: `op` is RmaSync. post and start have a
             // `member` extension before them for each process of their group

  poll,  // a run of completion tests or probes that found nothing: from the first's begin to the last's end
  call,  // another MPI call that took time (communicator creation, I/O); it is not compute time

  phase_begin,  // `request` is the region's id in the definitions
  phase_end,
  flush,  // hint: the working set changes here (D 5.2.3)

  // What the predictor decided; `peer` is a destination port. bytes of the matching send are in that send's
  // event.
  predict_request,
  predict_release,

  start,   // the thread's first event
  finish,  // the thread's last event; absent where the rank died

  recv_freed,  // `request`, peer, tag and bytes as posted: nobody will wait for this receive, which goes on

  hint,  // the program's hints tell that this rank sends to world rank `peer` in the innermost open phase
};

enum class SendMode : std::uint8_t { standard = 0, buffered = 1, synchronous = 2, ready = 3 };

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

/// What an extension event carries for the event after it.
enum class Extension : std::uint8_t {
  wide,    // fields too large for the narrow form: begin = all of bytes, request = all of the communicator,
           // bytes = the high half of the duration
  counts,  // one (peer, bytes) pair of a collective with per-peer sizes: peer, begin = bytes sent to it
  counts_received,  // likewise: bytes received from it
  compute,          // begin = nanoseconds of CPU time of the gap before the next event (--clock cpu)
  member,           // of the group of a post (its origins) or start (its targets): peer
};

inline constexpr std::int32_t kNoPeer = -1;   // MPI_PROC_NULL, no root
inline constexpr std::int32_t kAnyPeer = -2;  // MPI_ANY_SOURCE
inline constexpr std::int32_t kAnyTag = -1;

struct Event {
  std::uint64_t begin = 0;     // clock ticks at entry of the call (see the journal's header for the rate)
  std::uint32_t duration = 0;  // ticks until its return
  EventKind kind = EventKind::none;
  std::uint8_t op = 0;             // SendMode, CollectiveOp, RmaSync or Extension
  std::uint16_t communicator = 0;  // id in the definitions (one-sided: of the window)
  std::int32_t peer = kNoPeer;
  std::int32_t tag = 0;
  std::uint32_t bytes = 0;
  std::uint32_t request = 0;  // unique among the thread's open requests; reused after completion
};
static_assert(sizeof(Event) == 32);

/// Event fields that the narrow form cannot hold.
struct WideValues {
  std::uint64_t bytes = 0;
  std::uint64_t duration = 0;
  std::uint32_t communicator = 0;
};
constexpr bool needs_wide(const WideValues& v) {
  return v.bytes > 0xFFFFFFFFu || v.duration > 0xFFFFFFFFu || v.communicator > 0xFFFFu;
}
constexpr Event wide_extension(const WideValues& v) {
  Event e;
  e.begin = v.bytes;
  e.kind = EventKind::extension;
  e.op = static_cast<std::uint8_t>(Extension::wide);
  e.request = v.communicator;
  e.bytes = static_cast<std::uint32_t>(v.duration >> 32);
  return e;
}
/// The full values of `event`, given the `wide` extension before it or nullptr.
constexpr WideValues wide_values(const Event& event, const Event* wide) {
  if (wide == nullptr) return {event.bytes, event.duration, event.communicator};
  return {wide->begin, std::uint64_t{wide->bytes} << 32 | event.duration, wide->request};
}

}  // namespace hybrid
