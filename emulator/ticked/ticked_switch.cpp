#include "emulator/ticked/ticked_switch.h"

#include <algorithm>
#include <utility>

#include "emulator/predictor_shape.h"

namespace hybrid {

TickedSwitch::TickedSwitch(const SwitchParameters& p) : p_(p) {
  slotted_ = p.technique == "tdm" || p.technique == "hybrid";
  has_worms_ = p.technique == "wormhole" || p.technique == "packet" || p.technique == "hybrid";
  plane_ = p.has_packet_plane();
  shares_fabric_ = p.technique == "hybrid" && !plane_;
  word_ = worm_word_ = p.word_time().ps;
  if (plane_) {
    SwitchParameters plane = p;
    plane.link_rate = static_cast<BitRate>(static_cast<double>(p.link_rate) * p.packet_plane);
    worm_word_ = plane.word_time().ps;
  }
  nic_ = p.nic.delay().ps;
  wire_ = p.one_way_wire().ps;
  control_wire_ = wire_;
  if (p.tree.levels != 0) {
    control_wire_ += (p.tree.levels - 1) * p.cable.ps;
    spread_ = (p.analog_fabric.delay() + p.cable).ps * 2 * (std::int64_t{p.tree.levels} - 1);
    if (p.technique == "hybrid")
      tree_ = std::make_unique<TickedTreeSwitches>(
          p, TickedTreeSwitches::Fabric{spacing(), worm_path(), worm_setup()});
    worms_seen_.resize(p.tree.levels);
  }
  const auto words = [&](Bytes size) {
    return size == kUnlimited ? 1 << 30 : static_cast<int>(size / p.word);
  };
  room_ = words(queue_sizes(p).destination);
  worm_room_ = words(queue_sizes(p).worms);
  input_room_ = words(queue_sizes(p).input);
  ports_.resize(p.nodes);
  for (auto& port : ports_) port.output_turn = 0;
  if (slotted_) {
    scheduler_ = make_scheduler_port(p);
    allocation_ = AllocationRegistration::make(p.allocation, p);
    if (allocation_->keeps_circuits()) {
      const bool keeps_unused = CircuitPlan::keeps_unused(p, shares_fabric_);
      plan_.emplace(p, keeps_unused);
      expected_.assign(
          p.nodes, ExpectedDestination(p, CircuitPlan::least_accuracy(p, keeps_unused), plan_->protection()));
      if (shares_fabric_ && p.tree.levels == 0)
        open_for_worms(0, control_wire_ + (p.serialise + p.cable).ps, 0, {});
    }
    wanted_.assign(p.slots, PortSet(p.nodes));
    previous_slot_ = shares_fabric_ ? p.slots : p.slots - 1;
    previous_predictive_ = p.slots - 1;
    passed_over_.assign(p.slots + 1, 0);
    schedule_.assign(p.slots, Configuration(p.nodes));
    preloaded_ = schedule_;
    preloaded_since_.assign(p.slots, 0);
    changed_.assign(p.slots + 1, false);
    if (has_worms_ && !p.misses_use_worms)
      path_choice_.emplace(p, Timing(p), WormRate{Time{spacing()}, Time{worm_path()}, Time{worm_setup()}});
    for (std::uint32_t i = 0; i < p.nodes; ++i)
      predictors_.push_back(PredictorRegistration::make(p.predictor, predictor_shape(p)));
  }
}

std::vector<Outcome> TickedSwitch::run(const std::vector<Action>& script, std::int64_t give_up) {
  std::size_t messages = 0, next = 0;
  for (const Action& a : script) messages += a.what == Action::What::send ? 1 : 0;
  outcomes_.resize(messages);
  payload_.resize(messages);
  for (t_ = 0; delivered_ < messages && t_ <= give_up; ++t_) {
    while (next < script.size() && script[next].at.ps == t_) act_on(script[next++]);
    tick();
  }
  return outcomes_;
}

void TickedSwitch::later(std::int64_t at, int phase, std::function<void()> f) {
  events_[{at, phase}].push_back(std::move(f));
}

void TickedSwitch::act_on(const Action& a) {
  if (a.what == Action::What::send) {
    ports_[a.message.connection.source].waiting.emplace_back(t_, a.message);
  } else if (slotted_ && a.what == Action::What::preload) {
    control([this, a] {
      for (auto& other : preloaded_)
        for (const Connection c : a.configuration.connections()) other.remove(c);
      preloaded_[a.slot] = a.configuration;
      preloaded_since_[a.slot] = t_;
      scheduler_->preload(Time{t_}, a.slot, a.configuration);
    });
  } else if (slotted_) {
    const Port source = a.source;
    control([this, source] {
      for (auto& [key, c] : circuits_)
        if (source == kNoPort || key.first == source) c.patience = -1;
      for (auto& held : preloaded_)
        for (const Connection c : held.connections())
          if (source == kNoPort || c.source == source) held.remove(c);
      scheduler_->flush(Time{t_}, source);
    });
    for (Port i = 0; i < p_.nodes; ++i) {
      if (source != kNoPort && i != source) continue;
      predictors_[i]->on_flush();
      for (auto& [key, c] : circuits_) {
        if (key.first != i) continue;
        c.requested = c.at_switch = c.release_due = false;
        if (!c.waits(t_)) continue;
        send_request(i, key.second, true);
        c.release_due = true;
      }
    }
  }
}

void TickedSwitch::tick() {
  for (auto& [key, c] : circuits_) {
    if (!c.served_by_worms || !cleared(key.first, key.second)) continue;
    c.served_by_worms = false;
    c.worms_cleared = t_;
  }
  for (Port i = 0; i < p_.nodes; ++i) offer(i);
  run_phase(1);  // notices
  if (slotted_) {
    for (Port i = 0; i < p_.nodes; ++i)
      if (predictors_[i]->next_deadline().ps <= t_)
        apply_decisions(i, predictors_[i]->on_time(Time{t_}), kNoPort);
    for (auto& [key, c] : circuits_)
      if (c.release_due && !c.waits(t_) && (!c.due_after_worms || cleared(key.first, key.second)))
        release_unless_used(key.first, key.second);
    for (auto& [key, c] : circuits_) {
      if (c.signals || c.finished || !cleared(key.first, key.second)) continue;
      c.signals = true;
      signal(t_, key.first, key.second, Report::waits, c.due);
    }
  }
  end_worms();
  request_for_worms();
  if (tree_ != nullptr) {
    tree_->free_ports(t_, [this](std::int64_t at) { return known_start(0, 0, at); });
    tree_->make_requests(t_);
    for (std::uint32_t level = 0; level < p_.tree.levels; ++level)
      worms_seen_[level].push_back(tree_->inputs_with_worms(level));
    for (const auto& [i, words] : tree_->take_departed())
      later(t_ + (p_.tree.levels - 1) * p_.cable.ps, 2,
            [this, i = i, words = words] { note_departed_worm(i, words); });
  }
  run_phase(2);  // control words at the switch
  receive_signals();
  if (slotted_) advance_slots();
  if (p_.technique == "circuit") {
    for (Port i = 0; i < p_.nodes; ++i) finish_circuit(i);
  }
  run_phase(3);  // freed ports
  if (t_ % p_.scheduler.cycle.ps == 0) pass();
  if (tree_ != nullptr && t_ % p_.scheduler.cycle.ps == 0) tree_->pass(t_);
  run_phase(4);  // grants without delay
  while (move_words()) {
  }
  if (plan_) report_ends_of_data();
  while (events_.contains({t_, 5})) {  // NICs that choose again
    run_phase(5);
    while (move_words()) {
    }
    if (plan_) report_ends_of_data();
  }
  measure_worms();
  const auto outputs = arriving_.find(t_);
  if (outputs == arriving_.end()) return;
  for (const std::uint64_t id : outputs->second) {
    outcomes_[id].delivered = Time{t_};
    ++delivered_;
  }
}

void TickedSwitch::run_phase(int phase) {
  const auto found = events_.find({t_, phase});
  if (found == events_.end()) return;
  const auto todo = std::move(found->second);
  events_.erase(found);
  for (const auto& f : todo) f();
}

bool TickedSwitch::window_grants(Port i, Port j) const {
  if (windows_.empty() || windows_.front().seen > t_) return false;
  const Configuration& shown = windows_.front().configuration;
  return shown.ports() != 0 && shown.destination_of(i) == j;
}

PathChoice::Offer TickedSwitch::offer_of(Port i, Port j, std::uint64_t words) {
  const Circuit& c = circuit(i, j);
  PathChoice::Offer offer;
  offer.words = words;
  const Port next = plan_ ? expected_[i].reported() : kNoPort;
  if (c.in_table && window_grants(i, j) && (next == kNoPort || next == j)) {
    offer.circuit = PathChoice::Circuit::open;
    offer.opens = Time{std::max(windows_.front().open, ports_[i].ready) - t_};
  } else if (c.in_table) {
    offer.circuit = next == j ? PathChoice::Circuit::expected : PathChoice::Circuit::in_table;
  }
  offer.can_be_granted = std::any_of(preloaded_.begin(), preloaded_.end(),
                                     [](const Configuration& held) { return held.empty(); });
  for (const auto& [key, other] : circuits_)
    offer.connections_with_data += key.first == i && other.waits(t_) ? 1 : 0;
  offer.circuits_ahead = ports_[i].circuits_ahead.at(Time{t_});
  offer.worms_ahead = ports_[i].worms_ahead.at(Time{t_});
  offer.messages_ahead =
      ports_[i].circuits_ahead.messages(Time{t_}) + ports_[i].worms_ahead.messages(Time{t_});
  offer.worms_under_way = !cleared(i, j);
  offer.switches = Timing(p_).switches_between({i, j});
  return offer;
}

bool TickedSwitch::chooses_circuit(Port i, Port j, std::uint64_t words) {
  if (!path_choice_) return circuit(i, j).in_table;
  return path_choice_->by_circuit(offer_of(i, j, words));
}

void TickedSwitch::choose_again(Port i) {
  PortState& p = ports_[i];
  if (!path_choice_ || p.worms_ahead.messages(Time{t_}) != 0) return;
  const PathChoice& choice = *path_choice_;
  Port j = kNoPort;
  std::int64_t entered = -1;  // its first word
  for (const auto& [key, c] : circuits_)
    if (key.first == i && prefers_worms(choice, i, key.second) && entered < c.words.front().at) {
      j = key.second;
      entered = c.words.front().at;
    }
  if (j == kNoPort) return;
  Circuit& c = circuit(i, j);
  if (c.requested && !c.in_table && !predictors_[i]->holds(j)) release(i, j);
  if (c.in_table || c.requested) c.served_by_worms = true;
  for (const Word& old : c.words) {
    if (!old.first) continue;
    p.circuits_ahead.leaves(Time{t_}, choice.circuit_work(payload_[old.message]));
    p.worms_ahead.add(choice.worm_occupancy(payload_[old.message]));
    for (Word word : words_in_worms(old.message, j)) {
      word.at = t_;
      p.wormhole.push_back(word);
      ++c.worm_words;
    }
  }
  c.words.clear();
  c.messages.clear();
  c.unsent = 0;
  c.finished = true;
  c.signals = c.demanding = false;
  signal(t_, i, j, Report::is_empty);
  c.gone = t_;
  if (c.release_due) release_unless_used(i, j);
}

bool TickedSwitch::prefers_worms(const PathChoice& choice, Port i, Port j) {
  const Circuit& c = circuit(i, j);
  if (c.words.empty() || c.words.size() != c.unsent || !c.words.front().first || t_ < c.gone) return false;
  if (window_grants(i, j) &&
      std::max({t_, windows_.front().open, ports_[i].ready}) + word_ <= windows_.front().close)
    return false;
  int places = 0;
  for (const Word& word : c.words)
    if (word.first) places += static_cast<int>(words_in_worms(word.message, j).size());
  if (places > worm_room_) return false;
  PathChoice::Offer offer = offer_of(i, j, c.unsent);
  --offer.connections_with_data;
  offer.circuits_ahead = offer.circuits_ahead - choice.circuit_work(c.unsent);
  return !choice.by_circuit(offer);
}

void TickedSwitch::offer(Port i) {
  PortState& p = ports_[i];
  if (!p.handing.empty() || p.waiting.empty()) return;
  const auto [sent, message] = p.waiting.front();
  if (t_ != std::max(p.pe_free, sent + p_.word_generation.ps)) return;
  p.waiting.pop_front();
  p.pe_free = t_;
  const Port j = message.connection.destination;
  Circuit& c = circuit(i, j);
  const std::uint64_t payload = std::max<std::uint64_t>(1, (message.bytes + p_.word - 1) / p_.word);
  payload_[message.id] = payload;
  p.by_worm =
      has_worms_ && !(slotted_ && ((chooses_circuit(i, j, payload) && nics_foreground_) || c.waits(t_)));
  if (path_choice_ && p.by_worm) p.worms_ahead.add(path_choice_->worm_occupancy(payload));
  if (path_choice_ && !p.by_worm) p.circuits_ahead.add(path_choice_->circuit_work(payload));
  if (!p.by_worm) {
    if (!c.waits(t_)) {
      c.gone_before = c.gone;
      c.busy_since = t_;
    }
    note_worms(i, j);
    if (slotted_) {
      consult_predictor(message, j);
      if ((!has_worms_ || path_choice_) && !c.in_table && !(c.requested && c.demanding))
        send_request(i, j, true);
    } else if (c.state == 0) {
      c.state = 3;
      p.waiting_to_request.push_back(j);
      request_circuits(i);
    }
    outcomes_[message.id].hit = slotted_ ? c.in_table : c.state == 2;
    for (std::uint64_t k = 0; k < payload; ++k)
      p.handing.push_back({0, message.id, j, k == 0, k + 1 == payload, 0});
    if (slotted_)
      control([this, i, j, payload] {
        circuit(i, j).known_words += payload;
        if (circuit(i, j).established) note_wanted(i, j);
        count_offered(payload, true);
      });
    c.unsent += payload;
    c.messages.push_back({payload, c.finished});
    if (c.finished) c.due = t_ + static_cast<std::int64_t>(payload) * word_;
    c.finished = false;
    return;
  }
  if (slotted_)
    control([this, i, payload, known = c.in_table] {
      ports_[i].words_as_worms += payload;
      count_offered(payload, known);
    });
  if (slotted_) consult_predictor(message, kNoPort);
  if (path_choice_) outcomes_[message.id].hit = c.in_table;
  if (c.in_table || c.requested) c.served_by_worms = true;
  for (const Word& word : words_in_worms(message.id, j)) {
    p.handing.push_back(word);
    ++c.worm_words;
  }
}

std::vector<TickedSwitch::Word> TickedSwitch::words_in_worms(std::uint64_t message, Port destination) {
  std::vector<Word> all;
  const std::uint64_t limit = p_.worm_limit / p_.word;
  for (std::uint64_t left = payload_[message]; left > 0;) {
    const std::uint64_t body = std::min(left, limit);
    left -= body;
    const std::uint64_t words = body + p_.worm_overhead_words;
    for (std::uint64_t k = 0; k < words; ++k)
      all.push_back({0, message, destination, all.empty(), left == 0 && k + 1 == words,
                     k == 0 ? static_cast<int>(words) : 0, made_by(p_, k, body)});
  }
  return all;
}

}  // namespace hybrid
