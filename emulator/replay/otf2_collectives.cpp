// Conversion of OTF2's collective operations and their sizes.
#include "emulator/replay/otf2_definitions.h"

namespace hybrid {

bool collective_of_otf2(OTF2_CollectiveOp otf2, CollectiveOp& op) {
  switch (otf2) {
    case OTF2_COLLECTIVE_OP_BARRIER:
      op = CollectiveOp::barrier;
      return true;
    case OTF2_COLLECTIVE_OP_BCAST:
      op = CollectiveOp::bcast;
      return true;
    case OTF2_COLLECTIVE_OP_GATHER:
      op = CollectiveOp::gather;
      return true;
    case OTF2_COLLECTIVE_OP_GATHERV:
      op = CollectiveOp::gatherv;
      return true;
    case OTF2_COLLECTIVE_OP_SCATTER:
      op = CollectiveOp::scatter;
      return true;
    case OTF2_COLLECTIVE_OP_SCATTERV:
      op = CollectiveOp::scatterv;
      return true;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
      op = CollectiveOp::allgather;
      return true;
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
      op = CollectiveOp::allgatherv;
      return true;
    case OTF2_COLLECTIVE_OP_ALLTOALL:
      op = CollectiveOp::alltoall;
      return true;
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
      op = CollectiveOp::alltoallv;
      return true;
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
      op = CollectiveOp::alltoallw;
      return true;
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
      op = CollectiveOp::allreduce;
      return true;
    case OTF2_COLLECTIVE_OP_REDUCE:
      op = CollectiveOp::reduce;
      return true;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
      op = CollectiveOp::reduce_scatter;
      return true;
    case OTF2_COLLECTIVE_OP_SCAN:
      op = CollectiveOp::scan;
      return true;
    case OTF2_COLLECTIVE_OP_EXSCAN:
      op = CollectiveOp::exscan;
      return true;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
      op = CollectiveOp::reduce_scatter_block;
      return true;
    default:
      return false;
  }
}

namespace {

/// One of `members` equal parts of `total`, or of `members` - 1: MPI_IN_PLACE does not count the rank's part.
Bytes part(Bytes total, std::uint32_t members) {
  if (members <= 1) return total;
  if (total % members == 0) return total / members;
  if (total % (members - 1) == 0) return total / (members - 1);
  return total / members;
}

}  // namespace

Bytes collective_bytes(CollectiveOp op, bool score_p, bool is_root, std::uint32_t rank, std::uint32_t members,
                       Bytes sent, Bytes received) {
  switch (op) {
    case CollectiveOp::barrier:
      return 0;
    case CollectiveOp::bcast:
      if (!is_root) return received;
      if (!score_p) return sent;
      return received != 0 ? received : part(sent, members);
    case CollectiveOp::reduce:
    case CollectiveOp::gather:
      if (!is_root || sent != 0) return sent;
      return score_p || op == CollectiveOp::gather ? part(received, members) : received;
    case CollectiveOp::scatter:
      return !is_root || received != 0 ? received : part(sent, members);
    case CollectiveOp::allgather:
      return part(received, members);
    case CollectiveOp::alltoall:
      return part(sent, members);
    case CollectiveOp::allreduce:
      return score_p ? part(sent, members) : (sent != 0 ? sent : received);
    case CollectiveOp::reduce_scatter_block:
      return part(sent, members);
    case CollectiveOp::scan:
    case CollectiveOp::exscan: {
      if (!score_p) return sent != 0 ? sent : received;
      // Score-P: (members - rank) vectors sent, rank + 1 received; in place and for exscan one less of each.
      const Bytes both = sent + received;
      if (members > 1 && both % (members + 1) == 0 && both / (members + 1) * (members - rank) == sent)
        return both / (members + 1);
      return members > 1 ? both / (members - 1) : both;
    }
    default:
      return sent;
  }
}

}  // namespace hybrid
