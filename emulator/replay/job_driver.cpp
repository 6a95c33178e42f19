#include "emulator/replay/job_driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "emulator/network/longest_run.h"
#include "emulator/replay/call_site.h"
#include "emulator/replay/trace_names.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;

constexpr std::uint64_t kProgressEvery = 1u << 16;

bool is_incomplete(const JobTrace& trace) {
  const std::string lost = trace.property(trace_names::kLostEvents);
  return trace.property(trace_names::kComplete) == "no" || (!lost.empty() && lost != "0");
}

/// What is known of the phases, by their names.
WorkingSetStore store_of(const PhasePreloads& preloads) {
  std::size_t slots = 0, ports = 0;
  for (const auto& [name, set] : preloads) {
    slots = std::max(slots, set.size());
    for (const Configuration& configuration : set) ports = configuration.ports();
  }
  WorkingSetStore store(static_cast<std::uint32_t>(ports), static_cast<std::uint32_t>(slots));
  for (const auto& [name, set] : preloads) store.store(name, set);
  return store;
}

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
      plane_(plane),
      placement_(std::move(placement)),
      options_(options),
      incomplete_(is_incomplete(trace)),
      algorithms_(options.algorithms),
      communicators_(trace),
      locations_(trace.locations().size()),
      ranks_(trace.ranks()),
      working_sets_(store_of(options.preloads)),
      unfinished_(locations_.size()) {
  for (const std::string& name : options.phases.names) account_.add(name);
  if (options.phases.occurrences.empty())
    account_.add(std::string(kOutsidePhases));
  else
    for (Location& location : locations_) location.phase = options.phases.occurrences.front().phase;
  for (std::uint32_t i = 0; i < locations_.size(); ++i) {
    locations_[i].rank = trace.locations()[i].rank;
    ++ranks_[locations_[i].rank].running;
  }
}

void JobDriver::run() {
  preload_fixed();
  for (std::uint32_t i = 0; i < locations_.size(); ++i) ready_.push_back(i);
  for (;;) {
    drain_ready();
    const Time act = events_.empty() ? Time::never() : events_.top().at;
    const Time network = technique_.next_event();
    if (act == Time::never() && network == Time::never()) {
      if (unfinished_ == 0) return in_flight_.check_all_delivered(technique_.statistics());
      resolve_stall();
    } else if (act <= network) {
      // Before the network reaches this instant, so that it sees what is sent at it.
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      if (event.kind == Event::Kind::step)
        step(event.index);
      else if (event.kind == Event::Kind::fabric)
        end_run(event.index);
      else
        process(event.at, {event.index, event.kind == Event::Kind::delivered, false});
    } else {
      now_ = technique_.advance(act == Time::never() ? network : act - picoseconds(1), *this);
      for (const Record& record : records_) process(now_, record);
      records_.clear();
    }
  }
}

void JobDriver::injected(Time /*at*/, const Message& message) {
  records_.push_back({in_flight_.injected(message), false, false});
}
void JobDriver::delivered(Time /*at*/, const Message& message, bool hit) {
  records_.push_back({in_flight_.delivered(message), true, hit});
}

void JobDriver::schedule(Time at, Event::Kind kind, std::uint32_t index) {
  events_.push({within_run(at), order_++, index, kind});
}

void JobDriver::process(Time at, const Record& record) {
  Transit& transit = transits_[record.transit];
  if (!record.delivery) {
    transit.injected = true;
    if (transit.mode != SendMode::synchronous) wake(std::exchange(transit.injection_waiter, kNobody));
  } else {
    transit.delivered = true;
    if (placement_[transit.key.source] != placement_[transit.key.destination]) {
      latency_.add(at - transit.sent);
      account_.latency(transit.phase, at - transit.sent);
      hits_ += record.hit ? 1 : 0;
      if (record.hit) account_.hit(transit.phase);
    }
    if (const std::uint32_t waiter = std::exchange(transit.delivery_waiter, kNobody); waiter != kNobody) {
      wake(waiter);
      if (transit.use == Transit::Use::matched) release(record.transit);  // by its receive
    }
    if (transit.mode == SendMode::synchronous) wake(std::exchange(transit.injection_waiter, kNobody));
    const ChannelKey key = transit.key;
    const Bytes bytes = transit.bytes;
    const std::uint32_t window = transit.window, phase = transit.phase;
    if (transit.use == Transit::Use::access) {
      end_access(static_cast<std::uint32_t>(key.context), window);
    } else if (transit.use == Transit::Use::get) {
      const std::uint32_t reply =
          transmit(phase, key.destination, key.source, bytes, kNoCallSite, Transit::Use::access);
      transits_[reply].window = window;
      transits_[reply].key.context = key.source;
    }
  }
  if (transits_[record.transit].injected && transits_[record.transit].delivered) release(record.transit);
}

void JobDriver::wake(std::uint32_t waiter) {
  if (waiter == kNobody) return;
  if ((waiter & kRunBit) == 0) {
    ready_.push_back(waiter);
    return;
  }
  Run& run = runs_[waiter & ~kRunBit];
  if (--run.outstanding == 0) ready_.push_back(waiter);
}

void JobDriver::drain_ready() {
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    const std::uint32_t waiter = ready_[i];
    if ((waiter & kRunBit) != 0) {
      advance_run(waiter & ~kRunBit);
      continue;
    }
    Location& location = locations_[waiter];
    location.now = std::max(location.now, now_);
    // One of what it waits for has come: a fence's accesses, with its barrier still ahead; a notice of
    // several.
    if (location.operation.kind == Kind::rma_sync && !synchronise(waiter)) continue;
    if (fetch(location, waiter)) step(waiter);
  }
  ready_.clear();
}

/// Takes the next operation; false when it is to be performed later, after computing, or there is none.
bool JobDriver::fetch(Location& location, std::uint32_t index) {
  if (!trace_.next(index, location.operation)) {
    location.operation.kind = Kind::finish;
    location.operation.compute = {};
  }
  ++location.operations;
  if (++operations_ % kProgressEvery == 0 && options_.progress) options_.progress(operations_);
  location.fenced = false;
  location.heard = 0;
  location.now = later_in_run(location.now, location.operation.compute);
  location.compute += location.operation.compute;
  if (location.operation.compute > Time{}) {
    schedule(location.now, Event::Kind::step, index);
    return false;
  }
  return true;
}

void JobDriver::step(std::uint32_t index) {
  Location& location = locations_[index];
  do {
    if (location.operation.kind == Kind::finish) return finish(index);
    if (!execute(index)) return;
  } while (fetch(location, index));
}

void JobDriver::finish(std::uint32_t index) {
  Location& location = locations_[index];
  location.finished = true;
  while (!location.phases.empty()) end_phase(location);
  --unfinished_;
  Rank& rank = ranks_[location.rank];
  --rank.running;
  rank.end = std::max(rank.end, location.now);
  if (index == 0 || locations_[index - 1].rank != location.rank) rank.compute = location.compute;
}

bool JobDriver::execute(std::uint32_t index) {
  Location& location = locations_[index];
  follow_schedule(location);
  Operation& op = location.operation;
  switch (op.kind) {
    case Kind::send: {
      const ChannelKey key{location.rank, op.peer, ChannelKey::point_to_point(op.communicator, op.tag)};
      const bool returns = op.mode == SendMode::buffered;
      send_matched(location.phase, key, op.bytes, call_site(op), op.mode, returns ? kNobody : index);
      return returns;
    }
    case Kind::send_start: {
      const ChannelKey key{location.rank, op.peer, ChannelKey::point_to_point(op.communicator, op.tag)};
      const std::uint32_t transit =
          send_matched(location.phase, key, op.bytes, call_site(op), op.mode, kNobody);
      ++transits_[transit].references;
      remember(location, {Request::Of::send, transit});
      return true;
    }
    case Kind::send_complete:
      return complete_send(location, index);
    case Kind::recv:
      return receive(received_by(location), index);
    case Kind::recv_complete:
      return complete_receive(index);
    case Kind::cancelled:
      cancel(location);
      return true;
    case Kind::collective:
      return wait_for_run(begin_collective(index, op), index);
    case Kind::collective_start: {
      const std::uint32_t run = begin_collective(index, op);
      remember(location, {Request::Of::collective, run});
      return true;
    }
    case Kind::collective_complete: {
      auto& requests = ranks_[location.rank].requests;
      const auto found = requests.find(op.request);
      if (found == requests.end() || found->second.of != Request::Of::collective) return true;
      const std::uint32_t run = found->second.handle;
      requests.erase(found);
      return wait_for_run(run, index);
    }
    case Kind::put:
    case Kind::get:
    case Kind::accumulate:
      begin_access(index);
      return true;
    case Kind::rma_sync:
      return synchronise(index);
    case Kind::phase_begin:
      begin_phase(location);
      return true;
    case Kind::phase_end:
      end_phase(location);
      return true;
    case Kind::flush:
      technique_.flush(now_, placement_[location.rank]);
      working_sets_.flushed();  // of this port's nothing is left
      preload_fixed();
      return true;
    case Kind::recv_post:
      if (op.matched) post(location);
      return true;
    case Kind::hint:  // of the phase as a whole: gathered before the emulation (phase_hints.h)
    case Kind::finish:
      return true;
  }
  return true;
}

std::uint32_t JobDriver::transmit(std::uint32_t phase, std::uint32_t source, std::uint32_t destination,
                                  Bytes bytes, std::uint64_t site, Transit::Use use) {
  std::uint32_t index = 0;
  if (free_transits_.empty()) {
    index = static_cast<std::uint32_t>(transits_.size());
    transits_.emplace_back();
  } else {
    index = free_transits_.back();
    free_transits_.pop_back();
  }
  Transit& transit = transits_[index];
  transit = {};
  transit.key = {source, destination, 0};
  transit.bytes = bytes;
  transit.phase = phase;
  transit.sent = now_;
  transit.references = 1;
  transit.use = use;
  const Bytes travelling = use == Transit::Use::get ? 0 : bytes;
  const Port from = placement_[source], to = placement_[destination];
  if (from == to) {
    const Time left = later_in_run(now_, time_on_link(travelling, options_.local_rate));
    schedule(left, Event::Kind::injected, index);
    schedule(left + options_.local_latency, Event::Kind::delivered, index);
    count_local(travelling);
    return index;
  }
  count_message(phase, {from, to}, travelling);
  Message message = in_flight_.add({from, to}, travelling, index);
  message.site = site;
  technique_.send(now_, message);
  return index;
}

std::uint32_t JobDriver::send_matched(std::uint32_t phase, const ChannelKey& key, Bytes bytes,
                                      std::uint64_t site, SendMode mode, std::uint32_t injection_waiter) {
  const std::uint32_t index =
      transmit(phase, key.source, key.destination, bytes, site, Transit::Use::matched);
  Transit& transit = transits_[index];
  transit.key = key;
  transit.mode = mode;
  transit.injection_waiter = injection_waiter;
  ++transit.references;
  const std::uint32_t receive = matching_.sent(key, index);
  if (is_post(receive))
    meet(receive & ~kPostBit, index);
  else
    transit.delivery_waiter = receive;
  return index;
}

bool JobDriver::receive(const ChannelKey& key, std::uint32_t waiter) {
  const std::uint32_t index = matching_.received(key, waiter);
  if (index == MessageMatching::kNone) return false;
  if (!transits_[index].delivered) {
    transits_[index].delivery_waiter = waiter;
    return false;
  }
  release(index);
  return true;
}

void JobDriver::release(std::uint32_t transit) {
  if (--transits_[transit].references == 0) free_transits_.push_back(transit);
}

/// A request that was never completed is forgotten when its number is used again.
void JobDriver::remember(const Location& location, Request request) {
  const auto [found, fresh] = ranks_[location.rank].requests.try_emplace(location.operation.request);
  if (!fresh) forget(found->second);
  found->second = request;
}

void JobDriver::forget(Request request) {
  switch (request.of) {
    case Request::Of::send:
      return release(request.handle);
    case Request::Of::receive:
      return abandon(request.handle);
    case Request::Of::collective:
      if (runs_[request.handle].done) free_runs_.push_back(request.handle);
  }
}

bool JobDriver::complete_send(Location& location, std::uint32_t index) {
  auto& requests = ranks_[location.rank].requests;
  const auto found = requests.find(location.operation.request);
  if (found == requests.end() || found->second.of != Request::Of::send) return true;
  const std::uint32_t handle = found->second.handle;
  requests.erase(found);
  Transit& transit = transits_[handle];
  const bool done = transit.mode == SendMode::synchronous
                        ? transit.delivered
                        : transit.injected || transit.mode == SendMode::buffered;
  if (!done) transit.injection_waiter = index;
  release(handle);
  return done;
}

void JobDriver::cancel(Location& location) {
  auto& requests = ranks_[location.rank].requests;
  const auto found = requests.find(location.operation.request);
  if (found == requests.end() || found->second.of != Request::Of::send) return;
  const std::uint32_t handle = found->second.handle;
  requests.erase(found);
  if (matching_.withdraw(transits_[handle].key, handle)) release(handle);
  release(handle);
}

}  // namespace hybrid
