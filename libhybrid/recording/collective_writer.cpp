#include "libhybrid/recording/collective_writer.h"

#include "libhybrid/recording/mpi_regions.h"
#include "libhybrid/recording/trace_definitions.h"

namespace hybrid {

namespace {

namespace ids = trace_ids;

bool is_extension(const Event& event, Extension kind) {
  return event.kind == EventKind::extension && event.op == static_cast<std::uint8_t>(kind);
}

bool is_neighborhood(CollectiveOp op) { return op >= CollectiveOp::neighbor_allgather; }

struct Volume {
  std::uint64_t bytes = 0;               // by the convention of emulator/replay/operation.h
  std::uint64_t sent = 0, received = 0;  // by that of OTF2
};

Volume volume_of(const JournalRecord& record, const RecordedLocation& location,
                 const ProcessDefinitions::CommunicatorView& view) {
  const auto self = static_cast<std::int32_t>(location.process.rank);
  const RankGroup& group = location.job.own_group(view);
  const bool alone = view.id == kSelfCommunicator;
  const std::uint64_t members = alone ? 1 : static_cast<std::uint32_t>(group.members.size());
  const std::uint64_t rank = alone ? 0 : group.rank_of(self).value_or(0);
  const std::uint64_t one = record.values.bytes;  // the vector, or the block of one member
  const std::uint64_t all = one * members;        // a block for, or from, each member
  const std::uint64_t at_root = record.event->peer == self ? all : 0;
  switch (static_cast<CollectiveOp>(record.event->op)) {
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
      return {one, one * (members - rank), one * (rank + 1)};
    case CollectiveOp::exscan:
      return {one, one * (members - rank - 1), one * rank};
    default:
      break;
  }
  Volume volume{.bytes = one};
  for (const Event& extension : record.extensions) {
    if (is_extension(extension, Extension::counts)) volume.sent += extension.begin;
    if (is_extension(extension, Extension::counts_received)) volume.received += extension.begin;
  }
  if (volume.sent == 0) volume.sent = one;
  return volume;
}

}  // namespace

void CollectiveWriter::write_begin(Time at) {
  output_.check(OTF2_EvtWriter_MpiCollectiveBegin(output_.writer(), nullptr, LocationOutput::stamp(at)));
}

void CollectiveWriter::write_start(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const std::uint64_t id = output_.request_id(event);
  auto& requests = output_.open().requests;
  const View* view = output_.view_of(record);
  if (view == nullptr) {
    requests.open(id, {});
    return;
  }
  const Volume volume = volume_of(record, output_.location(), *view);
  const std::uint32_t root = root_of(record, *view);
  requests.open(id, {.written = true,
                     .op = event.op,
                     .communicator = view->id,
                     .root = root,
                     .bytes_sent = volume.sent,
                     .bytes_received = volume.received});
  write_counts(record, *view, at);
  OTF2_AttributeList* const attributes = output_.attributes();
  output_.check(OTF2_AttributeList_AddUint8(attributes, ids::collective, event.op));
  output_.check(OTF2_AttributeList_AddUint64(attributes, ids::bytes, volume.bytes));
  output_.check(OTF2_AttributeList_AddCommRef(attributes, ids::communicator, view->id));
  output_.check(OTF2_AttributeList_AddUint32(attributes, ids::root, root));
  output_.check(OTF2_AttributeList_AddInt32(attributes, ids::number, event.tag));
  output_.check(OTF2_EvtWriter_NonBlockingCollectiveRequest(output_.writer(), attributes,
                                                            LocationOutput::stamp(at), id));
}

void CollectiveWriter::write_completion(const JournalRecord& record, Time at) {
  const auto completed = output_.close_request(*record.event);
  if (!completed) return;
  const auto& [id, request] = *completed;
  output_.check(OTF2_EvtWriter_NonBlockingCollectiveComplete(
      output_.writer(), nullptr, LocationOutput::stamp(at),
      otf2_collective(static_cast<CollectiveOp>(request.op)), request.communicator, request.root,
      request.bytes_sent, request.bytes_received, id));
}

void CollectiveWriter::write_end(const JournalRecord& record, Time at) {
  const auto op = static_cast<CollectiveOp>(record.event->op);
  // The begin is written, so an end is needed even if the communicator is not defined. It is written for
  // MPI_COMM_SELF: on MPI_COMM_WORLD it would be a collective without the other ranks.
  static constexpr View kSelf{kSelfCommunicator, false};
  const View* known = output_.view_of(record);
  const View& view = known == nullptr ? kSelf : *known;
  const Volume volume = volume_of(record, output_.location(), view);
  write_counts(record, view, at);
  OTF2_AttributeList* const attributes = output_.attributes();
  if (is_neighborhood(op))
    output_.check(OTF2_AttributeList_AddUint8(attributes, ids::collective, record.event->op));
  output_.check(OTF2_AttributeList_AddUint64(attributes, ids::bytes, volume.bytes));
  output_.check(OTF2_AttributeList_AddInt32(attributes, ids::number, record.event->tag));
  output_.check(OTF2_EvtWriter_MpiCollectiveEnd(output_.writer(), attributes, LocationOutput::stamp(at),
                                                otf2_collective(op), view.id, root_of(record, view),
                                                volume.sent, volume.received));
}

void CollectiveWriter::write_counts(const JournalRecord& record, const View& view, Time at) {
  bool has_counts = false;
  for (const Event& extension : record.extensions) {
    const bool sent = is_extension(extension, Extension::counts);
    if (!sent && !is_extension(extension, Extension::counts_received)) continue;
    has_counts = true;
    write_count(sent ? ids::count_sent : ids::count_received, view, extension.peer, extension.begin, at);
  }
  if (has_counts || !is_neighborhood(static_cast<CollectiveOp>(record.event->op))) return;
  // Neighbourhood collectives with equal blocks: a block for each neighbour of the topology.
  const auto& all = output_.location().process.neighbors;
  const auto neighbors = all.find(record.values.communicator);
  if (neighbors == all.end()) return;
  const std::uint64_t block = record.values.bytes;
  for (const std::int32_t peer : neighbors->second.out) write_count(ids::count_sent, view, peer, block, at);
  for (const std::int32_t peer : neighbors->second.in)
    write_count(ids::count_received, view, peer, block, at);
}

void CollectiveWriter::write_count(OTF2_ParameterRef parameter, const View& view, std::int32_t peer,
                                   std::uint64_t bytes, Time at) {
  const RecordedLocation& location = output_.location();
  const auto rank = location.job.peer_rank(location.process, view, peer);
  if (!rank) return;  // MPI_PROC_NULL at the edge of a grid
  output_.check(OTF2_AttributeList_AddUint32(output_.attributes(), ids::peer, *rank));
  output_.write_parameter(parameter, bytes, at);
}

std::uint32_t CollectiveWriter::root_of(const JournalRecord& record, const View& view) const {
  const RecordedLocation& location = output_.location();
  const std::int32_t root = record.event->peer;
  if (root < 0) return OTF2_COLLECTIVE_ROOT_NONE;
  const bool inter = location.job.communicators[view.id].other_group != JobCommunicator::kNoGroup;
  if (inter && root == static_cast<std::int32_t>(location.process.rank)) return OTF2_COLLECTIVE_ROOT_SELF;
  return location.job.peer_rank(location.process, view, root).value_or(OTF2_COLLECTIVE_ROOT_NONE);
}

}  // namespace hybrid
