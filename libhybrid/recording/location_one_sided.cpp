// One-sided operations and synchronisations of a location.
#include <algorithm>

#include "libhybrid/recording/location_writer.h"
#include "libhybrid/recording/trace_ids.h"

namespace hybrid {

namespace ids = trace_ids;

namespace {

/// Whether this rank's accesses have arrived afterwards.
bool ends_accesses(RmaSync sync) {
  switch (sync) {
    case RmaSync::fence:
    case RmaSync::complete:
    case RmaSync::unlock:
    case RmaSync::unlock_all:
    case RmaSync::flush:
    case RmaSync::flush_all:
      return true;
    default:
      return false;
  }
}

}  // namespace

void LocationWriter::write_one_sided(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  if (event.peer == kNoPeer) return;
  const auto window = window_of(record);
  const auto target = window ? rank_of_peer(record.event->peer, window->communicator) : std::nullopt;
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
    target =
        record.event->peer == kNoPeer ? std::nullopt : rank_of_peer(record.event->peer, window->communicator);
    if (!target) return;
  }
  const std::uint32_t remote = target.value_or(OTF2_UNDEFINED_UINT32);
  const OTF2_TimeStamp at = stamp(end);
  const auto attribute = [&] {
    check(OTF2_AttributeList_AddUint8(attributes_, ids::rma_sync, record.event->op));
    return attributes_;
  };
  switch (sync) {
    case RmaSync::fence:
      check(OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, stamp(begin)));
      check(OTF2_EvtWriter_RmaCollectiveEnd(writer_, attribute(), at, OTF2_COLLECTIVE_OP_BARRIER,
                                            OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                                            window->id, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
      break;
    case RmaSync::post:
    case RmaSync::start:
      check(OTF2_EvtWriter_RmaGroupSync(writer_, attribute(), at, OTF2_RMA_SYNC_LEVEL_NONE, window->id,
                                        epoch_group(record, *window)));
      break;
    case RmaSync::complete:
    case RmaSync::wait:
      check(OTF2_EvtWriter_RmaGroupSync(writer_, attribute(), at, OTF2_RMA_SYNC_LEVEL_MEMORY, window->id,
                                        epoch_group(record, *window)));
      break;
    case RmaSync::create:
      check(OTF2_EvtWriter_RmaWinCreate(writer_, nullptr, at, window->id));
      break;
    case RmaSync::free:
      check(OTF2_EvtWriter_RmaWinDestroy(writer_, nullptr, stamp(begin), window->id));
      break;
    case RmaSync::lock:
    case RmaSync::lock_all:
      check(OTF2_EvtWriter_RmaAcquireLock(writer_, attribute(), at, window->id, remote, 0,
                                          sync == RmaSync::lock ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
      break;
    case RmaSync::unlock:
    case RmaSync::unlock_all:
      check(OTF2_EvtWriter_RmaReleaseLock(writer_, attribute(), at, window->id, remote, 0));
      break;
    case RmaSync::flush:
    case RmaSync::flush_all:
      check(OTF2_EvtWriter_RmaSync(writer_, attribute(), at, window->id, remote, OTF2_RMA_SYNC_TYPE_MEMORY));
      break;
  }
  if (ends_accesses(sync)) complete_one_sided(*window, target, end);
}

OTF2_GroupRef LocationWriter::epoch_group(const JournalRecord& record, const Window& window) {
  const auto sync = static_cast<RmaSync>(record.event->op);
  auto& groups = sync == RmaSync::start || sync == RmaSync::complete ? open_.started : open_.posted;
  if (sync == RmaSync::start || sync == RmaSync::post) {
    std::vector<std::int32_t> members;
    for (const Event& extension : record.extensions)
      if (extension.op == static_cast<std::uint8_t>(Extension::member) && extension.peer >= 0 &&
          static_cast<std::uint32_t>(extension.peer) < place_.job.ranks)
        members.push_back(extension.peer);
    const auto defined = static_cast<std::uint32_t>(place_.job.groups.size());
    return groups[window.id] = ids::group(defined + archive_.group(members));
  }
  const auto begun = groups.find(window.id);
  if (begun != groups.end()) return begun->second;
  ++undefined_;  // its begin was lost with a full disk
  return OTF2_UNDEFINED_GROUP;
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

std::optional<LocationWriter::Window> LocationWriter::window_of(const JournalRecord& record) {
  const auto found = place_.process.windows.find(record.values.communicator);
  if (found == place_.process.windows.end()) {
    ++undefined_;
    return std::nullopt;
  }
  return Window{found->second, {place_.job.windows[found->second], false}};
}

}  // namespace hybrid
