#include "libhybrid/recording/location_writer.h"

#include <algorithm>

#include "libhybrid/recording/collective_volume.h"
#include "libhybrid/recording/trace_ids.h"

namespace hybrid {

namespace {

namespace ids = trace_ids;

/// Whether a call that holds nothing else takes no region: threads but the first neither start nor end MPI.
bool is_frame(const JournalStep& step) {
  return std::all_of(step.records.begin(), step.records.end(), [](const JournalRecord& record) {
    return record.event->kind == EventKind::start || record.event->kind == EventKind::finish;
  });
}

}  // namespace

LocationWriter::LocationWriter(const Place& place, TraceArchive& archive, OpenOfProcess& open)
    : place_(place),
      archive_(archive),
      open_(open),
      requests_(open.requests),
      writer_(archive.open_location(ids::location(place.process.rank, place.thread))),
      attributes_(OTF2_AttributeList_New()) {}

LocationWriter::~LocationWriter() { OTF2_AttributeList_Delete(attributes_); }

void LocationWriter::write(const JournalStep& step, Time begin, Time end) {
  begin = std::max(begin, last_);
  end = std::max(end, begin);
  if (!begun_) {
    enter(ids::application_region(), begin);
    compute_since_ = begin;
    begun_ = true;
  }
  if (!step.is_call) {
    write_mark(step.records.front(), begin);
    last_ = begin;
  } else if (place_.thread != 0 && is_frame(step)) {
    last_ = compute_since_ = end;
  } else {
    write_call(step, begin, end);
    last_ = compute_since_ = end;
  }
}

Time LocationWriter::close() {
  while (!phases_.empty()) {
    leave(phases_.back(), last_);
    phases_.pop_back();
  }
  if (begun_) leave(ids::application_region(), last_);
  archive_.close_location(writer_);
  return last_;
}

void LocationWriter::write_mark(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const auto port = static_cast<std::uint32_t>(event.peer);
  switch (event.kind) {
    case EventKind::phase_begin:
      begin_phase(event.request, at);
      break;
    case EventKind::phase_end:
      end_phase(event.request, at);
      break;
    case EventKind::flush:
      write_parameter(ids::flush, 0, at);
      break;
    case EventKind::hint:
      write_parameter(ids::hint, static_cast<std::uint32_t>(event.peer), at);
      break;
    case EventKind::predict_request:
      write_parameter(ids::predict_request, port, at);
      break;
    case EventKind::predict_release:
      write_parameter(ids::predict_release, port, at);
      break;
    default:
      break;
  }
}

void LocationWriter::write_call(const JournalStep& step, Time begin, Time end) {
  tell_compute(begin);
  const std::uint32_t region = mpi_region_of(step);
  enter(region, begin);
  in_call_ = true;
  // What begins in a call stands at its begin, what completes at its end, in this order whatever the
  // journal's: a sendrecv is a send and then a receive.
  for (const JournalRecord& record : step.records) write_begin(record, begin);
  for (const JournalRecord& record : step.records) write_end(record, begin, end);
  in_call_ = false;
  leave(region, end);
}

void LocationWriter::write_begin(const JournalRecord& record, Time at) {
  switch (record.event->kind) {
    case EventKind::send:
    case EventKind::send_start:
      write_send(record, at);
      break;
    case EventKind::recv_post: {
      const bool written = record.event->peer != kNoPeer;
      const std::uint64_t request = OpenRequests<WrittenRequest>::id(place_.thread, record.event->request);
      requests_.open(request, {.written = written});
      if (written) check(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, stamp(at), request));
      break;
    }
    case EventKind::collective:
      check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, stamp(at)));
      break;
    case EventKind::collective_start:
      write_collective_start(record, at);
      break;
    case EventKind::put:
    case EventKind::get:
    case EventKind::accumulate:
      write_one_sided(record, at);
      break;
    default:
      write_mark(record, at);
      break;
  }
}

void LocationWriter::write_end(const JournalRecord& record, Time begin, Time end) {
  switch (record.event->kind) {
    case EventKind::recv:
      write_recv(record, end);
      break;
    case EventKind::send_complete:
    case EventKind::recv_complete:
    case EventKind::cancelled:
    case EventKind::collective_complete:
      write_completion(record, end);
      break;
    case EventKind::collective:
      write_collective_end(record, end);
      break;
    case EventKind::rma_sync:
      write_rma_sync(record, begin, end);
      break;
    case EventKind::recv_freed:
      write_freed(record, end);
      break;
    case EventKind::finish:
      if (place_.thread == 0) write_freed_ends(end);
      break;
    default:
      break;
  }
}

std::optional<FoundMatch> LocationWriter::match_of(const Event& event) {
  if (!is_untold(event)) return FoundMatch{event.peer, event.tag};
  const std::size_t number = next_found_++;
  if (number < place_.found.size() && place_.found[number].source != kAnyPeer) return place_.found[number];
  ++untold_;
  return std::nullopt;
}

void LocationWriter::write_send(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const bool blocking = event.kind == EventKind::send;
  const std::uint64_t request = OpenRequests<WrittenRequest>::id(place_.thread, event.request);
  const auto peer = peer_of(record);
  if (!blocking) requests_.open(request, {.written = peer.has_value()});
  if (!peer) return;
  OTF2_AttributeList* attributes = nullptr;
  if (event.op != static_cast<std::uint8_t>(SendMode::standard)) {
    check(OTF2_AttributeList_AddUint8(attributes_, ids::send_mode, event.op));
    attributes = attributes_;
  }
  const auto tag = static_cast<std::uint32_t>(event.tag);
  const std::uint64_t bytes = record.values.bytes;
  check(blocking ? OTF2_EvtWriter_MpiSend(writer_, attributes, stamp(at), peer->rank, peer->communicator, tag,
                                          bytes)
                 : OTF2_EvtWriter_MpiIsend(writer_, attributes, stamp(at), peer->rank, peer->communicator,
                                           tag, bytes, request));
}

void LocationWriter::write_recv(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const auto peer = peer_of(record);
  if (!peer) return;
  write_freed_before(*peer, static_cast<std::uint32_t>(event.tag), at);
  check(OTF2_EvtWriter_MpiRecv(writer_, nullptr, stamp(at), peer->rank, peer->communicator,
                               static_cast<std::uint32_t>(event.tag), record.values.bytes));
}

void LocationWriter::write_completion(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const bool receives = event.kind == EventKind::recv_complete;
  const auto match = receives ? match_of(event) : std::nullopt;
  const auto open = requests_.close(place_.thread, event.request, place_.threads);
  if (!open || !open->second.written) return;
  const auto& [id, request] = *open;
  switch (event.kind) {
    case EventKind::send_complete:
      check(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, stamp(at), id));
      return;
    case EventKind::recv_complete: {
      if (!match) break;
      if (const auto peer = peer_of(record, match->source)) {
        const auto tag = static_cast<std::uint32_t>(match->tag);
        write_freed_before(*peer, tag, at);
        check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, stamp(at), peer->rank, peer->communicator, tag,
                                      record.values.bytes, id));
        return;
      }
      break;  // ended, and nothing that can be told arrived
    }
    case EventKind::collective_complete:
      check(OTF2_EvtWriter_NonBlockingCollectiveComplete(
          writer_, nullptr, stamp(at), otf2_collective(static_cast<CollectiveOp>(request.op)),
          request.communicator, request.root, request.bytes_sent, request.bytes_received, id));
      return;
    default:
      break;
  }
  check(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, stamp(at), id));
}

void LocationWriter::write_freed(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const auto match = match_of(event);
  const auto open = requests_.close(place_.thread, event.request, place_.threads);
  if (!open || !open->second.written) return;
  const auto peer = match ? peer_of(record, match->source) : std::nullopt;
  if (peer) {
    open_.freed.push_back({open->first, record.values.bytes, peer->communicator, peer->rank,
                           static_cast<std::uint32_t>(match->tag)});
    return;
  }
  check(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, stamp(at), open->first));
}

// MPI_Finalize waits for all that are left.
void LocationWriter::write_freed_ends(Time at) {
  for (const FreedReceive& freed : open_.freed) write_freed_end(freed, at);
  open_.freed.clear();
}

// Messages of one sender and tag do not overtake each other: those of the freed receives have come when one
// of a later receive has. So each takes its own message, and those after it theirs.
void LocationWriter::write_freed_before(const Peer& peer, std::uint32_t tag, Time at) {
  std::erase_if(open_.freed, [&](const FreedReceive& freed) {
    if (freed.communicator != peer.communicator || freed.source != peer.rank || freed.tag != tag)
      return false;
    write_freed_end(freed, at);
    return true;
  });
}

void LocationWriter::write_freed_end(const FreedReceive& freed, Time at) {
  check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, stamp(at), freed.source, freed.communicator, freed.tag,
                                freed.bytes, freed.request));
}

void LocationWriter::write_parameter(OTF2_ParameterRef parameter, std::uint64_t value, Time at) {
  check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, attributes_, stamp(at), parameter, value));
}

void LocationWriter::tell_compute(Time at) {
  if (!place_.compute_told) return;
  const auto elapsed = static_cast<std::uint64_t>((at - compute_since_).ps);
  check(OTF2_AttributeList_AddUint64(attributes_, ids::compute, (elapsed + 500) / 1000));
  compute_since_ = at;
}

void LocationWriter::enter(OTF2_RegionRef region, Time at) {
  check(OTF2_EvtWriter_Enter(writer_, attributes_, stamp(at), region));
}

void LocationWriter::leave(OTF2_RegionRef region, Time at) {
  check(OTF2_EvtWriter_Leave(writer_, attributes_, stamp(at), region));
}

void LocationWriter::begin_phase(std::uint32_t region, Time at) {
  const auto found = place_.process.regions.find(region);
  if (found == place_.process.regions.end()) {
    ++undefined_;
    return;
  }
  phases_.push_back(ids::phase_region(found->second));
  tell_compute(at);
  enter(phases_.back(), at);
}

void LocationWriter::end_phase(std::uint32_t region, Time at) {
  const auto found = place_.process.regions.find(region);
  if (found == place_.process.regions.end()) return;
  const OTF2_RegionRef ended = ids::phase_region(found->second);
  const auto position = std::find(phases_.rbegin(), phases_.rend(), ended);
  if (position == phases_.rend()) return;  // the journal's own begin is missing: the thread began elsewhere
  // Regions nest: phases that outlive the one around them are cut there and go on.
  const std::vector<OTF2_RegionRef> inner(position.base(), phases_.end());
  tell_compute(at);
  for (std::size_t i = inner.size(); i > 0; --i) leave(inner[i - 1], at);
  leave(ended, at);
  phases_.resize(phases_.size() - inner.size() - 1);
  for (const OTF2_RegionRef phase : inner) {
    phases_.push_back(phase);
    enter(phase, at);
  }
}

const LocationWriter::View* LocationWriter::view_of(const JournalRecord& record) {
  const auto found = place_.process.communicators.find(record.values.communicator);
  if (found != place_.process.communicators.end()) return &found->second;
  ++undefined_;
  return nullptr;
}

std::optional<LocationWriter::Peer> LocationWriter::peer_of(const JournalRecord& record,
                                                            std::int32_t world_rank) {
  if (world_rank == kNoPeer) return std::nullopt;
  const View* view = view_of(record);
  if (view == nullptr) return std::nullopt;
  const auto rank = rank_of_peer(world_rank, *view);
  if (!rank) return std::nullopt;
  return Peer{view->id, *rank};
}

std::optional<std::uint32_t> LocationWriter::rank_of_peer(std::int32_t world_rank, const View& view) {
  const auto rank = place_.job.peer_rank(place_.process, view, world_rank);
  if (!rank) ++undefined_;
  return rank;
}

}  // namespace hybrid
