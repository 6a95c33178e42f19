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
      settled_(slots_.slots(), Configuration(port_->shape().ports)) {
  for (const Port p : port_of_rank_) ++ranks_at_port_[p];
}

void LiveArbiter::ask(Time at, std::uint32_t rank, AskKind kind, Port destination) {
  if (rank >= port_of_rank_.size()) return;
  const Connection c{port_of_rank_[rank], destination};
  if (kind != AskKind::flush && (destination >= ports() || destination == c.source)) return;
  // Preloads come in bursts and are given to the port as whole configurations, before anything else is asked.
  if (at > now_) {
    if (kind != AskKind::preload) settle_preloads();
    now_ = at;
  }
  switch (kind) {
    case AskKind::request:
      return request(rank, c);
    case AskKind::release:
      return release(rank, c);
    case AskKind::preload:
      return preload(rank, c);
    case AskKind::flush:
      return flush(rank, c.source);
  }
}

void LiveArbiter::request(std::uint32_t rank, Connection c) {
  if (requested_.test(rank, c.destination)) return;
  requested_.set(rank, c.destination);
  if (++wishes_[c].requests == 1) port_->request(now_, c);
}

void LiveArbiter::release(std::uint32_t rank, Connection c) {
  if (!requested_.test(rank, c.destination)) return;
  requested_.reset(rank, c.destination);
  if (--wishes_[c].requests == 0) port_->release(now_, c);
  forget_if_unwanted(c);
}

void LiveArbiter::preload(std::uint32_t rank, Connection c) {
  if (preloaded_.test(rank, c.destination)) return;
  if (!slots_.add(c)) return request(rank, c);
  preloaded_.set(rank, c.destination);
  ++wishes_[c].preloads;
}

void LiveArbiter::flush(std::uint32_t rank, Port source) {
  // The port's own flush, where it would not take from another rank: it frees the slots at once, while a
  // release waits for the scheduler to come by.
  if (ranks_at_port_[source] == 1) port_->flush(now_, source);
  for_each_port(std::span<const Word>(requested_.row(rank)), [&](Port d) { release(rank, {source, d}); });
  for_each_port(std::span<const Word>(preloaded_.row(rank)),
                [&](Port d) { drop_preload(rank, {source, d}); });
}

void LiveArbiter::drop_preload(std::uint32_t rank, Connection c) {
  preloaded_.reset(rank, c.destination);
  Wish& wish = wishes_[c];
  if (--wish.preloads == 0) {
    slots_.remove(c);
    if (wish.requests != 0) left_preload_.push_back(c);
  }
  forget_if_unwanted(c);
}

void LiveArbiter::forget_if_unwanted(Connection c) {
  const auto wish = wishes_.find(c);
  if (wish != wishes_.end() && wish->second.requests == 0 && wish->second.preloads == 0) wishes_.erase(wish);
}

void LiveArbiter::settle_preloads() {
  if (!slots_.changed()) return;
  // A connection may have moved from one preloaded slot to another: take what goes out of every slot first,
  // so that none is ever in two.
  for (std::uint32_t s = 0; s < slots_.slots(); ++s) {
    if (!slots_.changed(s)) continue;
    bool shrunk = false;
    for (const Connection& c : settled_[s].connections())
      if (!slots_.slot(s).holds(c)) shrunk = settled_[s].remove(c);
    if (shrunk) port_->preload(now_, s, settled_[s]);
  }
  for (std::uint32_t s = 0; s < slots_.slots(); ++s) {
    if (!slots_.changed(s) || settled_[s] == slots_.slot(s)) continue;
    settled_[s] = slots_.slot(s);
    port_->preload(now_, s, settled_[s]);
  }
  slots_.settle();
  // The port dropped them with the preload; their ranks' requests stand.
  for (const Connection& c : left_preload_)
    if (const auto wish = wishes_.find(c);
        wish != wishes_.end() && wish->second.requests != 0 && wish->second.preloads == 0)
      port_->request(now_, c);
  left_preload_.clear();
}

std::span<const Grant> LiveArbiter::advance(Time until) {
  settle_preloads();
  now_ = std::max(now_, until);
  grants_.clear();
  port_->advance(now_, grants_);
  return grants_;
}

}  // namespace hybrid
