#include "emulator/ticked/ticked_split.h"

#include <algorithm>

namespace hybrid {

TickedSplit::TickedSplit(const SwitchParameters& p)
    : p_(p), wave_(p.technique == "wave"), coll_(p.technique == "coll") {
  SwitchParameters rates = p;
  if (!wave_) rates.circuit_channels = 1;
  channels_.resize(rates.circuit_channels);
  worm_word_ = time_on_link(p.word, split_rates(rates).worms).ps;
  circuit_word_ = time_on_link(p.word, split_rates(rates).channel).ps;
  nic_ = p.nic.delay().ps;
  wire_ = p.one_way_wire().ps;
  fabric_ = p.digital_fabric.delay().ps;
  setup_ = p.scheduler.delay().ps;
  circuit_ = (p.serialise + p.cable + p.analog_fabric.delay() + p.cable + p.deserialise).ps;
  const auto words = [&](Bytes size) { return size == kUnlimited ? std::size_t{1} << 30 : size / p.word; };
  room_ = words(queue_sizes(p).destination);
  worm_room_ = words(queue_sizes(p).worms);
  input_room_ = words(queue_sizes(p).input);
  ports_.resize(p.nodes);
  for (Port i = 0; i < p.nodes; ++i) ports_[i].channel_free.resize(channels_.size());
}

std::vector<Outcome> TickedSplit::run(const std::vector<Action>& script, std::int64_t give_up) {
  std::size_t messages = 0, next = 0;
  for (const Action& a : script) messages += a.what == Action::What::send ? 1 : 0;
  outcomes_.resize(messages);
  for (t_ = 0; delivered_ < messages && t_ <= give_up; ++t_) {
    for (; next < script.size() && script[next].at.ps == t_; ++next)
      if (script[next].what == Action::What::send)
        ports_[script[next].message.connection.source].sent.emplace_back(t_, script[next].message);
    tick();
  }
  return outcomes_;
}

void TickedSplit::later(std::int64_t at, int phase, Port i, Port j, std::function<void()> f) {
  events_[{at, phase, i, j}].push_back(std::move(f));
}

void TickedSplit::run_phases(int from, int to) {
  while (!events_.empty()) {
    const auto first = events_.lower_bound({t_, from, 0, 0});
    if (first == events_.end() || std::get<0>(first->first) != t_ || std::get<1>(first->first) > to) return;
    const auto todo = std::move(first->second);
    events_.erase(first);
    for (const auto& f : todo) f();
  }
}

void TickedSplit::tick() {
  for (Port i = 0; i < p_.nodes; ++i) offer(i);
  run_phases(1, 9);
  run_phases(11, 19);
  for (Port i = 0; i < p_.nodes; ++i) {
    PortState& p = ports_[i];
    const std::int64_t lookahead = p_.worm_lookahead ? setup_ : 0;
    if (!p.input_busy || (lookahead == 0 && !p.worms.empty())) continue;
    if (const std::int64_t end = known_end(i); end >= 0 && end - lookahead <= t_)
      p.input_busy = ports_[p.worm_to].output_busy = false;
  }
  for (auto& [key, q] : pairs_) {
    if (q.requested || q.buffered.size() <= q.granted_words) continue;
    const auto flit = std::min({p_.flit / p_.word, q.buffered[q.granted_words].worm, input_room_});
    const auto first_flit = q.granted_words + flit;
    if (q.buffered.size() >= first_flit && q.buffered[first_flit - 1].at <= t_) q.requested = true;
  }
  if (t_ % p_.scheduler.cycle.ps == 0) {
    worm_pass();
    if (wave_)
      wave_pass();
    else if (!coll_)
      probe_pass();
  }
  while (move_words()) {
  }
  const auto found = arriving_.find(t_);
  if (found == arriving_.end()) return;
  for (const std::uint64_t id : found->second) outcomes_[id].delivered = Time{t_};
  delivered_ += found->second.size();
}

void TickedSplit::offer(Port i) {
  PortState& p = ports_[i];
  if (!p.handing.empty() || p.sent.empty()) return;
  const auto [at, m] = p.sent.front();
  if (t_ != std::max(p.pe_free, at + p_.word_generation.ps)) return;
  p.sent.pop_front();
  p.pe_free = t_;
  const Port j = m.connection.destination;
  Pair& q = pair(i, j);
  std::uint64_t payload = std::max<std::uint64_t>(1, (m.bytes + p_.word - 1) / p_.word);
  const bool known = wave_ && q.state == State::held;
  const bool clear =
      q.unsent == 0 && t_ >= q.gone && t_ + nic_ + wire_ + fabric_ + wire_ >= q.last_start + circuit_;
  p.by_worm = clear && !known && m.bytes < p_.split_size;
  if (!p.by_worm) {
    outcomes_[m.id].hit = known;
    for (std::uint64_t k = 1; k <= payload; ++k) p.handing.push_back({0, m.id, j, k == payload, 0});
    q.unsent += payload;
    q.messages.push_back(payload);
    want(i, j);
    return;
  }
  while (payload > 0) {
    const auto body = std::min<std::uint64_t>(payload, p_.worm_limit / p_.word);
    payload -= body;
    const auto words = body + p_.worm_overhead_words;
    for (std::uint64_t k = 1; k <= words; ++k)
      p.handing.push_back(
          {0, m.id, j, payload == 0 && k == words, k == 1 ? words : 0, made_by(p_, k - 1, body)});
    q.worm_words += words;
  }
}

bool TickedSplit::pe_word(Port i) {
  PortState& p = ports_[i];
  if (p.handing.empty() || earliest_entry(p_, p.handing.front().made_by, p.pe_free) > t_) return false;
  Word word = p.handing.front();
  auto& queue = p.by_worm ? p.wormhole : pair(i, word.to).words;
  if (queue.size() >= (p.by_worm ? worm_room_ : room_)) return false;
  word.at = t_;
  queue.push_back(word);
  p.handing.pop_front();
  p.pe_free = next_payload(p_, word.made_by, p.pe_free, t_);
  if (word.last) outcomes_[word.message].injected = Time{t_};
  return true;
}

bool TickedSplit::move_words() {
  bool moved = false;
  for (auto& [key, q] : pairs_) moved = circuit_word(key.first, key.second, q) || moved;
  for (Port i = 0; i < p_.nodes; ++i) {
    const bool any = pe_word(i) || link_word(i) || fabric_word(i);
    moved = moved || any;
  }
  return moved;
}

bool TickedSplit::circuit_word(Port i, Port j, Pair& q) {
  PortState& p = ports_[i];
  const bool mine = wave_ ? q.state == State::held || (q.state == State::leaving && q.owed > 0)
                          : p.sending && p.waiting.front() == j;
  if (!mine || q.words.empty() || q.words.front().at + nic_ > t_) return false;
  std::int64_t& free = p.channel_free[wave_ ? q.channel : 0];
  if (free > t_ || q.worm_words > 0 || t_ < q.worm_left + wire_ ||
      t_ + circuit_ < q.worm_left + fabric_ + wire_)
    return false;
  const Word word = q.words.front();
  q.words.pop_front();
  free = q.gone = t_ + circuit_word_;
  q.last_start = t_;
  --q.unsent;
  if (word.last) arriving_[t_ + circuit_ + nic_].push_back(word.message);
  const bool ends = --q.messages.front() == 0;
  if (ends) q.messages.pop_front();
  if (!wave_ && ends) message_gone(i, j, q.gone);
  if (wave_ && q.state == State::leaving) --q.owed;
  if (wave_ && (q.unsent == 0 || q.state == State::leaving))
    later(q.gone, 3, i, j, [this, i, j] {
      Pair& done = pair(i, j);
      if (done.state != State::leaving || done.owed > 0 || done.gone != t_) return;
      release(i, j);
      serve_waiting(i);
    });
  return true;
}

bool TickedSplit::link_word(Port i) {
  PortState& p = ports_[i];
  if (p.link_free > t_ || p.wormhole.empty() || p.wormhole.front().at + nic_ > t_) return false;
  Pair& q = pair(i, p.wormhole.front().to);
  for (; !q.credits.empty() && q.credits.front() <= t_; q.credits.pop_front()) --q.places;
  if (q.places >= input_room_) return false;
  ++q.places;
  q.buffered.push_back(p.wormhole.front());
  q.buffered.back().at = t_ + wire_;
  p.wormhole.pop_front();
  p.link_free = t_ + worm_word_;
  return true;
}

std::int64_t TickedSplit::known_end(Port i) {
  const PortState& p = ports_[i];
  std::int64_t end = p.worm_free;
  std::map<Port, std::size_t> next;  // by destination: the next word of its queue
  for (const GrantedWorm& worm : p.worms) {
    const std::deque<Word>& words = pair(i, worm.to).buffered;
    std::size_t& k = next[worm.to];
    for (std::uint64_t left = worm.left; left > 0; --left, ++k) {
      if (k >= words.size() || words[k].at > t_) return -1;
      end = std::max({end, worm.from, t_}) + spacing();
    }
  }
  return end;
}

void TickedSplit::worm_pass() {
  bool granted = false;
  for (Port k = 0; k < p_.nodes; ++k) {
    const Port j = (first_output_ + k) % p_.nodes;
    for (Port m = 0; m < p_.nodes && !ports_[j].output_busy; ++m) {
      const Port i = (ports_[j].turn + m) % p_.nodes;
      if (i == j || ports_[i].input_busy || !pair(i, j).requested) continue;
      Pair& q = pair(i, j);
      q.requested = false;
      ports_[i].input_busy = ports_[j].output_busy = granted = true;
      ports_[j].turn = (i + 1) % p_.nodes;
      ports_[i].worm_to = j;
      const std::uint64_t worm = q.buffered[q.granted_words].worm;
      q.granted_words += worm;
      ports_[i].worms.push_back({j, worm, t_ + setup_});
    }
  }
  if (granted) first_output_ = (first_output_ + 1) % p_.nodes;
}

bool TickedSplit::fabric_word(Port i) {
  PortState& p = ports_[i];
  if (p.worms.empty() || p.worm_free > t_) return false;
  GrantedWorm& worm = p.worms.front();
  if (worm.from > t_) return false;
  Pair& q = pair(i, worm.to);
  if (q.buffered.empty() || q.buffered.front().at > t_) return false;
  const Word word = q.buffered.front();
  q.buffered.pop_front();
  q.credits.push_back(t_ + wire_);
  --q.granted_words;
  if (--worm.left == 0) p.worms.pop_front();
  p.worm_free = t_ + spacing();
  --q.worm_words;
  q.worm_left = t_;
  if (word.last) arriving_[t_ + fabric_ + wire_ + nic_].push_back(word.message);
  return true;
}

}  // namespace hybrid
