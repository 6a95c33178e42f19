#include "emulator/replay/job_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "emulator/network/timeline.h"
#include "emulator/replay/trace_names.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;

constexpr std::uint64_t kProgressEvery = 1u << 10;

/// `time` for a message: three digits, rounded down.
Time rough(Time time) {
  std::int64_t unit = 1;
  while (time.ps / unit >= 1000) unit *= 10;
  return picoseconds(time.ps / unit * unit);
}

bool is_incomplete(const JobTrace& trace) {
  const std::string lost = trace.property(trace_names::kLostEvents);
  return trace.property(trace_names::kComplete) == "no" || (!lost.empty() && lost != "0");
}

ChannelKey sent_by(const JobLocation& location) {
  const Operation& op = location.operation;
  return {location.rank, op.peer, ChannelKey::point_to_point(op.communicator, op.tag)};
}

ChannelKey received_by(const JobLocation& location) {
  const Operation& op = location.operation;
  return {op.peer, location.rank, ChannelKey::point_to_point(op.communicator, op.tag)};
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

std::vector<std::uint32_t> placement_of(const JobTrace& trace, const ReplayOptions& options) {
  const std::uint32_t ranks = trace.ranks();
  std::vector<std::uint32_t> placement = options.placement.empty() ? trace.placement() : options.placement;
  if (placement.empty())
    for (std::uint32_t r = 0; r < ranks; ++r) placement.push_back(r);
  if (placement.size() != ranks)
    throw UserError(fmt::format("the placement is of {} ranks, the job has {}", placement.size(), ranks),
                    "Give one port for each rank, or leave the placement to the trace.");
  return placement;
}

JobDriver::JobDriver(JobTrace& trace, Technique& technique, std::vector<std::uint32_t> placement,
                     const ReplayOptions& options, CollectivePlane* plane)
    : trace_(trace),
      technique_(technique),
      placement_(std::move(placement)),
      options_(options),
      observes_ranks_(options.timeline != nullptr && options.timeline->needs_words()),
      phases_(trace, options, technique, placement_, events_),
      messages_(technique, placement_, options, events_, phases_.account()),
      point_to_point_(messages_, events_),
      collectives_(trace, options, point_to_point_, messages_, events_, plane),
      one_sided_(trace.ranks(), messages_, point_to_point_, collectives_, events_),
      locations_(trace.locations().size()),
      ranks_(trace.ranks()),
      unfinished_(locations_.size()) {
  for (std::uint32_t i = 0; i < locations_.size(); ++i) {
    locations_[i].rank = trace.locations()[i].rank;
    ++ranks_[locations_[i].rank].running;
  }
}

void JobDriver::run() {
  phases_.preload_fixed();
  for (std::uint32_t i = 0; i < locations_.size(); ++i) events_.wake(LocationHandle{i});
  for (std::uint64_t step = 1;; ++step) {
    if (step % kProgressEvery == 0 && options_.progress) options_.progress(operations_);
    events_.resume_woken([this](const Waiter& waiter) { resume(waiter); });
    const Time act = events_.next();
    const Time network = technique_.next_event();
    if (act == Time::never() && network == Time::never()) {
      if (unfinished_ == 0) return messages_.check_all_delivered();
      resolve_stall();
    } else if (std::min(act, network) > options_.limit) {
      throw UnfinishedReplay(UnfinishedReplay::Fault::technique,
                             fmt::format("the job takes longer than {}", to_string(rough(options_.limit))));
    } else if (act <= network) {
      // Before the network reaches this instant, so that it sees what is sent now.
      perform(events_.take_next());
    } else {
      messages_.advance_network(act == Time::never() ? network : act - picoseconds(1),
                                [this](const JobMessages::Progress& progress) { apply(progress); });
    }
  }
}

void JobDriver::perform(const JobEvents::Action& action) {
  std::visit(Overloaded{[this](JobEvents::ComputeEnds ends) { step(ends.location); },
                        [this](JobEvents::LocalInjection local) { apply({local.message, false, false}); },
                        [this](JobEvents::LocalDelivery local) { apply({local.message, true, false}); },
                        [this](JobEvents::FabricCompletion fabric) { collectives_.end(fabric.part); }},
             action);
}

void JobDriver::apply(const JobMessages::Progress& progress) {
  messages_.apply(progress);
  if (progress.delivered) {
    one_sided_.deliver(progress.message);
    messages_.settle(progress.message);
  }
}

void JobDriver::resume(const Waiter& waiter) {
  if (const CollectiveHandle* part = std::get_if<CollectiveHandle>(&waiter))
    return collectives_.message_done(*part);
  const LocationHandle handle = std::get<LocationHandle>(waiter);
  JobLocation& location = locations_[handle.index];
  if (observes_ranks_ && events_.now() > location.now)
    options_.timeline->in_rank(location.rank, handle.index, location.now, events_.now(),
                               wait_name(location.operation));
  if (location.operation.call_site != 0 && events_.now() > location.now)
    count_wait(location.operation, events_.now() - location.now);
  location.now = std::max(location.now, events_.now());
  // A synchronisation may wait for more: a fence for its barrier, a start or wait for further notices.
  if (location.operation.kind == Kind::rma_sync && !one_sided_.synchronise(caller(handle), location)) return;
  if (fetch(handle)) step(handle);
}

void JobDriver::count_wait(const Operation& operation, Time wait) {
  if (operation.call_site >= call_waits_.size()) call_waits_.resize(operation.call_site + 1);
  std::vector<CallWait>& waits = call_waits_[operation.call_site];
  auto entry = std::ranges::find(waits, operation.call, &CallWait::call);
  if (entry == waits.end()) entry = waits.insert(waits.end(), {operation.call, 0});
  entry->wait += static_cast<Sum>(wait.ps);
}

bool JobDriver::fetch(LocationHandle handle) {
  JobLocation& location = locations_[handle.index];
  if (!trace_.next(handle.index, location.operation)) {
    location.operation.kind = Kind::finish;
    location.operation.compute = {};
  }
  ++location.operations;
  ++operations_;
  location.in_barrier = false;
  location.notices = 0;
  const Time begin = location.now;
  location.now = later_in_run(location.now, location.operation.compute);
  if (observes_ranks_ && location.now > begin)
    options_.timeline->in_rank(location.rank, handle.index, begin, location.now, "computes");
  location.compute += location.operation.compute;
  if (location.operation.compute > Time{}) {
    events_.schedule(location.now, JobEvents::ComputeEnds{handle});
    return false;
  }
  return true;
}

void JobDriver::step(LocationHandle handle) {
  do {
    if (locations_[handle.index].operation.kind == Kind::finish) return finish(handle);
    if (!execute(handle)) return;
  } while (fetch(handle));
}

void JobDriver::finish(LocationHandle handle) {
  const std::uint32_t index = handle.index;
  JobLocation& location = locations_[index];
  location.finished = true;
  phases_.finish(handle, location);
  --unfinished_;
  Rank& rank = ranks_[location.rank];
  --rank.running;
  rank.end = std::max(rank.end, location.now);
  // A rank's compute time is that of its main thread, its first location.
  if (index == 0 || locations_[index - 1].rank != location.rank) rank.compute = location.compute;
}

bool JobDriver::execute(LocationHandle handle) {
  JobLocation& location = locations_[handle.index];
  phases_.follow_schedule(handle, location);
  const Operation& op = location.operation;
  const std::uint32_t phase = phases_.measured_phase(handle);
  switch (op.kind) {
    case Kind::send: {
      const bool returns = op.mode == SendMode::buffered;
      point_to_point_.send(phase, sent_by(location), op.bytes, prediction_context(op), op.mode,
                           returns ? Waiter{} : Waiter{handle});
      return returns;
    }
    case Kind::send_start:
      open_request(location, point_to_point_.start_send(phase, sent_by(location), op.bytes,
                                                        prediction_context(op), op.mode));
      return true;
    case Kind::send_complete: {
      const auto send = close_request<MessageHandle>(location);
      return !send || point_to_point_.complete_send(*send, handle);
    }
    case Kind::recv:
      return point_to_point_.receive(received_by(location), handle, op.order);
    case Kind::recv_post:
      if (op.matched) open_request(location, point_to_point_.post(received_by(location), op.order));
      return true;
    case Kind::recv_complete: {
      // A receive whose match was not known when it was posted has no request: it comes after the others.
      const auto posted = close_request<ReceiveHandle>(location);
      return posted ? point_to_point_.complete_receive(*posted, handle)
                    : point_to_point_.receive(received_by(location), handle, op.order);
    }
    case Kind::cancelled:
      if (const auto send = close_request<MessageHandle>(location)) point_to_point_.cancel(*send);
      return true;
    case Kind::collective:
      return collectives_.wait(collectives_.begin(caller(handle), op), handle);
    case Kind::collective_start:
      open_request(location, collectives_.begin(caller(handle), op));
      return true;
    case Kind::collective_complete: {
      const auto part = close_request<CollectiveHandle>(location);
      return !part || collectives_.wait(*part, handle);
    }
    case Kind::put:
    case Kind::get:
    case Kind::accumulate:
      one_sided_.access(caller(handle), op);
      return true;
    case Kind::rma_sync:
      return one_sided_.synchronise(caller(handle), location);
    case Kind::phase_begin:
      phases_.begin(handle, location);
      return true;
    case Kind::phase_end:
      phases_.end(handle, location);
      return true;
    case Kind::flush:
      phases_.flush(location);
      return true;
    case Kind::hint:  // read before the emulation (emulator/replay/phase_hints.h)
    case Kind::finish:
      return true;
  }
  return true;
}

/// A request that the job never completed is abandoned when its number is used again.
void JobDriver::open_request(const JobLocation& location, const Request& request) {
  const auto [found, fresh] = ranks_[location.rank].requests.try_emplace(location.operation.request, request);
  if (fresh) return;
  std::visit(Overloaded{[this](MessageHandle send) { point_to_point_.abandon(send); },
                        [this](ReceiveHandle receive) { point_to_point_.abandon(receive); },
                        [this](CollectiveHandle part) { collectives_.abandon(part); }},
             found->second);
  found->second = request;
}

template <class Handle>
std::optional<Handle> JobDriver::close_request(const JobLocation& location) {
  auto& requests = ranks_[location.rank].requests;
  const auto found = requests.find(location.operation.request);
  if (found == requests.end() || !std::holds_alternative<Handle>(found->second)) return std::nullopt;
  const Handle handle = std::get<Handle>(found->second);
  requests.erase(found);
  return handle;
}

void JobDriver::resolve_stall() {
  if (is_incomplete(trace_) && messages_.in_flight() == 0) {
    std::uint64_t dropped =
        point_to_point_.drop_receives([this](std::uint32_t rank) { return ranks_[rank].running == 0; });
    if (dropped == 0) dropped = collectives_.fabric().drop_waiting();
    dropped_receives_ += dropped;
    if (dropped != 0) return;
  }
  const std::string stall = describe_stall(locations_);
  if (messages_.in_flight() != 0)
    throw UnfinishedReplay(
        UnfinishedReplay::Fault::technique,
        fmt::format("the technique does nothing more, with {} of {} messages not delivered; {}",
                    messages_.in_flight(), messages_.sent(), stall),
        "This is a fault of libhybrid: please report it with the trace.");
  throw UnfinishedReplay(UnfinishedReplay::Fault::trace, stall,
                         "The trace lacks what should have been sent, or is not of one job.");
}

void JobDriver::report(ReplayResult& result) const {
  Measures& measures = result.measures;
  messages_.report(measures);
  collectives_.fabric().report(measures);
  Sum computing = 0, communicating = 0;
  for (const Rank& rank : ranks_) {
    measures.time = std::max(measures.time, rank.end);
    computing += static_cast<Sum>(rank.compute.ps);
    communicating += static_cast<Sum>((rank.end - rank.compute).ps);
  }
  if (const auto ranks = static_cast<Sum>(ranks_.size()); ranks != 0) {
    measures.compute_time = {static_cast<std::int64_t>(computing / ranks)};
    measures.communication_time = {static_cast<std::int64_t>(communicating / ranks)};
  }
  std::map<SourceCall, Sum> waits;  // several sites may be at one place
  for (std::uint32_t site = 1; site < call_waits_.size(); ++site)
    for (const CallWait& entry : call_waits_[site])
      waits[source_call(trace_, entry.call, site)] += entry.wait;
  for (const auto& [call, wait] : waits)
    result.call_waits[call] = {static_cast<std::int64_t>(wait / static_cast<Sum>(ranks_.size()))};
  phases_.report(measures, measures.time);
  if (dropped_receives_ != 0)
    result.warnings.push_back(fmt::format(
        "the recording is incomplete: {} dropped whose messages it does not show",
        dropped_receives_ == 1 ? "1 receive was" : std::to_string(dropped_receives_) + " receives were"));
}

}  // namespace hybrid
