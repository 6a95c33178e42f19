// Handlers of collectives. The functions of namespace describe translate a call's arguments to a Collective,
// by the convention of emulator/replay/operation.h; blocking, nonblocking and persistent forms share them.
#pragma once

#include <memory>

#include "libhybrid/shim/point_to_point.h"

namespace hybrid::shim {

/// Sizes by peer, as a view of the program's arrays: counts of int or MPI_Count, or one count for all; one
/// datatype for all or one for each peer.
class BlockCounts {
 public:
  BlockCounts() = default;
  BlockCounts(const int* counts, MPI_Datatype datatype) : narrow_(counts), datatype_(datatype) {}
  BlockCounts(const MPI_Count* counts, MPI_Datatype datatype) : wide_(counts), datatype_(datatype) {}
  BlockCounts(const int* counts, const MPI_Datatype* datatypes) : narrow_(counts), datatypes_(datatypes) {}
  BlockCounts(const MPI_Count* counts, const MPI_Datatype* datatypes)
      : wide_(counts), datatypes_(datatypes) {}
  BlockCounts(MPI_Count count, MPI_Datatype datatype) : same_(count), datatype_(datatype) {}

  std::uint64_t bytes(std::size_t i) const {
    const MPI_Count count = narrow_ != nullptr ? narrow_[i] : wide_ != nullptr ? wide_[i] : same_;
    return bytes_of(count, datatypes_ != nullptr ? datatypes_[i] : datatype_);
  }

 private:
  const int* narrow_ = nullptr;
  const MPI_Count* wide_ = nullptr;
  MPI_Count same_ = 0;
  const MPI_Datatype* datatypes_ = nullptr;
  MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
};

/// This rank's part in a collective.
struct Collective {
  CollectiveOp op = CollectiveOp::barrier;
  const Communicator* communicator = nullptr;
  std::int32_t root = kNoPeer;  // world rank
  std::int32_t number = 0;      // Event::tag
  std::uint64_t bytes = 0;
  bool counts_sent = false, counts_received = false;  // whether `sent`, `received` are valid
  BlockCounts sent, received;
};

/// Calls visit(peer, bytes) for the peers of `collective`. Peers with 0 bytes are skipped, except in
/// neighbourhood forms: these visit each neighbour in the order of the topology.
template <class Visit>
void visit_counts(const Collective& collective, bool received, Visit&& visit) {
  if (collective.communicator == nullptr) return;
  const Communicator& communicator = *collective.communicator;
  const bool neighborhood = collective.op >= CollectiveOp::neighbor_allgather;
  const auto& peers = !neighborhood ? communicator.peers()
                      : received    ? communicator.neighbors_in
                                    : communicator.neighbors_out;
  const BlockCounts& counts = received ? collective.received : collective.sent;
  for (std::size_t i = 0; i < peers.size(); ++i)
    if (const std::uint64_t bytes = counts.bytes(i); bytes != 0 || neighborhood) visit(peers[i], bytes);
}

/// Numbers a call that is collective over its communicator and has succeeded. A failed call
/// is not counted: often it fails on some ranks only. The program orders its threads' collective calls over a
/// communicator, so they are counted in the order of MPI.
inline void count_call(Collective& collective) {
  if (collective.communicator != nullptr) collective.number = next_collective_call(*collective.communicator);
}

/// Records a collective with its sizes by peer, taken from `kept` if not null (persistent forms), otherwise
/// from the program's arrays.
void record_collective(Thread& thread, CallTime& time, EventKind kind, const Collective& collective,
                       const PeerCounts* kept, std::uint32_t request);

Request request_of(const Collective& collective);
Collective collective_of(const Request& request);
/// Copies the sizes by peer. nullptr when there are none, or memory is short.
std::unique_ptr<const PeerCounts> kept_counts(const Collective& collective);

namespace describe {

struct Block {
  MPI_Count count;
  MPI_Datatype datatype;
};
/// A block with a buffer. For MPI_IN_PLACE its size is that of the other side.
struct Buffer {
  const void* address;
  MPI_Count count;
  MPI_Datatype datatype;
  bool in_place() const { return address == MPI_IN_PLACE; }
};

Collective barrier(MPI_Comm comm);
Collective bcast(MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);
Collective gather(const Buffer& send, const Block& recv, int root, MPI_Comm comm);
Collective gatherv(const Buffer& send, const BlockCounts& recv, int root, MPI_Comm comm);
Collective scatter(const Block& send, const Buffer& recv, int root, MPI_Comm comm);
Collective scatterv(const BlockCounts& send, int root, MPI_Comm comm);
Collective allgather(const Buffer& send, const Block& recv, MPI_Comm comm);
Collective allgatherv(const Buffer& send, const BlockCounts& recv, MPI_Comm comm);
Collective alltoall(const Buffer& send, const Block& recv, MPI_Comm comm);
Collective alltoallv(CollectiveOp op, const void* sendbuf, const BlockCounts& send, const BlockCounts& recv,
                     MPI_Comm comm);
Collective reduce(CollectiveOp op, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);
Collective reduction(CollectiveOp op, MPI_Count count, MPI_Datatype datatype, MPI_Comm comm);
Collective reduce_scatter(const BlockCounts& recv, MPI_Comm comm);
Collective neighbor(CollectiveOp op, const BlockCounts& send, const BlockCounts& recv, MPI_Comm comm);

}  // namespace describe

namespace handle {

inline int blocking(Thread& thread, RealCall real, Collective collective) {
  CallTime time(thread);
  const int result = real();
  time.done();
  process().prediction.on_time(thread, time.begin());
  if (result == MPI_SUCCESS) {
    count_call(collective);
    record_collective(thread, time, EventKind::collective, collective, nullptr, 0);
  } else {
    time.record_call();
  }
  return result;
}

inline int nonblocking(Thread& thread, RealCall real, Collective collective, MPI_Request* request) {
  CallTime time(thread);
  const int result = real();
  time.done();
  if (result == MPI_SUCCESS) count_call(collective);
  Request r = request_of(collective);
  r.active = true;
  if (result != MPI_SUCCESS) {
    time.record_call();
  } else if (const auto* slot = remember(*request, r); slot != nullptr) {
    record_collective(thread, time, EventKind::collective_start, collective, nullptr, slot->request.id);
  } else {
    // Complete at once, on a shared handle (for example with one rank): a wait does not identify it.
    record_collective(thread, time, EventKind::collective_start, collective, nullptr, kWithinCall);
    r.id = kWithinCall;
    time.record(send_record(EventKind::collective_complete, r, r.id));
  }
  return result;
}

inline int persistent(Thread& thread, RealCall real, Collective collective, MPI_Request* request) {
  const int result = call(thread, real);
  if (result != MPI_SUCCESS) return result;
  count_call(collective);
  Request r = request_of(collective);
  r.tag = -1 - collective.number;
  r.persistent = true;
  if (auto* slot = remember(*request, r); slot != nullptr) slot->counts = kept_counts(collective);
  return result;
}

}  // namespace handle
}  // namespace hybrid::shim
