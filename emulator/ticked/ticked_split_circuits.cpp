// Ticked split links: circuits for one message (coll, chen-liu) and circuits that are kept (wave).
#include <algorithm>

#include "emulator/ticked/ticked_split.h"

namespace hybrid {

void TickedSplit::want(Port i, Port j) {
  PortState& p = ports_[i];
  if (wave_) {
    if (pair(i, j).state != State::none) return;
    pair(i, j).state = State::waiting;
    p.waiting.push_back(j);
    return serve_waiting(i);
  }
  p.waiting.push_back(j);
  if (!p.busy) reserve(i, nic_);
}

void TickedSplit::reserve(Port i, std::int64_t delay) {
  const Port j = ports_[i].waiting.front();
  ports_[i].busy = true;
  const std::int64_t leaves = t_ + delay;
  if (coll_)
    later(leaves + wire_ + fabric_ + wire_, 5, i, j, [this, i, j] { request_to_send(i, j); });
  else
    later(leaves + wire_, 12, i, j, [this, i, j] { probes_.insert({i, j}); });
}

void TickedSplit::request_to_send(Port i, Port j) {
  PortState& receiver = ports_[j];
  const std::int64_t back = t_ + nic_ + wire_ + fabric_ + wire_;
  if (receiver.reserved || t_ < receiver.receiver_free) {
    later(back, 4, i, j, [this, i, j] {
      ports_[i].waiting.pop_front();
      ports_[i].waiting.push_back(j);
      reserve(i, std::max(nic_, p_.nic.cycle.ps));
    });
    return;
  }
  receiver.reserved = true;
  later(back + p_.fabric_reconfiguration().ps, 3, i, j, [this, i] { ports_[i].sending = true; });
}

void TickedSplit::probe_pass() {
  bool granted = false;
  for (Port k = 0; k < p_.nodes; ++k) {
    const Port j = (first_probe_ + k) % p_.nodes;
    if (ports_[j].circuit_output) continue;
    for (Port m = 0; m < p_.nodes; ++m) {
      const Port i = (ports_[j].circuit_turn + m) % p_.nodes;
      if (ports_[i].circuit_input || probes_.count({i, j}) == 0) continue;
      probes_.erase({i, j});
      ports_[j].circuit_turn = (i + 1) % p_.nodes;
      ports_[i].circuit_input = ports_[j].circuit_output = granted = true;
      const std::int64_t there = t_ + setup_ + p_.fabric_reconfiguration().ps + fabric_ + wire_;
      later(there + nic_ + wire_ + fabric_ + wire_, 3, i, j, [this, i] { ports_[i].sending = true; });
      break;
    }
  }
  if (granted) first_probe_ = (first_probe_ + 1) % p_.nodes;
}

void TickedSplit::message_gone(Port i, Port j, std::int64_t gone) {
  ports_[i].sending = false;
  ports_[j].reserved = false;
  ports_[j].receiver_free = gone + circuit_;
  later(gone, 1, i, j, [this, i, j] {
    PortState& p = ports_[i];
    if (!coll_)
      later(t_ + wire_, 11, i, j,
            [this, i, j] { ports_[i].circuit_input = ports_[j].circuit_output = false; });
    p.waiting.pop_front();
    p.busy = false;
    if (!p.waiting.empty()) reserve(i, nic_);
  });
}

void TickedSplit::serve_waiting(Port i) {
  PortState& p = ports_[i];
  while (!p.waiting.empty()) {
    if (p.entries.size() < channels_.size()) {
      const Port j = p.waiting.front();
      p.waiting.pop_front();
      p.entries.push_back(j);
      pair(i, j).state = State::requested;
      later(t_ + nic_ + wire_, 12, i, j, [this, i, j] { requests_.push_back({i, j}); });
      continue;
    }
    std::size_t leaving = 0;
    Port victim = kNoPort;
    std::int64_t oldest = 0;
    for (const Port j : p.entries) {
      const Pair& q = pair(i, j);
      if (q.state == State::leaving) ++leaving;
      if (q.state != State::held) continue;
      const std::int64_t used = in_use(q) ? t_ : std::max(q.gone, q.granted);
      if (victim == kNoPort || used < oldest) {
        victim = j;
        oldest = used;
      }
    }
    if (victim == kNoPort || leaving >= p.waiting.size()) return;
    evict(i, victim);
  }
}

void TickedSplit::evict(Port i, Port j) {
  Pair& q = pair(i, j);
  q.state = State::leaving;
  q.owed = q.unsent;
  if (q.owed == 0 && q.gone <= t_) release(i, j);
}

void TickedSplit::release(Port i, Port j) {
  Pair& q = pair(i, j);
  std::erase(ports_[i].entries, j);
  q.state = State::none;
  later(t_ + wire_, 11, i, j, [this, i, j, m = q.channel] {
    channels_[m].to.erase(i);
    channels_[m].from.erase(j);
  });
  if (q.unsent == 0) return;
  q.state = State::waiting;
  ports_[i].waiting.push_back(j);
}

void TickedSplit::wave_pass() {
  for (std::size_t k = 0; k < requests_.size();) {
    if (serve_request(requests_[k]))
      requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(k));
    else
      ++k;
  }
}

bool TickedSplit::serve_request(Request& request) {
  const auto [i, j, kept] = request;
  if (kept >= 0) {
    Channel& s = channels_[static_cast<std::size_t>(kept)];
    if (s.from.count(j) != 0) return false;
    s.kept_in.erase(i);
    s.kept_out.erase(j);
    connect(i, j, static_cast<std::size_t>(kept));
    return true;
  }
  int best = -1;
  std::int64_t oldest = 0;
  for (std::size_t m = 0; m < channels_.size(); ++m) {
    const Channel& s = channels_[m];
    if (s.to.count(i) != 0 || s.kept_in.count(i) != 0 || s.kept_out.count(j) != 0) continue;
    if (s.from.count(j) == 0) {
      connect(i, j, m);
      return true;
    }
    const Pair& q = pair(s.from.at(j), j);
    const std::int64_t used = std::max(q.established, std::min(in_use(q) ? t_ : q.gone, t_ - wire_));
    if (best >= 0 && used >= oldest) continue;
    best = static_cast<int>(m);
    oldest = used;
  }
  if (best < 0) return false;
  request.channel = best;
  Channel& s = channels_[static_cast<std::size_t>(best)];
  s.kept_in.insert(i);
  s.kept_out.insert(j);
  const Port from = s.from.at(j);
  later(std::max(t_ + setup_, pair(from, j).established) + wire_, 2, from, j, [this, from, j = j] {
    if (pair(from, j).state == State::held) evict(from, j);
    serve_waiting(from);
  });
  return false;
}

void TickedSplit::connect(Port i, Port j, std::size_t m) {
  channels_[m].to[i] = j;
  channels_[m].from[j] = i;
  pair(i, j).channel = m;
  pair(i, j).established = t_ + setup_ + p_.fabric_reconfiguration().ps;
  later(pair(i, j).established + wire_, 1, i, j, [this, i, j] {
    pair(i, j).state = State::held;
    pair(i, j).granted = t_;
    serve_waiting(i);
  });
}

}  // namespace hybrid
