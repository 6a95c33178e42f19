#include "libhybrid/recording/mpi_regions.h"

#include <algorithm>
#include <array>

namespace hybrid {

namespace {

constexpr OTF2_RegionRole kPair = OTF2_REGION_ROLE_POINT2POINT;
constexpr OTF2_RegionRole kFromOne = OTF2_REGION_ROLE_COLL_ONE2ALL;
constexpr OTF2_RegionRole kToOne = OTF2_REGION_ROLE_COLL_ALL2ONE;
constexpr OTF2_RegionRole kAll = OTF2_REGION_ROLE_COLL_ALL2ALL;
constexpr OTF2_RegionRole kSome = OTF2_REGION_ROLE_COLL_OTHER;
constexpr OTF2_RegionRole kOneSided = OTF2_REGION_ROLE_RMA;
constexpr OTF2_RegionRole kLocal = OTF2_REGION_ROLE_FUNCTION;

// First regions of the tables, each in the order of the enumeration that indexes it.
constexpr std::uint32_t kSends = 0;
constexpr std::uint32_t kSendStarts = 4;
constexpr std::uint32_t kSingles = 8;
enum Single : std::uint8_t {
  recv,
  recv_post,
  sendrecv,
  isendrecv,
  start,
  startall,
  pready,
  wait,
  waitall,
  test,
  init,
  finalize,
  other,
  put,
  get,
  kSingleCount
};
constexpr std::uint32_t kAccumulates = kSingles + kSingleCount;
constexpr std::uint32_t kAccumulateCount = 4;
constexpr std::uint32_t kSyncs = kAccumulates + kAccumulateCount;
constexpr std::uint32_t kSyncCount = 13;
constexpr std::uint32_t kCollectives = kSyncs + kSyncCount;
constexpr std::uint32_t kCollectiveCount = 22;
constexpr std::uint32_t kCollectiveStarts = kCollectives + kCollectiveCount;

constexpr std::array<MpiRegion, kCollectiveStarts + kCollectiveCount> kRegions{{
    // SendMode, blocking and nonblocking
    {"MPI_Send", kPair},
    {"MPI_Bsend", kPair},
    {"MPI_Ssend", kPair},
    {"MPI_Rsend", kPair},
    {"MPI_Isend", kPair},
    {"MPI_Ibsend", kPair},
    {"MPI_Issend", kPair},
    {"MPI_Irsend", kPair},
    // Single
    {"MPI_Recv", kPair},
    {"MPI_Irecv", kPair},
    {"MPI_Sendrecv", kPair},
    {"MPI_Isendrecv", kPair},
    {"MPI_Start", kPair},
    {"MPI_Startall", kPair},
    {"MPI_Pready", kPair},
    {"MPI_Wait", kPair},
    {"MPI_Waitall", kPair},
    {"MPI_Test", kPair},
    {"MPI_Init", kLocal},
    {"MPI_Finalize", kLocal},
    {"MPI (other)", kLocal},
    {"MPI_Put", kOneSided},
    {"MPI_Get", kOneSided},
    // AccumulateOp
    {"MPI_Accumulate", kOneSided},
    {"MPI_Get_accumulate", kOneSided},
    {"MPI_Fetch_and_op", kOneSided},
    {"MPI_Compare_and_swap", kOneSided},
    // RmaSync
    {"MPI_Win_fence", kAll},
    {"MPI_Win_post", kOneSided},
    {"MPI_Win_start", kOneSided},
    {"MPI_Win_complete", kOneSided},
    {"MPI_Win_wait", kOneSided},
    {"MPI_Win_lock", kOneSided},
    {"MPI_Win_unlock", kOneSided},
    {"MPI_Win_lock_all", kOneSided},
    {"MPI_Win_unlock_all", kOneSided},
    {"MPI_Win_flush", kOneSided},
    {"MPI_Win_flush_all", kOneSided},
    {"MPI_Win_create", kOneSided},
    {"MPI_Win_free", kOneSided},
    // CollectiveOp
    {"MPI_Barrier", OTF2_REGION_ROLE_BARRIER},
    {"MPI_Bcast", kFromOne},
    {"MPI_Gather", kToOne},
    {"MPI_Gatherv", kToOne},
    {"MPI_Scatter", kFromOne},
    {"MPI_Scatterv", kFromOne},
    {"MPI_Allgather", kAll},
    {"MPI_Allgatherv", kAll},
    {"MPI_Alltoall", kAll},
    {"MPI_Alltoallv", kAll},
    {"MPI_Alltoallw", kAll},
    {"MPI_Reduce", kToOne},
    {"MPI_Allreduce", kAll},
    {"MPI_Reduce_scatter", kAll},
    {"MPI_Reduce_scatter_block", kAll},
    {"MPI_Scan", kSome},
    {"MPI_Exscan", kSome},
    {"MPI_Neighbor_allgather", kSome},
    {"MPI_Neighbor_allgatherv", kSome},
    {"MPI_Neighbor_alltoall", kSome},
    {"MPI_Neighbor_alltoallv", kSome},
    {"MPI_Neighbor_alltoallw", kSome},
    // CollectiveOp, nonblocking
    {"MPI_Ibarrier", OTF2_REGION_ROLE_BARRIER},
    {"MPI_Ibcast", kFromOne},
    {"MPI_Igather", kToOne},
    {"MPI_Igatherv", kToOne},
    {"MPI_Iscatter", kFromOne},
    {"MPI_Iscatterv", kFromOne},
    {"MPI_Iallgather", kAll},
    {"MPI_Iallgatherv", kAll},
    {"MPI_Ialltoall", kAll},
    {"MPI_Ialltoallv", kAll},
    {"MPI_Ialltoallw", kAll},
    {"MPI_Ireduce", kToOne},
    {"MPI_Iallreduce", kAll},
    {"MPI_Ireduce_scatter", kAll},
    {"MPI_Ireduce_scatter_block", kAll},
    {"MPI_Iscan", kSome},
    {"MPI_Iexscan", kSome},
    {"MPI_Ineighbor_allgather", kSome},
    {"MPI_Ineighbor_allgatherv", kSome},
    {"MPI_Ineighbor_alltoall", kSome},
    {"MPI_Ineighbor_alltoallv", kSome},
    {"MPI_Ineighbor_alltoallw", kSome},
}};

// The region of `op` in a table. An `op` out of range comes from a damaged journal.
std::uint32_t entry(std::uint32_t table, std::uint32_t count, std::uint8_t op) {
  return op < count ? table + op : kSingles + other;
}

// Numbers of events in a call, of the kinds that decide its region.
struct Content {
  std::uint32_t sends = 0, recvs = 0, starts = 0, posts = 0, completions = 0;
  bool persistent = false;  // a start or post of a persistent request
};

Content content_of(const JournalStep& call) {
  Content content;
  for (const JournalRecord& record : call.records) {
    switch (record.event->kind) {
      case EventKind::send:
        ++content.sends;
        break;
      case EventKind::recv:
        ++content.recvs;
        break;
      case EventKind::send_start:
        ++content.starts;
        content.persistent |= (record.event->op & kByStart) != 0;
        break;
      case EventKind::recv_post:
        ++content.posts;
        content.persistent |= (record.event->op & kByStart) != 0;
        break;
      case EventKind::collective_start:
        if (record.event->tag >= 0) break;
        ++content.starts;  // persistent
        content.persistent = true;
        break;
      case EventKind::send_complete:
      case EventKind::recv_complete:
      case EventKind::cancelled:
      case EventKind::collective_complete:
        ++content.completions;
        break;
      default:
        break;
    }
  }
  return content;
}

std::uint32_t region_of(const Event& event) {
  switch (event.kind) {
    case EventKind::send:
      return entry(kSends, 4, event.op);
    case EventKind::send_start:
      if ((event.op & kByPready) != 0) return kSingles + pready;
      return (event.op & kByStart) != 0 ? kSingles + start : entry(kSendStarts, 4, event.op);
    case EventKind::recv:
      return kSingles + recv;
    case EventKind::recv_post:
      return kSingles + ((event.op & kByStart) != 0 ? start : recv_post);
    case EventKind::send_complete:
    case EventKind::recv_complete:
    case EventKind::cancelled:
    case EventKind::collective_complete:
      return kSingles + wait;
    case EventKind::collective:
      return entry(kCollectives, kCollectiveCount, event.op);
    case EventKind::collective_start:
      if (event.tag < 0) return kSingles + start;  // persistent
      return entry(kCollectiveStarts, kCollectiveCount, event.op);
    case EventKind::put:
      return kSingles + put;
    case EventKind::get:
      return kSingles + get;
    case EventKind::accumulate:
      return entry(kAccumulates, kAccumulateCount, event.op);
    case EventKind::rma_sync:
      return entry(kSyncs, kSyncCount, event.op);
    case EventKind::poll:
      return kSingles + test;
    case EventKind::start:
      return kSingles + init;
    case EventKind::finish:
      return kSingles + finalize;
    default:
      return kSingles + other;
  }
}

// By the operations only.
std::uint32_t common_region_of(const JournalStep& call) {
  const Content content = content_of(call);
  if (content.sends + content.starts > 0 && content.recvs > 0) return kSingles + sendrecv;
  if (content.completions == 0 && content.starts == 1 && content.posts == 1 && !content.persistent)
    return kSingles + isendrecv;
  if (content.completions == 0 && content.starts + content.posts > 1) return kSingles + startall;
  if (content.completions > 1) return kSingles + waitall;
  for (const JournalRecord& record : call.records)
    if (record.event->kind < EventKind::phase_begin || record.event->kind > EventKind::predict_release)
      return region_of(*record.event);
  return kSingles + other;
}

}  // namespace

std::span<const MpiRegion> mpi_regions() { return kRegions; }

std::optional<std::uint32_t> find_mpi_region(std::string_view name) {
  const auto found = std::ranges::find(kRegions, name, &MpiRegion::name);
  if (found == kRegions.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - kRegions.begin());
}

OTF2_RegionRole mpi_role(std::string_view name) {
  const auto begins = [&](std::string_view with) { return name.starts_with(with); };
  const auto contains = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (begins("MPI_File_")) return OTF2_REGION_ROLE_FILE_IO;
  if (begins("MPI_Win_") || begins("MPI_Rput") || begins("MPI_Rget") || begins("MPI_Raccumulate"))
    return kOneSided;
  if (begins("MPI_Wait") || begins("MPI_Test") || contains("send") || contains("recv") || contains("robe") ||
      begins("MPI_P"))  // MPI_Pready_range, MPI_Parrived
    return kPair;
  return kLocal;
}

std::uint32_t mpi_region_of(const JournalStep& call, std::optional<std::uint32_t> called) {
  const std::uint32_t common = common_region_of(call);
  const bool is_exact =
      common < kSingles || common >= kSyncs || common == kSingles + init || common == kSingles + finalize;
  return called && !is_exact ? *called : common;
}

OTF2_CollectiveOp otf2_collective(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::barrier:
      return OTF2_COLLECTIVE_OP_BARRIER;
    case CollectiveOp::bcast:
      return OTF2_COLLECTIVE_OP_BCAST;
    case CollectiveOp::gather:
      return OTF2_COLLECTIVE_OP_GATHER;
    case CollectiveOp::gatherv:
      return OTF2_COLLECTIVE_OP_GATHERV;
    case CollectiveOp::scatter:
      return OTF2_COLLECTIVE_OP_SCATTER;
    case CollectiveOp::scatterv:
      return OTF2_COLLECTIVE_OP_SCATTERV;
    case CollectiveOp::allgather:
    case CollectiveOp::neighbor_allgather:
      return OTF2_COLLECTIVE_OP_ALLGATHER;
    case CollectiveOp::allgatherv:
    case CollectiveOp::neighbor_allgatherv:
      return OTF2_COLLECTIVE_OP_ALLGATHERV;
    case CollectiveOp::alltoall:
    case CollectiveOp::neighbor_alltoall:
      return OTF2_COLLECTIVE_OP_ALLTOALL;
    case CollectiveOp::alltoallv:
    case CollectiveOp::neighbor_alltoallv:
      return OTF2_COLLECTIVE_OP_ALLTOALLV;
    case CollectiveOp::alltoallw:
    case CollectiveOp::neighbor_alltoallw:
      return OTF2_COLLECTIVE_OP_ALLTOALLW;
    case CollectiveOp::reduce:
      return OTF2_COLLECTIVE_OP_REDUCE;
    case CollectiveOp::allreduce:
      return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case CollectiveOp::reduce_scatter:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
    case CollectiveOp::reduce_scatter_block:
      return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
    case CollectiveOp::scan:
      return OTF2_COLLECTIVE_OP_SCAN;
    case CollectiveOp::exscan:
      return OTF2_COLLECTIVE_OP_EXSCAN;
  }
  return OTF2_COLLECTIVE_OP_BARRIER;
}

}  // namespace hybrid
