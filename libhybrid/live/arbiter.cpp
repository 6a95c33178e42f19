#include "libhybrid/live/arbiter.h"

#include <algorithm>
#include <utility>

namespace hybrid {

LiveArbiter::LiveArbiter(std::unique_ptr<SchedulerPort> port, std::vector<Port> port_of_rank,
                         std::uint32_t preload_slots)
    : port_(std::move(port)),
      port_of_rank_(std::move(port_of_rank)),
      ranks_at_port_(port_->shape().ports),
      requested_(port_of_rank_.size(), port_->shape().ports),
      preloaded_(port_of_rank_.size(), port_->shape().ports),
      slots_(port_->shape().ports, std::min(preload_slots, port_->shape().slots)),
      sent_(slots_.slots(), Configuration(port_->shape().ports)) {
  for (const Port p : port_of_rank_) ++ranks_at_port_[p];
}

void LiveArbiter::execute(Time at, std::uint32_t rank, CommandKind kind, Port destination) {
  if (rank >= port_of_rank_.size()) return;
  const Connection c{port_of_rank_[rank], destination};
  if (kind != CommandKind::flush && (destination >= ports() || destination == c.source)) return;
  // Preloads come in bursts. The port gets them as whole configurations, before the next other command.
  if (at > now_) {
    if (kind != CommandKind::preload) send_preloads();
    now_ = at;
  }
  switch (kind) {
    case CommandKind::request:
      return request(rank, c);
    case CommandKind::release:
      return release(rank, c);
    case CommandKind::preload:
      return preload(rank, c);
    case CommandKind::flush:
      return flush(rank, c.source);
  }
}

void LiveArbiter::request(std::uint32_t rank, Connection c) {
  if (requested_.test(rank, c.destination)) return;
  requested_.set(rank, c.destination);
  if (++demand_[c].requests == 1) port_->request(now_, c);
}

void LiveArbiter::release(std::uint32_t rank, Connection c) {
  if (!requested_.test(rank, c.destination)) return;
  requested_.reset(rank, c.destination);
  if (--demand_[c].requests == 0) port_->release(now_, c);
  erase_if_unused(c);
}

void LiveArbiter::preload(std::uint32_t rank, Connection c) {
  if (preloaded_.test(rank, c.destination)) return;
  if (!slots_.add(c)) return request(rank, c);
  preloaded_.set(rank, c.destination);
  ++demand_[c].preloads;
}

void LiveArbiter::flush(std::uint32_t rank, Port source) {
  // The port's own flush frees the slots at once, while a release waits for the next pass of the scheduler.
  // It is used only if no other rank shares the port.
  if (ranks_at_port_[source] == 1) port_->flush(now_, source);
  for_each_port(std::span<const Word>(requested_.row(rank)), [&](Port d) { release(rank, {source, d}); });
  for_each_port(std::span<const Word>(preloaded_.row(rank)),
                [&](Port d) { drop_preload(rank, {source, d}); });
}

void LiveArbiter::drop_preload(std::uint32_t rank, Connection c) {
  preloaded_.reset(rank, c.destination);
  Demand& demand = demand_[c];
  if (--demand.preloads == 0) {
    slots_.remove(c);
    if (demand.requests != 0) unpreloaded_.push_back(c);
  }
  erase_if_unused(c);
}

void LiveArbiter::erase_if_unused(Connection c) {
  const auto entry = demand_.find(c);
  if (entry != demand_.end() && entry->second.requests == 0 && entry->second.preloads == 0)
    demand_.erase(entry);
}

void LiveArbiter::send_preloads() {
  if (!slots_.changed()) return;
  // A connection may have moved from one preloaded slot to another. Connections are removed from all slots
  // before any is added, so that no connection is in two slots at a time.
  for (std::uint32_t s = 0; s < slots_.slots(); ++s) {
    if (!slots_.changed(s)) continue;
    bool shrunk = false;
    for (const Connection& c : sent_[s].connections())
      if (!slots_.slot(s).holds(c)) shrunk = sent_[s].remove(c);
    if (shrunk) port_->preload(now_, s, sent_[s]);
  }
  for (std::uint32_t s = 0; s < slots_.slots(); ++s) {
    if (!slots_.changed(s) || sent_[s] == slots_.slot(s)) continue;
    sent_[s] = slots_.slot(s);
    port_->preload(now_, s, sent_[s]);
  }
  slots_.settle();
  // The port dropped these connections with the preload, but ranks still request them.
  for (const Connection& c : unpreloaded_)
    if (const auto entry = demand_.find(c);
        entry != demand_.end() && entry->second.requests != 0 && entry->second.preloads == 0)
      port_->request(now_, c);
  unpreloaded_.clear();
}

std::span<const Grant> LiveArbiter::advance(Time until) {
  send_preloads();
  now_ = std::max(now_, until);
  grants_.clear();
  port_->advance(now_, grants_);
  return grants_;
}

}  // namespace hybrid
