#include "libhybrid/shim/collectives.h"

#include <exception>

namespace hybrid::shim {

void record_collective(Thread& thread, CallTime& time, EventKind kind, const Collective& collective,
                       const PeerCounts* kept, std::uint32_t request) {
  const auto write = [&](bool received) {
    const Extension what = received ? Extension::counts_received : Extension::counts;
    if (kept != nullptr) {
      for (const PeerBytes& pair : received ? kept->received : kept->sent)
        thread.extension(what, pair.peer, pair.bytes);
    } else {
      visit_counts(collective, received,
                   [&](std::int32_t peer, std::uint64_t bytes) { thread.extension(what, peer, bytes); });
    }
  };
  if (collective.counts_sent || kept != nullptr) write(false);
  if (collective.counts_received || kept != nullptr) write(true);
  time.record({kind, static_cast<std::uint8_t>(collective.op), id_of(collective.communicator),
               collective.root, collective.number, collective.bytes, request});
}

Request request_of(const Collective& collective) {
  Request r;
  r.kind = RequestKind::collective;
  r.op = static_cast<std::uint8_t>(collective.op);
  r.communicator = collective.communicator;
  r.peer = collective.root;
  r.tag = collective.number;
  r.bytes = collective.bytes;
  return r;
}

Collective collective_of(const Request& request) {
  Collective collective;
  collective.op = static_cast<CollectiveOp>(request.op);
  collective.communicator = request.communicator;
  collective.root = request.peer;
  collective.number = request.tag;
  collective.bytes = request.bytes;
  return collective;
}

std::unique_ptr<const PeerCounts> kept_counts(const Collective& collective) {
  if (!collective.counts_sent && !collective.counts_received) return nullptr;
  try {
    auto kept = std::make_unique<PeerCounts>();
    const auto keep = [](std::vector<PeerBytes>& pairs) {
      return [&pairs](std::int32_t peer, std::uint64_t bytes) { pairs.push_back({peer, bytes}); };
    };
    if (collective.counts_sent) visit_counts(collective, false, keep(kept->sent));
    if (collective.counts_received) visit_counts(collective, true, keep(kept->received));
    return kept;
  } catch (const std::exception&) {
    return nullptr;  // memory is short: the event has no sizes by peer
  }
}

namespace describe {

namespace {

Collective with(CollectiveOp op, MPI_Comm comm, std::uint64_t bytes) {
  Collective result;
  result.op = op;
  result.communicator = process().communicator(comm);
  result.bytes = bytes;
  return result;
}

/// A collective with a root, and this rank's role in it.
struct Rooted {
  Collective collective;
  bool is_root = false;
  bool takes_part = true;  // false with MPI_PROC_NULL on an intercommunicator
};
Rooted rooted(CollectiveOp op, int root, MPI_Comm comm) {
  Rooted result{with(op, comm, 0)};
  const Communicator* const communicator = result.collective.communicator;
  if (communicator == nullptr) return result;
  result.takes_part = root != MPI_PROC_NULL;
  result.is_root = root == MPI_ROOT || (!communicator->inter && root == communicator->rank);
  result.collective.root = root == MPI_ROOT ? process().rank : communicator->world_rank(root);
  return result;
}

std::uint64_t bytes_of(const Block& block) { return shim::bytes_of(block.count, block.datatype); }
std::uint64_t bytes_of(const Buffer& buffer) { return shim::bytes_of(buffer.count, buffer.datatype); }
/// Bytes of one member's block; `own` may be in place.
std::uint64_t block_of(const Buffer& own, const Block& other) {
  return own.in_place() ? bytes_of(other) : bytes_of(own);
}

std::uint64_t total(const Collective& collective, bool received) {
  std::uint64_t sum = 0;
  visit_counts(collective, received, [&](std::int32_t, std::uint64_t bytes) { sum += bytes; });
  return sum;
}

}  // namespace

Collective barrier(MPI_Comm comm) { return with(CollectiveOp::barrier, comm, 0); }

Collective bcast(MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return reduce(CollectiveOp::bcast, count, datatype, root, comm);
}

Collective reduce(CollectiveOp op, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  Rooted r = rooted(op, root, comm);
  if (r.takes_part) r.collective.bytes = shim::bytes_of(count, datatype);
  return r.collective;
}

Collective reduction(CollectiveOp op, MPI_Count count, MPI_Datatype datatype, MPI_Comm comm) {
  return with(op, comm, shim::bytes_of(count, datatype));
}

Collective gather(const Buffer& send, const Block& recv, int root, MPI_Comm comm) {
  Rooted r = rooted(CollectiveOp::gather, root, comm);
  if (r.takes_part) r.collective.bytes = r.is_root ? bytes_of(recv) : bytes_of(send);
  return r.collective;
}

Collective gatherv(const Buffer& send, const BlockCounts& recv, int root, MPI_Comm comm) {
  Rooted r = rooted(CollectiveOp::gatherv, root, comm);
  Collective& collective = r.collective;
  if (r.is_root) {
    collective.received = recv;
    collective.counts_received = true;
  }
  if (!r.takes_part || collective.communicator == nullptr) return collective;
  const bool inter_root = root == MPI_ROOT;  // receives only
  if (send.in_place())
    collective.bytes = recv.bytes(static_cast<std::size_t>(collective.communicator->rank));
  else if (!inter_root)
    collective.bytes = bytes_of(send);
  return collective;
}

Collective scatter(const Block& send, const Buffer& recv, int root, MPI_Comm comm) {
  Rooted r = rooted(CollectiveOp::scatter, root, comm);
  if (r.takes_part) r.collective.bytes = r.is_root ? bytes_of(send) : bytes_of(recv);
  return r.collective;
}

Collective scatterv(const BlockCounts& send, int root, MPI_Comm comm) {
  Rooted r = rooted(CollectiveOp::scatterv, root, comm);
  if (r.is_root) {
    r.collective.sent = send;
    r.collective.counts_sent = true;
    r.collective.bytes = total(r.collective, false);
  }
  return r.collective;
}

Collective allgather(const Buffer& send, const Block& recv, MPI_Comm comm) {
  return with(CollectiveOp::allgather, comm, block_of(send, recv));
}

Collective allgatherv(const Buffer& send, const BlockCounts& recv, MPI_Comm comm) {
  Collective collective = with(CollectiveOp::allgatherv, comm, 0);
  collective.received = recv;
  collective.counts_received = true;
  if (collective.communicator != nullptr)
    collective.bytes = send.in_place() ? recv.bytes(static_cast<std::size_t>(collective.communicator->rank))
                                       : bytes_of(send);
  return collective;
}

Collective alltoall(const Buffer& send, const Block& recv, MPI_Comm comm) {
  return with(CollectiveOp::alltoall, comm, block_of(send, recv));
}

Collective alltoallv(CollectiveOp op, const void* sendbuf, const BlockCounts& send, const BlockCounts& recv,
                     MPI_Comm comm) {
  Collective collective = with(op, comm, 0);
  collective.sent = sendbuf == MPI_IN_PLACE ? recv : send;
  collective.received = recv;
  collective.counts_sent = collective.counts_received = true;
  collective.bytes = total(collective, false);
  return collective;
}

Collective reduce_scatter(const BlockCounts& recv, MPI_Comm comm) {
  Collective collective = with(CollectiveOp::reduce_scatter, comm, 0);
  // On an intercommunicator the counts are those of this rank's group, which gets the result.
  const Communicator* const communicator = collective.communicator;
  if (communicator == nullptr) return collective;
  collective.received = recv;
  collective.counts_received = !communicator->inter;
  for (std::size_t i = 0; i < communicator->members.size(); ++i) collective.bytes += recv.bytes(i);
  return collective;
}

Collective neighbor(CollectiveOp op, const BlockCounts& send, const BlockCounts& recv, MPI_Comm comm) {
  Collective collective = with(op, comm, 0);
  collective.sent = send;
  collective.received = recv;
  collective.counts_sent = collective.counts_received = true;
  // With equal blocks the size is that of one block; otherwise the sum of what this rank sends.
  const bool same = op == CollectiveOp::neighbor_allgather || op == CollectiveOp::neighbor_alltoall;
  collective.bytes = same && collective.communicator != nullptr ? send.bytes(0) : total(collective, false);
  return collective;
}

}  // namespace describe
}  // namespace hybrid::shim
