#include "libhybrid/recording/location_writer.h"

#include <algorithm>

#include "libhybrid/recording/collective_volume.h"
#include "libhybrid/recording/trace_ids.h"

namespace hybrid {

namespace {

namespace ids = trace_ids;

OTF2_TimeStamp stamp(Time at) { return static_cast<OTF2_TimeStamp>(at.ps); }

bool is_extension(const Event& event, Extension kind) {
  return event.kind == EventKind::extension && event.op == static_cast<std::uint8_t>(kind);
}

/// Whether a call that holds nothing else takes no region: threads but the first neither start nor end MPI.
bool is_frame(const JournalStep& step) {
  return std::all_of(step.records.begin(), step.records.end(), [](const JournalRecord& record) {
    return record.event->kind == EventKind::start || record.event->kind == EventKind::finish;
  });
}

}  // namespace

std::optional<std::pair<std::uint64_t, OpenRequests::Request>> OpenRequests::close(std::uint32_t thread,
                                                                                   std::uint32_t number,
                                                                                   std::uint32_t threads) {
  auto found = requests_.find(id(thread, number));
  for (std::uint32_t other = 0; found == requests_.end() && other < threads; ++other)
    found = requests_.find(id(other, number));
  if (found == requests_.end()) return std::nullopt;
  const std::pair<std::uint64_t, Request> result = *found;
  requests_.erase(found);
  return result;
}

LocationWriter::LocationWriter(const Place& place, TraceArchive& archive, OpenRequests& requests)
    : place_(place),
      archive_(archive),
      requests_(requests),
      writer_(archive.open_location(ids::location(place.process.rank, place.thread))),
      attributes_(OTF2_AttributeList_New()) {}

LocationWriter::~LocationWriter() { OTF2_AttributeList_Delete(attributes_); }

void LocationWriter::write(const JournalStep& step, Time begin, Time end) {
  begin = std::max(begin, last_);
  end = std::max(end, begin);
  if (!begun_) {
    enter(ids::application_region(), begin);
    last_leave_ = begin;
    begun_ = true;
  }
  if (!step.is_call) {
    write_mark(step.records.front(), begin);
    last_ = begin;
  } else if (place_.thread != 0 && is_frame(step)) {
    last_ = last_leave_ = end;
  } else {
    write_call(step, begin, end);
    last_ = last_leave_ = end;
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
  if (place_.compute_told)
    check(OTF2_AttributeList_AddUint64(attributes_, ids::compute,
                                       static_cast<std::uint64_t>((begin - last_leave_).ps + 500) / 1000));
  const std::uint32_t region = mpi_region_of(step);
  enter(region, begin);
  // What begins in a call stands at its begin, what completes at its end, in this order whatever the
  // journal's: a sendrecv is a send and then a receive.
  for (const JournalRecord& record : step.records) write_begin(record, begin);
  for (const JournalRecord& record : step.records) write_end(record, begin, end);
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
      const std::uint64_t request = OpenRequests::id(place_.thread, record.event->request);
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
    default:
      break;
  }
}

void LocationWriter::write_send(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const bool blocking = event.kind == EventKind::send;
  const std::uint64_t request = OpenRequests::id(place_.thread, event.request);
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
  check(OTF2_EvtWriter_MpiRecv(writer_, nullptr, stamp(at), peer->rank, peer->communicator,
                               static_cast<std::uint32_t>(event.tag), record.values.bytes));
}

void LocationWriter::write_completion(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const auto open = requests_.close(place_.thread, event.request, place_.threads);
  if (!open || !open->second.written) return;
  const auto& [id, request] = *open;
  switch (event.kind) {
    case EventKind::send_complete:
      check(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, stamp(at), id));
      return;
    case EventKind::recv_complete: {
      if (const auto peer = peer_of(record)) {
        check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, stamp(at), peer->rank, peer->communicator,
                                      static_cast<std::uint32_t>(event.tag), record.values.bytes, id));
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

void LocationWriter::write_collective_start(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  const std::uint64_t id = OpenRequests::id(place_.thread, event.request);
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
  add_collective_attributes(event, volume);
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
  add_collective_attributes(event, volume);
  check(OTF2_EvtWriter_MpiCollectiveEnd(writer_, attributes_, stamp(at),
                                        otf2_collective(static_cast<CollectiveOp>(event.op)), view.id,
                                        root_of(record, view), volume.sent, volume.received));
}

void LocationWriter::add_collective_attributes(const Event& event, const CollectiveVolume& volume) {
  if (is_neighborhood(static_cast<CollectiveOp>(event.op)))
    check(OTF2_AttributeList_AddUint8(attributes_, ids::collective, event.op));
  check(OTF2_AttributeList_AddUint64(attributes_, ids::bytes, volume.bytes));
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

void LocationWriter::write_one_sided(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  if (event.peer == kNoPeer) return;
  const auto window = window_of(record);
  const auto target = window ? rank_of_peer(record, window->communicator) : std::nullopt;
  if (!target) return;
  const std::uint64_t id = ++one_sided_;
  const std::uint64_t bytes = record.values.bytes;
  switch (event.kind) {
    case EventKind::put:
      check(OTF2_EvtWriter_RmaPut(writer_, nullptr, stamp(at), window->id, *target, bytes, id));
      break;
    case EventKind::get:
      check(OTF2_EvtWriter_RmaGet(writer_, nullptr, stamp(at), window->id, *target, bytes, id));
      break;
    default:
      check(OTF2_EvtWriter_RmaAtomic(writer_, nullptr, stamp(at), window->id, *target,
                                     OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, bytes, 0, id));
  }
  epochs_[window->id][*target].push_back(id);
}

void LocationWriter::write_rma_sync(const JournalRecord& record, Time begin, Time end) {
  const auto window = window_of(record);
  if (!window) return;
  const auto sync = static_cast<RmaSync>(record.event->op);
  // Those with one target; the others concern every process that the window's epoch involves.
  std::optional<std::uint32_t> target;
  if (sync == RmaSync::lock || sync == RmaSync::unlock || sync == RmaSync::flush) {
    target = record.event->peer == kNoPeer ? std::nullopt : rank_of_peer(record, window->communicator);
    if (!target) return;
  }
  const std::uint32_t remote = target.value_or(OTF2_UNDEFINED_UINT32);
  const OTF2_GroupRef group = ids::group(place_.job.communicators[window->communicator.id].group);
  const OTF2_TimeStamp at = stamp(end);
  const auto attribute = [&] {
    check(OTF2_AttributeList_AddUint8(attributes_, ids::rma_sync, record.event->op));
    return attributes_;
  };
  switch (sync) {
    case RmaSync::fence:
      check(OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, stamp(begin)));
      complete_one_sided(*window, std::nullopt, end);
      check(OTF2_EvtWriter_RmaCollectiveEnd(writer_, attribute(), at, OTF2_COLLECTIVE_OP_BARRIER,
                                            OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                                            window->id, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
      break;
    case RmaSync::post:
    case RmaSync::start:
      check(
          OTF2_EvtWriter_RmaGroupSync(writer_, attribute(), at, OTF2_RMA_SYNC_LEVEL_NONE, window->id, group));
      break;
    case RmaSync::complete:
      complete_one_sided(*window, std::nullopt, end);
      check(OTF2_EvtWriter_RmaGroupSync(writer_, attribute(), at, OTF2_RMA_SYNC_LEVEL_MEMORY, window->id,
                                        group));
      break;
    case RmaSync::wait:
      check(OTF2_EvtWriter_RmaGroupSync(writer_, attribute(), at, OTF2_RMA_SYNC_LEVEL_MEMORY, window->id,
                                        group));
      break;
    case RmaSync::lock:
    case RmaSync::lock_all:
      check(OTF2_EvtWriter_RmaAcquireLock(writer_, attribute(), at, window->id, remote, 0,
                                          sync == RmaSync::lock ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
      break;
    case RmaSync::unlock:
    case RmaSync::unlock_all:
      complete_one_sided(*window, target, end);
      check(OTF2_EvtWriter_RmaReleaseLock(writer_, attribute(), at, window->id, remote, 0));
      break;
    case RmaSync::flush:
    case RmaSync::flush_all:
      complete_one_sided(*window, target, end);
      check(OTF2_EvtWriter_RmaSync(writer_, attribute(), at, window->id, remote, OTF2_RMA_SYNC_TYPE_MEMORY));
      break;
  }
}

void LocationWriter::complete_one_sided(const Window& window, std::optional<std::uint32_t> target, Time at) {
  const auto epoch = epochs_.find(window.id);
  if (epoch == epochs_.end()) return;
  std::vector<std::uint64_t> completed;
  for (auto& [rank, operations] : epoch->second) {
    if (target && rank != *target) continue;
    completed.insert(completed.end(), operations.begin(), operations.end());
    operations.clear();
  }
  std::sort(completed.begin(), completed.end());
  for (const std::uint64_t id : completed)
    check(OTF2_EvtWriter_RmaOpCompleteRemote(writer_, nullptr, stamp(at), window.id, id));
}

void LocationWriter::write_parameter(OTF2_ParameterRef parameter, std::uint64_t value, Time at) {
  check(OTF2_EvtWriter_ParameterUnsignedInt(writer_, nullptr, stamp(at), parameter, value));
}

void LocationWriter::enter(OTF2_RegionRef region, Time at) {
  check(OTF2_EvtWriter_Enter(writer_, attributes_, stamp(at), region));
}

void LocationWriter::leave(OTF2_RegionRef region, Time at) {
  check(OTF2_EvtWriter_Leave(writer_, nullptr, stamp(at), region));
}

void LocationWriter::begin_phase(std::uint32_t region, Time at) {
  const auto found = place_.process.regions.find(region);
  if (found == place_.process.regions.end()) {
    ++undefined_;
    return;
  }
  phases_.push_back(ids::phase_region(found->second));
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

std::optional<LocationWriter::Peer> LocationWriter::peer_of(const JournalRecord& record) {
  if (record.event->peer == kNoPeer) return std::nullopt;
  const View* view = view_of(record);
  if (view == nullptr) return std::nullopt;
  const auto rank = rank_of_peer(record, *view);
  if (!rank) return std::nullopt;
  return Peer{view->id, *rank};
}

std::optional<std::uint32_t> LocationWriter::rank_of_peer(const JournalRecord& record, const View& view) {
  const auto rank = place_.job.peer_rank(place_.process, view, record.event->peer);
  if (!rank) ++undefined_;
  return rank;
}

std::optional<LocationWriter::Window> LocationWriter::window_of(const JournalRecord& record) {
  const auto found = place_.process.windows.find(record.values.communicator);
  if (found == place_.process.windows.end()) {
    ++undefined_;
    return std::nullopt;
  }
  return Window{found->second, {place_.job.windows[found->second], false}};
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
  CollectiveCall call;
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
