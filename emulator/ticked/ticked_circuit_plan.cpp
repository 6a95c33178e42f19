// Ticked switch: circuits that a plan composes, port by port, and the reports about waiting data.
#include <algorithm>
#include <utility>

#include "emulator/ticked/ticked_switch.h"

namespace hybrid {

void TickedSwitch::receive_signals() {
  const auto found = signals_.find(t_);
  if (found == signals_.end()) return;
  for (const Signal& signal : found->second) {
    const auto [i, j] = std::pair(signal.source, signal.destination);
    Circuit& c = circuit(i, j);
    if (signal.report == Report::waits) ++c.waiting_signals;
    if (signal.report == Report::still_waits) {
      c.known_words = signal.words;
    } else if (signal.report == Report::is_empty) {
      if (--c.waiting_signals == 0) c.known_words = 0;
    } else {
      c.known_due = signal.due;
      if (plan_ && c.established && wanted_[c.slot].test(i)) plan_->set_waiting(c.slot, i, Time{c.known_due});
    }
    if (c.established) note_wanted(i, j);
  }
  signals_.erase(found);
}

void TickedSwitch::note_wanted(Port i, Port j) {
  const Circuit& c = circuit(i, j);
  PortSet& sources = wanted_[c.slot];
  const bool wanted = c.established && c.waiting_signals != 0 && (!plan_ || c.known_words != 0);
  if (sources.test(i) == wanted) return;
  if (wanted) {
    sources.set(i);
    if (plan_) plan_->set_waiting(c.slot, i, Time{c.known_due});
  } else {
    sources.reset(i);
    if (plan_) plan_->end_waiting(c.slot, i);
  }
}

void TickedSwitch::compose(std::uint32_t slot, Window& window) {
  if (shares_fabric_ && !p_.is_tree()) {
    PortSet inputs(p_.nodes), outputs(p_.nodes);
    for (const auto& [key, q] : queues_) {
      if (q.requested || q.granted) inputs.set(key.first);
      // While a granted worm is before it in a FIFO, a request has no effect.
      if (q.requested && !q.granted) outputs.set(q.words[q.granted_words].destination);
    }
    for (Port i = 0; i < p_.nodes; ++i) {
      if (ports_[i].output_busy) outputs.set(i);
      if (!ports_[i].worms.empty() && known_end(i) < 0)
        plan_->add_worm({i, ports_[i].worms.back().to}, Time{ports_[i].worms.back().arrived});
    }
    plan_->leave_to_worms(inputs, outputs);
  }
  window.configuration = Configuration(p_.nodes);
  PortSet parked(p_.nodes);
  plan_->compose(Time{t_}, slot, schedule_, wanted_, window.configuration, parked, window.fresh);
  for (const Connection c : window.fresh) ports_[c.source].usable_from = t_ + p_.unusable_slot_time(true).ps;
  for (const Connection c : window.configuration.connections()) {
    if (parked.test(c.source)) continue;
    const std::int64_t usable = boundary_ - std::max(t_, std::min(boundary_, ports_[c.source].usable_from));
    const auto words = static_cast<std::uint64_t>(usable / std::max(word_, p_.word_generation.ps));
    std::uint64_t& known = circuit(c.source, c.destination).known_words;
    known -= std::min(known, words);
    if (known == 0) window.last.insert(c.source);
    const std::uint64_t outside = known - std::min(known, static_cast<std::uint64_t>(room_));
    plan_->set_outside(c.source, Time{static_cast<std::int64_t>(outside) * word_});
    note_wanted(c.source, c.destination);
  }
}

void TickedSwitch::report_words_left(const Window& window) {
  for (const Port i : window.last) {
    const Port j = window.configuration.destination_of(i);
    const std::uint64_t left = circuit(i, j).unsent;
    if (left != 0) signal(t_, i, j, Report::still_waits, 0, left);
  }
}

void TickedSwitch::see_circuits() {
  const Window& w = windows_.front();
  if (w.seen != t_) return;
  for (const Connection c : w.fresh) ports_[c.source].ready = t_ + p_.unusable_slot_time(true).ps;
}

std::int64_t TickedSwitch::known_end_of_data(Port i, Port j) {
  const PortState& p = ports_[i];
  const Circuit& c = circuit(i, j);
  if (c.unsent == 0) return c.gone;
  if ((has_worms_ && !p.owned) || !window_grants(i, j)) return -1;  // words of Q_W may go first
  const Window& w = windows_.front();
  const std::int64_t latest = w.close - word_;
  if (t_ + static_cast<std::int64_t>(c.unsent - 1) * word_ > latest) return -1;
  // Places that other words free are known only when they do.
  if (p_.buffer_is_shared && c.unsent - c.words.size() > static_cast<std::size_t>(places(i, j))) return -1;
  std::vector<std::int64_t> starts;
  std::int64_t pe_free = p.pe_free, free = std::max({p.link_free, w.open, p.ready});
  for (std::size_t k = 0; k < c.unsent; ++k) {
    std::int64_t entry = 0;
    if (k < c.words.size()) {
      entry = c.words[k].at;
    } else {  // the word is in the PE
      const auto room = static_cast<std::size_t>(room_);
      entry = std::max(pe_free, k >= room && !p_.buffer_is_shared ? starts[k - room] : 0);
      pe_free = entry + p_.word_generation.ps;
    }
    starts.push_back(std::max(free, entry + nic_));
    free = starts.back() + word_;
    if (starts.back() > latest) return -1;
  }
  return free;
}

/// In time for the end to be known at the switch one wire before the last word has left.
void TickedSwitch::report_ends_of_data() {
  for (auto& [key, c] : circuits_) {
    if (c.finished) continue;
    const std::int64_t end = known_end_of_data(key.first, key.second);
    if (end < 0) continue;
    c.finished = true;
    c.signals = false;
    signal(std::max(t_, end - nic_ - 2 * control_wire_), key.first, key.second, Report::is_empty);
  }
}

bool TickedSwitch::worms_go_first(Port i) {
  PortState& p = ports_[i];
  const Window& w = windows_.front();
  if (!plan_ || plane_ || p_.is_tree() || t_ >= (w.seen + w.close) / 2) return false;
  return p.link_free > t_ || (!p.wormhole.empty() && has_credit(i, p.wormhole.front().destination));
}

}  // namespace hybrid
