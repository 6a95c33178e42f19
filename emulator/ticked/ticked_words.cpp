// Ticked switch: worms, the round-robin scheduler, and the movement of each word.
#include <algorithm>
#include <stdexcept>

#include "emulator/ticked/ticked_switch.h"

namespace hybrid {

bool TickedSwitch::can_pass(Port i, Port j, std::int64_t at) const {
  std::int64_t until = -1;  // of the last of consecutive openings, from the one at `at` on
  for (const Opening& o : openings_) {
    if (o.until <= at) continue;
    const std::int64_t from = until < 0 ? at : o.begin;
    if ((until >= 0 && until != o.begin) || o.begin > from) break;
    if (o.input_ready[i] > from || o.output_ready[j] > from) break;
    until = o.until;
  }
  return until >= at + spacing();
}

std::int64_t TickedSwitch::known_start(Port i, Port j, std::int64_t at) const {
  if (!shares_fabric_) return at;
  for (; !openings_.empty() && at < openings_.back().until; ++at)
    if (can_pass(i, j, at)) return at;
  return -1;
}

std::int64_t TickedSwitch::known_end(Port i) const {
  const PortState& p = ports_[i];
  std::int64_t end = p.worm_free;
  std::map<Port, std::size_t> next;  // by queue: its next word
  for (const GrantedWorm& worm : p.worms) {
    const std::deque<Word>& words = queues_.at({i, queue_key(i, worm.to)}).words;
    std::size_t& k = next[queue_key(i, worm.to)];
    for (int left = worm.left; left > 0; --left, ++k) {
      if (k >= words.size() || words[k].at > t_) return -1;
      const std::int64_t start = known_start(i, worm.to, std::max({end, worm.from, t_}));
      if (start < 0) return -1;
      end = start + spacing();
    }
  }
  return end;
}

void TickedSwitch::end_worms() {
  const std::int64_t lookahead = p_.worm_lookahead ? p_.scheduler.delay().ps : 0;
  for (Port i = 0; has_worms_ && i < p_.nodes; ++i) {
    PortState& p = ports_[i];
    if (!p.input_busy || (lookahead == 0 && !p.worms.empty())) continue;
    const std::int64_t end = known_end(i);
    if (end < 0 || end - lookahead > t_) continue;
    p.input_busy = false;
    if (slotted_) note_departed_worm(i, p.worm_payload);
    ports_[p.worm_to].output_busy = false;
    queues_[{i, queue_key(i, p.worm_to)}].granted = false;
  }
}

void TickedSwitch::request_for_worms() {
  for (auto& [key, q] : queues_) {
    if (q.requested || q.words.size() <= q.granted_words) continue;
    const Word& head = q.words[q.granted_words];
    const int worm = head.worm;
    const int part = p_.technique == "packet" ? worm : static_cast<int>(p_.flit / p_.word);
    const int flit = std::min({part, worm, input_room_});
    const std::size_t first_flit = q.granted_words + static_cast<std::size_t>(flit);
    if (q.words.size() < first_flit || q.words[first_flit - 1].at > t_) continue;
    q.requested = true;
    requests_.insert({key.first, head.destination});
  }
}

void TickedSwitch::pass() {
  if (p_.technique == "tdm" || tree_ != nullptr) return;
  bool granted = false;
  for (Port k = 0; k < p_.nodes; ++k) {
    const Port j = (first_output_ + k) % p_.nodes;
    if (ports_[j].output_busy) continue;
    for (Port m = 0; m < p_.nodes; ++m) {
      const Port i = (ports_[j].output_turn + m) % p_.nodes;
      if (ports_[i].input_busy || requests_.count({i, j}) == 0) continue;
      requests_.erase({i, j});
      ports_[j].output_turn = (i + 1) % p_.nodes;
      ports_[j].output_busy = ports_[i].input_busy = granted = true;
      if (has_worms_) {
        VirtualQueue& q = queues_[{i, queue_key(i, j)}];
        q.requested = false;
        q.granted = true;
        const Word& head = q.words[q.granted_words];
        const int worm = head.worm;
        ports_[i].worms.push_back({j, worm, t_ + worm_setup(), head.at});
        q.granted_words += static_cast<std::size_t>(worm);
        ports_[i].worm_to = j;
        ports_[i].worm_payload = static_cast<std::uint64_t>(worm) - p_.worm_overhead_words;
      } else {
        later(t_ + p_.scheduler.delay().ps + p_.fabric_reconfiguration().ps + wire_, 1, [this, i, j] {
          circuit(i, j).state = 2;
          ports_[i].circuit_to = j;
          --ports_[i].without_grant;
          request_circuits(i);
        });
      }
      break;
    }
  }
  if (granted) first_output_ = (first_output_ + 1) % p_.nodes;
}

void TickedSwitch::request_circuits(Port i) {
  PortState& p = ports_[i];
  while (!p.waiting_to_request.empty() && (p_.request_width == 0 || p.without_grant < p_.request_width)) {
    const Port j = p.waiting_to_request.front();
    p.waiting_to_request.pop_front();
    circuit(i, j).state = 1;
    ++p.without_grant;
    control([this, i, j] { requests_.insert({i, j}); });
  }
}

void TickedSwitch::finish_circuit(Port i) {
  PortState& p = ports_[i];
  if (p.circuit_to < 0) return;
  const auto j = static_cast<Port>(p.circuit_to);
  Circuit& c = circuit(i, j);
  if (c.unsent > 0 || c.gone != t_) return;
  c.state = 0;
  p.circuit_to = -1;
  later(t_ + wire_, 3, [this, i, j] { ports_[i].input_busy = ports_[j].output_busy = false; });
}

bool TickedSwitch::move_words() {
  bool moved = false;
  while (!windows_.empty() && windows_.front().close <= t_) {
    report_words_left(windows_.front());
    windows_.pop_front();
    for (PortState& p : ports_) p.owned = false;
    if (!windows_.empty()) see_circuits();
  }
  while (openings_.size() > 1 && openings_[1].until <= t_) openings_.pop_front();
  for (Port i = 0; i < p_.nodes; ++i) {
    const bool any = pe_word(i) || circuit_word(i) || (has_worms_ && (wormhole_word(i) || fabric_word(i)));
    moved = moved || any;
  }
  const bool in_tree = tree_ != nullptr && tree_words();
  return moved || in_tree;
}

bool TickedSwitch::circuit_word(Port i) {
  PortState& p = ports_[i];
  std::int64_t to = p.circuit_to;
  if (slotted_) {
    if (windows_.empty() || windows_.front().seen > t_ || windows_.front().configuration.ports() == 0)
      return false;
    const Window& w = windows_.front();
    if (t_ < std::max(w.open, p.ready) || t_ + word_ > w.close ||
        w.configuration.destination_of(i) == kNoPort)
      return false;
    to = w.configuration.destination_of(i);
  }
  if (to < 0) return false;
  const auto j = static_cast<Port>(to);
  Circuit& c = circuit(i, j);
  if (c.words.empty() || c.words.front().at + nic_ > t_) return false;
  if (!cleared(i, j)) return false;
  if (!p.owned && worms_go_first(i)) return false;
  p.owned = true;
  if (p.link_free > t_) return false;
  const Word word = c.words.front();
  c.words.pop_front();
  p.link_free = t_ + word_;
  c.gone = t_ + word_;
  --c.unsent;
  if (c.unsent == 0) p.owned = false;
  if (word.last) c.messages.pop_front();
  if (word.last && plan_ && !c.messages.empty() && !c.messages.front().was_head) {
    c.due = t_ + word_ + static_cast<std::int64_t>(c.messages.front().words) * word_;
    signal(t_ + word_, i, j, Report::next_message, c.due);
  }
  if (slotted_ && !plan_ && c.unsent == 0) {
    c.finished = true;
    c.signals = false;
    signal(t_ + word_, i, j, Report::is_empty);
  }
  if (tree_ != nullptr) {
    const std::int64_t first = t_ + (p_.serialise + p_.cable).ps;
    if (shares_fabric_ && first < worms_until_) throw std::logic_error("a circuit's word meets a worm");
    const std::int64_t hops = switches_on_circuit(i, j) - 1;
    circuit_words_.emplace_back(first, first + hops * p_.circuit_hop().ps + word_);
  }
  if (word.last && path_choice_)
    p.circuits_ahead.leaves(Time{t_ + word_}, path_choice_->circuit_work(payload_[word.message]));
  if (word.last)
    arriving_[t_ + (p_.serialise + p_.deserialise + p_.cable).ps +
              switches_on_circuit(i, j) * (p_.analog_fabric.delay() + p_.cable).ps + nic_]
        .push_back(word.message);
  return true;
}

bool TickedSwitch::has_credit(Port i, Port j) {
  if (tree_ != nullptr) return tree_->has_place(t_, {i, j});
  const Port queue = queue_key(i, j);
  VirtualQueue& q = queues_[{i, queue}];
  while (!credits_[{i, queue}].empty() && credits_[{i, queue}].front() <= t_) {
    credits_[{i, queue}].pop_front();
    --q.credits_used;
  }
  return q.credits_used < input_room_;
}

bool TickedSwitch::wormhole_word(Port i) {
  PortState& p = ports_[i];
  std::int64_t& link_free = plane_ ? p.worm_link_free : p.link_free;
  if ((!plane_ && p.owned) || link_free > t_ || p.wormhole.empty() || p.wormhole.front().at + nic_ > t_)
    return false;
  Word word = p.wormhole.front();
  const Connection c{i, word.destination};
  if (!has_credit(i, c.destination)) return false;
  p.wormhole.pop_front();
  link_free = t_ + worm_word_;
  if (tree_ != nullptr) {
    tree_->put(t_, {0, word.message, c, word.last, static_cast<std::size_t>(word.worm)});
    return true;
  }
  word.at = t_ + wire_;
  VirtualQueue& q = queues_[{i, queue_key(i, c.destination)}];
  ++q.credits_used;
  q.words.push_back(word);
  return true;
}

bool TickedSwitch::fabric_word(Port i) {
  PortState& p = ports_[i];
  if (p.worms.empty()) return false;
  GrantedWorm& worm = p.worms.front();
  const Port j = worm.to;
  if (p.worm_free > t_ || worm.from > t_) return false;
  if (shares_fabric_ && !can_pass(i, j, t_)) return false;
  VirtualQueue& q = queues_[{i, queue_key(i, j)}];
  if (q.words.empty() || q.words.front().at > t_) return false;
  const Word word = q.words.front();
  q.words.pop_front();
  --q.granted_words;
  credits_[{i, queue_key(i, j)}].push_back(t_ + wire_);
  if (--worm.left == 0) p.worms.pop_front();
  p.worm_free = t_ + spacing();
  Circuit& c = circuit(i, j);
  --c.worm_words;
  c.worm_left = t_;
  if (word.last) {
    arriving_[t_ + worm_path() + nic_].push_back(word.message);
    message_left_as_worms(i, j, word.message);
  }
  return true;
}

/// The last word of a message left the last switch. The NIC knows it after all wires of the path.
void TickedSwitch::message_left_as_worms(Port i, Port j, std::uint64_t message) {
  if (!path_choice_) return;
  WorkAhead& ahead = ports_[i].worms_ahead;
  ahead.leaves(Time{t_ + clearing(i, j)}, path_choice_->worm_occupancy(payload_[message]));
  if (const Time idle = ahead.all_left(); plane_ && idle != Time::never())
    later(idle.ps, 5, [this, i] { choose_again(i); });
}

/// Whether no word of a worm from `i` to `j` is under way, as known to the NIC.
bool TickedSwitch::cleared(Port i, Port j) {
  const Circuit& c = circuit(i, j);
  return c.worm_words == 0 && t_ >= c.worm_left + clearing(i, j);
}

/// In a tree, circuits and worms do not share slots: all ports are open, or none.
bool TickedSwitch::tree_words() {
  if (shares_fabric_ && !can_pass(0, 0, t_)) return false;
  const bool moved = tree_->move_words(t_, [this](const TickedTreeSwitches::Word& word) {
    Circuit& c = circuit(word.connection.source, word.connection.destination);
    --c.worm_words;
    c.worm_left = t_;
    if (!word.last) return;
    arriving_[t_ + worm_path() + nic_].push_back(word.message);
    message_left_as_worms(word.connection.source, word.connection.destination, word.message);
  });
  if (!moved || !shares_fabric_) return moved;
  for (const auto& [from, until] : circuit_words_)
    if (from < t_ + word_ && t_ < until) throw std::logic_error("a worm meets a circuit's word");
  while (!circuit_words_.empty() && circuit_words_.front().second <= t_) circuit_words_.pop_front();
  worms_until_ = t_ + word_;
  return true;
}

int TickedSwitch::places(Port i, Port j) {
  const int words = static_cast<int>(circuit(i, j).words.size());
  if (!p_.buffer_is_shared) return std::max(0, room_ - words);
  int all = 0;
  for (const auto& [key, c] : circuits_) all += key.first == i ? static_cast<int>(c.words.size()) : 0;
  return std::max(room_ - all, words == 0 ? 1 : 0);
}

bool TickedSwitch::pe_word(Port i) {
  PortState& p = ports_[i];
  if (p.handing.empty() || earliest_entry(p_, p.handing.front().made_by, p.pe_free) > t_) return false;
  Word word = p.handing.front();
  auto& queue = p.by_worm ? p.wormhole : circuit(i, word.destination).words;
  if (p.by_worm ? static_cast<int>(queue.size()) >= worm_room_ : places(i, word.destination) == 0)
    return false;
  word.at = t_;
  queue.push_back(word);
  p.handing.pop_front();
  p.pe_free = next_payload(p_, word.made_by, p.pe_free, t_);
  if (word.last) outcomes_[word.message].injected = Time{t_};
  if (word.last && !p.by_worm && plane_ && path_choice_) later(t_, 5, [this, i] { choose_again(i); });
  return true;
}

}  // namespace hybrid
