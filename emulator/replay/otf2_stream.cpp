#include "emulator/replay/otf2_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/network/longest_run.h"

namespace hybrid {
namespace {

bool is_neighbor(CollectiveOp op) { return op >= CollectiveOp::neighbor_allgather; }

}  // namespace

OperationQueue::Entry& OperationQueue::push() {
  if (tail_ - head_ == ring_.size()) {
    std::vector<Entry> larger(ring_.size() * 2);
    for (std::uint64_t n = head_; n != tail_; ++n) std::swap(larger[n & (larger.size() - 1)], at(n));
    ring_ = std::move(larger);
  }
  Entry& entry = at(tail_++);
  entry.open = entry.dropped = false;
  reset(entry.operation);
  return entry;
}

Otf2Stream::Otf2Stream(const Otf2Definitions& definitions, std::uint32_t location)
    : definitions_(definitions),
      rank_(definitions.locations[location].rank),
      main_(definitions.locations[location].main) {}

bool Otf2Stream::fail(std::uint64_t position, const std::string& what) {
  if (error_.empty()) error_ = fmt::format("event {}: {}", position, what);
  return false;
}

void Otf2Stream::add_start(OTF2_TimeStamp rank_start) {
  if (first_ <= rank_start) return;
  const Time late = definitions_.time_of(first_) - definitions_.time_of(rank_start);
  if (queue_.empty())
    add_compute(late);
  else if (queue_.front().operation.kind != Operation::Kind::finish)
    queue_.front().operation.compute += late;
}

void Otf2Stream::event(OTF2_TimeStamp tick) {
  if (events_++ == 0) first_ = mark_ = tick;
  last_ = std::max(last_, tick);
  if (definitions_.time_of(tick) == kLongestRun) fail(events_, "more than 26 days after the first event");
}

// Limited, so that the times of a damaged trace do not overflow. The emulation refuses a run that long.
void Otf2Stream::add_compute(Time time) {
  compute_ = std::min(compute_ + std::min(time, kLongestRun), kLongestRun);
}

void Otf2Stream::end_compute(OTF2_TimeStamp tick, const OTF2_AttributeList* attributes) {
  std::uint64_t nanoseconds_given = 0;
  if (read_attribute(attributes, definitions_.ours.compute, OTF2_AttributeList_GetUint64,
                     nanoseconds_given)) {
    constexpr std::uint64_t kMost = kLongestRun / nanoseconds(1);
    add_compute(nanoseconds(static_cast<std::int64_t>(std::min(nanoseconds_given, kMost))));
  } else if (tick > mark_) {
    const Time gap = definitions_.time_of(tick) - definitions_.time_of(mark_);
    const Time flushing = definitions_.time_of(mark_ + excluded_) - definitions_.time_of(mark_);
    add_compute(std::max(gap - flushing, Time{}));
  }
  mark_ = std::max(mark_, tick);
  excluded_ = 0;
}

Operation& Otf2Stream::add(Operation::Kind kind, OTF2_TimeStamp tick) {
  Operation& operation = queue_.push().operation;
  operation.kind = kind;
  operation.compute = compute_;
  operation.at = definitions_.time_of(depth_ > 0 ? call_ : tick);
  compute_ = {};
  return operation;
}

Operation& Otf2Stream::communicate(Operation::Kind kind, OTF2_TimeStamp tick, bool waits) {
  communicated_ = true;
  if (depth_ == 0) {
    if (waits)
      mark_ = std::max(mark_, tick);
    else
      end_compute(tick, nullptr);
  }
  Operation& operation = add(kind, tick);
  if (depth_ > 0 && call_site_ != 0) {
    operation.call = call_region_;
    operation.call_site = call_site_;
  }
  return operation;
}

void Otf2Stream::enter(OTF2_TimeStamp tick, std::uint32_t region, const OTF2_AttributeList* attributes,
                       std::uint32_t call_site) {
  const Otf2Definitions::Region& entered = definitions_.regions[region];
  if (entered.communication) {
    if (depth_ == 0) {
      end_compute(tick, attributes);
      call_ = tick;
      call_region_ = region;
      call_site_ = call_site != 0 || around_.empty() ? call_site : around_.back();
      OTF2_CallingContextRef context = OTF2_UNDEFINED_CALLING_CONTEXT;
      if (read_attribute(attributes, definitions_.ours.call_site, OTF2_AttributeList_GetCallingContextRef,
                         context))
        call_site_ = definitions_.call_site_of(context);
      ++region_calls_;
    }
    ++depth_;
    return;
  }
  const std::uint32_t around = around_.empty() ? 0 : around_.back();
  around_.push_back(entered.call_site != 0 ? entered.call_site : around);
  if (entered.phase) {
    if (depth_ == 0) end_compute(tick, attributes);
    add(Operation::Kind::phase_begin, tick).region = region;
  }
}

void Otf2Stream::leave(OTF2_TimeStamp tick, std::uint32_t region, const OTF2_AttributeList* attributes) {
  const Otf2Definitions::Region& left = definitions_.regions[region];
  if (left.communication) {
    if (depth_ == 1) {
      mark_ = std::max(mark_, tick);
      excluded_ = 0;
    }
    if (depth_ > 0) --depth_;
    return;
  }
  if (!around_.empty()) around_.pop_back();
  if (left.phase) {
    if (depth_ == 0) end_compute(tick, attributes);
    add(Operation::Kind::phase_end, tick).region = region;
  }
}

bool Otf2Stream::communicator(OTF2_CommRef ref, std::uint64_t position, std::uint32_t& index) {
  const auto found = definitions_.communicator_of.find(ref);
  if (found == definitions_.communicator_of.end())
    return fail(position, fmt::format("communicator {} is not defined", ref));
  index = found->second;
  return true;
}

bool Otf2Stream::window(OTF2_RmaWinRef ref, std::uint64_t position, std::uint32_t& index) {
  const auto found = definitions_.communicator_of_window.find(ref);
  if (found == definitions_.communicator_of_window.end())
    return fail(position, fmt::format("window {} is not defined", ref));
  index = found->second;
  return true;
}

const std::vector<std::uint32_t>& Otf2Stream::peers(std::uint32_t communicator) {
  const CommunicatorInfo& info = definitions_.communicators[communicator];
  if (info.remote.empty()) return info.members;
  auto known = in_remote_.find(communicator);
  if (known == in_remote_.end())
    known = in_remote_
                .emplace(communicator,
                         std::find(info.remote.begin(), info.remote.end(), rank_) != info.remote.end())
                .first;
  return known->second ? info.members : info.remote;
}

bool Otf2Stream::peer(std::uint32_t communicator, std::uint32_t local, std::uint64_t position,
                      std::uint32_t& world) {
  const std::vector<std::uint32_t>& group = peers(communicator);
  if (group.empty() && local == 0) {
    world = rank_;
    return true;
  }
  if (local >= group.size())
    return fail(position, fmt::format("rank {} of a communicator of {}", local, group.size()));
  world = group[local];
  return true;
}

void Otf2Stream::add_post(std::uint64_t request) {
  const auto [earlier, fresh] = posts_.try_emplace(request);
  if (!fresh && queue_.holds(earlier->second)) queue_.at(earlier->second).open = false;
  earlier->second = queue_.tail() - 1;
  queue_.at(earlier->second).open = true;
}

void Otf2Stream::end_post(std::uint64_t request, const Operation* match) {
  const auto found = posts_.find(request);
  if (found == posts_.end()) return;
  if (queue_.holds(found->second)) {
    OperationQueue::Entry& entry = queue_.at(found->second);
    // One that was handed out without a match (take()) is matched where it completes.
    if (entry.open && match != nullptr) {
      entry.operation.peer = match->peer;
      entry.operation.tag = match->tag;
      entry.operation.communicator = match->communicator;
      entry.operation.completed = match->completed;
      entry.operation.matched = true;
    }
    entry.open = false;
  }
  posts_.erase(found);
}

bool Otf2Stream::ready() const {
  if (queue_.empty()) return false;
  const OperationQueue::Entry& first = queue_.front();
  const bool late = !unmatched_.empty() || queue_.size() > kLookAhead;
  return !first.open || (late && first.operation.kind == Operation::Kind::recv_post);
}

void Otf2Stream::take(Operation& operation) {
  OperationQueue::Entry& first = queue_.front();
  const std::uint64_t request = first.operation.request;
  switch (first.operation.kind) {
    case Operation::Kind::recv_post:
      first.operation.matched &= unmatched_.empty();
      if (!first.operation.matched) unmatched_.insert(request);
      break;
    case Operation::Kind::recv_complete:
    case Operation::Kind::cancelled:
      unmatched_.erase(request);
      break;
    default:
      break;
  }
  std::swap(operation, first.operation);
  queue_.pop();
}

void Otf2Stream::add_count(bool sent, std::uint32_t peer, Bytes bytes) {
  (sent ? counts_sent_ : counts_received_).push_back({peer, bytes});
}

bool Otf2Stream::attach_counts(Operation& operation, std::uint64_t position) {
  const auto attach = [&](std::vector<Count>& counts, std::vector<Bytes>& to,
                          std::vector<std::uint32_t>& neighbors) {
    if (counts.empty()) return true;
    const std::size_t members = std::max<std::size_t>(1, peers(operation.communicator).size());
    if (!is_neighbor(operation.collective)) to.assign(members, 0);
    for (const Count& c : counts) {
      if (c.peer >= members) return fail(position, fmt::format("a count for rank {} of {}", c.peer, members));
      if (is_neighbor(operation.collective)) {
        std::uint32_t world = 0;
        if (!peer(operation.communicator, c.peer, position, world)) return false;
        neighbors.push_back(world);
        to.push_back(c.bytes);
      } else {
        to[c.peer] = c.bytes;
      }
    }
    counts.clear();
    return true;
  };
  return attach(counts_sent_, operation.counts_sent, operation.neighbors_out) &&
         attach(counts_received_, operation.counts_received, operation.neighbors_in);
}

bool Otf2Stream::describe(Operation& operation, OTF2_CollectiveOp op, std::uint32_t communicator,
                          std::uint32_t root, Bytes sent, Bytes received,
                          const OTF2_AttributeList* attributes, std::uint64_t position) {
  operation.communicator = communicator;
  const Otf2Definitions::Ours& ours = definitions_.ours;
  std::uint8_t number = 0;
  if (read_attribute(attributes, ours.collective, OTF2_AttributeList_GetUint8, number)) {
    if (number > static_cast<std::uint8_t>(CollectiveOp::neighbor_alltoallw))
      return fail(position, fmt::format("no collective has the number {}", number));
    operation.collective = static_cast<CollectiveOp>(number);
  } else if (!collective_of_otf2(op, operation.collective)) {
    return fail(position, fmt::format("collective operation {} moves no data", op));
  }
  if (std::int32_t call = 0; read_attribute(attributes, ours.number, OTF2_AttributeList_GetInt32, call)) {
    operation.persistent = call < 0;
    operation.number = static_cast<std::uint32_t>(call < 0 ? -1 - call : call);
  }
  const CommunicatorInfo& info = definitions_.communicators[communicator];
  if (root == OTF2_COLLECTIVE_ROOT_SELF)
    operation.peer = rank_;
  else if (root == OTF2_COLLECTIVE_ROOT_NONE || root == OTF2_COLLECTIVE_ROOT_THIS_GROUP)
    operation.peer = kNoRoot;
  else if (!peer(communicator, root, position, operation.peer))
    return false;

  if (!attach_counts(operation, position)) return false;
  if (read_attribute(attributes, ours.bytes, OTF2_AttributeList_GetUint64, operation.bytes)) return true;
  const auto members = static_cast<std::uint32_t>(std::max<std::size_t>(1, peers(communicator).size()));
  const auto self = std::find(info.members.begin(), info.members.end(), rank_);
  const auto local = self == info.members.end() ? 0 : static_cast<std::uint32_t>(self - info.members.begin());
  operation.bytes = collective_bytes(operation.collective, definitions_.score_p, operation.peer == rank_,
                                     local, members, sent, received);
  // If every rank needs all sizes and the trace does not have them: equal parts.
  const auto equal_parts = [members](Bytes total) { return std::vector<Bytes>(members, total / members); };
  if (operation.collective == CollectiveOp::allgatherv && operation.counts_received.empty())
    operation.counts_received = equal_parts(received);
  if (operation.collective == CollectiveOp::reduce_scatter && operation.counts_received.empty())
    operation.counts_received = equal_parts(sent);
  if (operation.collective == CollectiveOp::scatterv && operation.peer == rank_ &&
      operation.counts_sent.empty())
    operation.counts_sent = equal_parts(sent);
  return true;
}

bool Otf2Stream::synchronise(OTF2_RmaWinRef ref, std::uint32_t remote, RmaSync sync, OTF2_TimeStamp tick,
                             std::uint64_t position, const OTF2_AttributeList* attributes,
                             OTF2_GroupRef group) {
  std::uint32_t index = 0;
  if (!window(ref, position, index)) return false;
  std::uint8_t number = 0;
  const bool known =
      read_attribute(attributes, definitions_.ours.rma_sync, OTF2_AttributeList_GetUint8, number);
  if (known) {
    if (number > static_cast<std::uint8_t>(RmaSync::flush_all))
      return fail(position, fmt::format("no one-sided synchronisation has the number {}", number));
    sync = static_cast<RmaSync>(number);
  }
  synchronised_call_ = region_calls_;
  std::uint32_t world = rank_;
  if (remote != OTF2_UNDEFINED_UINT32 && !peer(index, remote, position, world)) return false;
  Operation& operation = communicate(Operation::Kind::rma_sync, tick, true);
  operation.communicator = index;
  operation.window = ref;
  operation.sync = sync;
  operation.peer = world;
  // Without the attribute it is unknown which end of which epoch the event is.
  if (const auto members = definitions_.groups.find(group); known && members != definitions_.groups.end())
    operation.group.assign(members->second.begin(), members->second.end());
  return true;
}

void Otf2Stream::end() {
  for (const auto& [request, number] : open_) queue_.at(number).dropped = true;
  open_.clear();
  for (const auto& [request, number] : posts_)
    if (queue_.holds(number)) queue_.at(number).open = false;
  posts_.clear();
  if (depth_ == 0) end_compute(last_, nullptr);
  if (!communicated_ && !main_) compute_ = {};
  add(Operation::Kind::finish, last_);
}

}  // namespace hybrid
