#include "libhybrid/recording/one_sided_writer.h"

#include <algorithm>

#include "libhybrid/recording/trace_definitions.h"

namespace hybrid {

namespace ids = trace_ids;

namespace {

// True if the synchronisation completes earlier accesses of this rank.
bool completes_accesses(RmaSync sync) {
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

void OneSidedWriter::write_operation(const JournalRecord& record, Time at) {
  const Event& event = *record.event;
  if (event.peer == kNoPeer) return;
  const auto window = window_of(record);
  const auto target = window ? output_.rank_of_peer(record.event->peer, window->communicator) : std::nullopt;
  if (!target) return;
  const std::uint64_t id = ++last_id_;
  const std::uint64_t bytes = record.values.bytes;
  switch (event.kind) {
    case EventKind::put:
      output_.check(OTF2_EvtWriter_RmaPut(output_.writer(), nullptr, LocationOutput::stamp(at), window->id,
                                          *target, bytes, id));
      break;
    case EventKind::get:
      output_.check(OTF2_EvtWriter_RmaGet(output_.writer(), nullptr, LocationOutput::stamp(at), window->id,
                                          *target, bytes, id));
      break;
    default:
      output_.check(OTF2_EvtWriter_RmaAtomic(output_.writer(), nullptr, LocationOutput::stamp(at), window->id,
                                             *target, OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, bytes, 0, id));
  }
  epochs_[window->id][*target].push_back(id);
}

void OneSidedWriter::write_sync(const JournalRecord& record, Time begin, Time end) {
  const auto window = window_of(record);
  if (!window) return;
  const auto sync = static_cast<RmaSync>(record.event->op);
  // These have one target; the others concern all processes of the epoch.
  std::optional<std::uint32_t> target;
  if (sync == RmaSync::lock || sync == RmaSync::unlock || sync == RmaSync::flush) {
    target = record.event->peer == kNoPeer ? std::nullopt
                                           : output_.rank_of_peer(record.event->peer, window->communicator);
    if (!target) return;
  }
  const std::uint32_t remote = target.value_or(OTF2_UNDEFINED_UINT32);
  const OTF2_TimeStamp at = LocationOutput::stamp(end);
  const auto attribute = [&] {
    output_.check(OTF2_AttributeList_AddUint8(output_.attributes(), ids::rma_sync, record.event->op));
    return output_.attributes();
  };
  switch (sync) {
    case RmaSync::fence:
      output_.check(
          OTF2_EvtWriter_RmaCollectiveBegin(output_.writer(), nullptr, LocationOutput::stamp(begin)));
      output_.check(OTF2_EvtWriter_RmaCollectiveEnd(output_.writer(), attribute(), at,
                                                    OTF2_COLLECTIVE_OP_BARRIER,
                                                    OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY,
                                                    window->id, OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
      break;
    case RmaSync::post:
    case RmaSync::start:
      output_.check(OTF2_EvtWriter_RmaGroupSync(output_.writer(), attribute(), at, OTF2_RMA_SYNC_LEVEL_NONE,
                                                window->id, group_of_epoch(record, *window)));
      break;
    case RmaSync::complete:
    case RmaSync::wait:
      output_.check(OTF2_EvtWriter_RmaGroupSync(output_.writer(), attribute(), at, OTF2_RMA_SYNC_LEVEL_MEMORY,
                                                window->id, group_of_epoch(record, *window)));
      break;
    case RmaSync::create:
      output_.check(OTF2_EvtWriter_RmaWinCreate(output_.writer(), nullptr, at, window->id));
      break;
    case RmaSync::free:
      output_.check(
          OTF2_EvtWriter_RmaWinDestroy(output_.writer(), nullptr, LocationOutput::stamp(begin), window->id));
      break;
    case RmaSync::lock:
    case RmaSync::lock_all:
      output_.check(
          OTF2_EvtWriter_RmaAcquireLock(output_.writer(), attribute(), at, window->id, remote, 0,
                                        sync == RmaSync::lock ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
      break;
    case RmaSync::unlock:
    case RmaSync::unlock_all:
      output_.check(OTF2_EvtWriter_RmaReleaseLock(output_.writer(), attribute(), at, window->id, remote, 0));
      break;
    case RmaSync::flush:
    case RmaSync::flush_all:
      output_.check(OTF2_EvtWriter_RmaSync(output_.writer(), attribute(), at, window->id, remote,
                                           OTF2_RMA_SYNC_TYPE_MEMORY));
      break;
  }
  if (completes_accesses(sync)) complete_operations(*window, target, end);
}

OTF2_GroupRef OneSidedWriter::group_of_epoch(const JournalRecord& record, const Window& window) {
  const auto sync = static_cast<RmaSync>(record.event->op);
  auto& groups =
      sync == RmaSync::start || sync == RmaSync::complete ? output_.open().started : output_.open().posted;
  if (sync == RmaSync::start || sync == RmaSync::post) {
    std::vector<std::int32_t> members;
    for (const Event& extension : record.extensions)
      if (extension.op == static_cast<std::uint8_t>(Extension::member) && extension.peer >= 0 &&
          static_cast<std::uint32_t>(extension.peer) < output_.location().job.ranks)
        members.push_back(extension.peer);
    const auto defined = static_cast<std::uint32_t>(output_.location().job.groups.size());
    return groups[window.id] = ids::group(defined + output_.archive().group(members));
  }
  const auto begun = groups.find(window.id);
  if (begun != groups.end()) return begun->second;
  output_.count_undefined();  // the begin was lost with a full disk
  return OTF2_UNDEFINED_GROUP;
}

void OneSidedWriter::complete_operations(const Window& window, std::optional<std::uint32_t> target, Time at) {
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
    output_.check(OTF2_EvtWriter_RmaOpCompleteRemote(output_.writer(), nullptr, LocationOutput::stamp(at),
                                                     window.id, id));
}

std::optional<OneSidedWriter::Window> OneSidedWriter::window_of(const JournalRecord& record) {
  const auto found = output_.location().process.windows.find(record.values.communicator);
  if (found == output_.location().process.windows.end()) {
    output_.count_undefined();
    return std::nullopt;
  }
  return Window{found->second, {output_.location().job.windows[found->second], false}};
}

}  // namespace hybrid
