// Collectives of a location.
#include "libhybrid/recording/location_writer.h"
#include "libhybrid/recording/trace_ids.h"

namespace hybrid {

namespace ids = trace_ids;

namespace {

bool is_extension(const Event& event, Extension kind) {
  return event.kind == EventKind::extension && event.op == static_cast<std::uint8_t>(kind);
}

}  // namespace

void LocationWriter::write_collective_start(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const std::uint64_t id = OpenRequests<WrittenRequest>::id(place_.thread, event.request);
  const View* view = view_of(record);
  if (view == nullptr) {
    requests_.open(id, {});
    return;
  }
  const CollectiveVolume volume = volume_of(record, *view);
  const std::uint32_t root = root_of(record, *view);
  requests_.open(id, {.written = true,
                      .op = event.op,
                      .communicator = view->id,
                      .root = root,
                      .bytes_sent = volume.sent,
                      .bytes_received = volume.received});
  write_counts(record, *view, at);
  check(OTF2_AttributeList_AddUint8(attributes_, ids::collective, event.op));
  check(OTF2_AttributeList_AddUint64(attributes_, ids::bytes, volume.bytes));
  check(OTF2_AttributeList_AddCommRef(attributes_, ids::communicator, view->id));
  check(OTF2_AttributeList_AddUint32(attributes_, ids::root, root));
  check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, attributes_, stamp(at), id));
}

void LocationWriter::write_collective_end(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  // The begin is written: without a known communicator it ends as one on MPI_COMM_WORLD would show a
  // collective that the others did not take part in, so it ends on MPI_COMM_SELF.
  static constexpr View kSelf{kSelfCommunicator, false};
  const View* known = view_of(record);
  const View& view = known == nullptr ? kSelf : *known;
  const CollectiveVolume volume = volume_of(record, view);
  write_counts(record, view, at);
  if (is_neighborhood(static_cast<CollectiveOp>(event.op)))
    check(OTF2_AttributeList_AddUint8(attributes_, ids::collective, event.op));
  check(OTF2_AttributeList_AddUint64(attributes_, ids::bytes, volume.bytes));
  check(OTF2_EvtWriter_MpiCollectiveEnd(writer_, attributes_, stamp(at),
                                        otf2_collective(static_cast<CollectiveOp>(event.op)), view.id,
                                        root_of(record, view), volume.sent, volume.received));
}

void LocationWriter::write_counts(const JournalRecord& record, const View& view, Time at) {
  bool told = false;
  for (const Event& extension : record.extensions) {
    const bool sent = is_extension(extension, Extension::counts);
    if (!sent && !is_extension(extension, Extension::counts_received)) continue;
    told = true;
    write_count(sent ? ids::count_sent : ids::count_received, view, extension.peer, extension.begin, at);
  }
  if (told || !is_neighborhood(static_cast<CollectiveOp>(record.event->op))) return;
  // Uniform neighbourhood forms: the sizes are one block each, the neighbours those of the topology.
  const auto neighbors = place_.process.neighbors.find(record.values.communicator);
  if (neighbors == place_.process.neighbors.end()) return;
  const std::uint64_t block = record.values.bytes;
  for (const std::int32_t peer : neighbors->second.out) write_count(ids::count_sent, view, peer, block, at);
  for (const std::int32_t peer : neighbors->second.in)
    write_count(ids::count_received, view, peer, block, at);
}

void LocationWriter::write_count(OTF2_ParameterRef parameter, const View& view, std::int32_t peer,
                                 std::uint64_t bytes, Time at) {
  const auto rank = place_.job.peer_rank(place_.process, view, peer);
  if (!rank) return;  // MPI_PROC_NULL at the edge of a grid
  check(OTF2_AttributeList_AddUint32(attributes_, ids::peer, *rank));
  check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, attributes_, stamp(at), parameter, bytes));
}

std::uint32_t LocationWriter::root_of(const JournalRecord& record, const View& view) {
  const std::int32_t root = record.event->peer;
  if (root < 0) return OTF2_COLLECTIVE_ROOT_NONE;
  const bool inter = place_.job.communicators[view.id].other_group != JobCommunicator::kNoGroup;
  if (inter && root == static_cast<std::int32_t>(place_.process.rank)) return OTF2_COLLECTIVE_ROOT_SELF;
  return place_.job.peer_rank(place_.process, view, root).value_or(OTF2_COLLECTIVE_ROOT_NONE);
}

CollectiveVolume LocationWriter::volume_of(const JournalRecord& record, const View& view) const {
  const auto& members = place_.job.own_group(view).members;
  RecordedCollective call;
  call.op = static_cast<CollectiveOp>(record.event->op);
  call.bytes = record.values.bytes;
  call.is_root = record.event->peer == static_cast<std::int32_t>(place_.process.rank);
  call.members = view.id == kSelfCommunicator ? 1 : static_cast<std::uint32_t>(members.size());
  call.rank =
      view.id == kSelfCommunicator
          ? 0
          : place_.job.own_group(view).rank_of(static_cast<std::int32_t>(place_.process.rank)).value_or(0);
  for (const Event& extension : record.extensions) {
    if (is_extension(extension, Extension::counts)) call.counts_sent += extension.begin;
    if (is_extension(extension, Extension::counts_received)) call.counts_received += extension.begin;
  }
  return collective_volume(call);
}

}  // namespace hybrid
