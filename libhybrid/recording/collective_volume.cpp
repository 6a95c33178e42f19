#include "libhybrid/recording/collective_volume.h"

namespace hybrid {

bool is_neighborhood(CollectiveOp op) { return op >= CollectiveOp::neighbor_allgather; }

CollectiveVolume collective_volume(const RecordedCollective& call) {
  const std::uint64_t one = call.bytes;                 // the vector, or one member's block
  const std::uint64_t all = call.bytes * call.members;  // a block for, or from, every member
  const std::uint64_t at_root = call.is_root ? all : 0;
  switch (call.op) {
    case CollectiveOp::barrier:
      return {0, 0, 0};
    case CollectiveOp::bcast:
    case CollectiveOp::scatter:
      return {one, at_root, one};
    case CollectiveOp::gather:
    case CollectiveOp::reduce:
      return {one, one, at_root};
    case CollectiveOp::allgather:
    case CollectiveOp::alltoall:
    case CollectiveOp::allreduce:
    case CollectiveOp::reduce_scatter_block:
      return {one, all, all};
    case CollectiveOp::scan:
      return {one, one * (call.members - call.rank), one * (call.rank + 1)};
    case CollectiveOp::exscan:
      return {one, one * (call.members - call.rank - 1), one * call.rank};
    default:
      return {one, call.counts_sent != 0 ? call.counts_sent : one, call.counts_received};
  }
}

}  // namespace hybrid
