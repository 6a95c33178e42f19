// Ticked switch: NIC and switch node of predictive circuits, slot by slot.
#include <algorithm>
#include <ranges>
#include <utility>

#include "emulator/ticked/ticked_switch.h"

namespace hybrid {

void TickedSwitch::send_request(Port i, Port j, bool demand) {
  Circuit& c = circuit(i, j);
  c.requested = c.at_switch = true;
  c.demanding = demand;
  c.releasing = false;
  note_worms(i, j);
  control([this, i, j, demand] {
    Circuit& wanted = circuit(i, j);
    if (demand && p_.demand_guard && !wanted.established && wanted.patience < 0) {
      wanted.attempts = 0;
      wanted.patience = t_ + retry();
    }
    if (demand && p_.evicts_at_once && !wanted.established && !has_room({i, j})) make_room({i, j}, false);
    scheduler_->request(Time{t_}, {i, j});
  });
}

void TickedSwitch::release(Port i, Port j) {
  Circuit& c = circuit(i, j);
  c.release_due = false;
  if (!c.in_table && !c.requested && !c.at_switch) return;
  c.releasing = c.in_table;
  c.requested = c.at_switch = false;
  control([this, i, j] {
    circuit(i, j).patience = -1;
    scheduler_->release(Time{t_}, {i, j});
  });
}

void TickedSwitch::consult_predictor(const Message& message, Port offered) {
  const auto [i, j] = message.connection;
  if (plan_) expected_[i].note_send(Time{t_}, j, message.bytes);
  apply_decisions(i, predictors_[i]->on_send(Time{t_}, j, message.bytes, message.site), offered);
  if (!plan_) return;
  if (expected_[i].update(*predictors_[i], i, j))
    control([this, i = i, expected = expected_[i].reported()] { plan_->expect(i, expected); });
  std::vector<Predictor::Expectation> sends(PredictorShape::kMostAhead);
  sends.resize(predictors_[i]->expect(sends));
  for (const Port next : sends | std::views::transform(&Predictor::Expectation::destination))
    if (next != i && predictors_[i]->holds(next) && !circuit(i, next).in_table && !circuit(i, next).requested)
      send_request(i, next, next == offered);
}

void TickedSwitch::apply_decisions(Port i, const Predictor::Decisions& d, Port offered) {
  for (const Port j : d.release) {
    Circuit& c = circuit(i, j);
    c.release_due = j == offered || c.waits(t_);
    if (!c.release_due) release_unless_used(i, j);
  }
  for (const Port j : d.request) {
    if (j == i) continue;
    Circuit& c = circuit(i, j);
    c.release_due = false;
    if ((!c.in_table || c.releasing) && !c.requested) send_request(i, j, j == offered || c.waits(t_));
  }
}

void TickedSwitch::note_worms(Port i, Port j) {
  if (!cleared(i, j)) circuit(i, j).served_by_worms = true;
}

void TickedSwitch::release_unless_used(Port i, Port j) {
  Circuit& c = circuit(i, j);
  c.release_due = false;
  if (!c.in_table && !c.requested) return release(i, j);
  if (!cleared(i, j) && predictors_[i]->would_take_back(Time{t_}, j, Time{t_})) {
    c.release_due = c.due_after_worms = true;
    return;
  }
  c.due_after_worms = false;
  const std::int64_t used = cleared(i, j) ? std::max(c.gone, c.worms_cleared) : t_;
  if (!predictors_[i]->take_back(Time{t_}, j, Time{used})) release(i, j);
}

void TickedSwitch::advance_slots() {
  run_demand_guard();
  std::vector<Grant> grants;
  scheduler_->advance(Time{t_}, grants);
  for (const Grant& g : grants) {
    const auto [i, j] = g.connection;
    Circuit& c = circuit(i, j);
    changed_[g.slot] = true;
    const bool up = g.kind == Grant::Kind::established;
    if (up) {
      schedule_[g.slot].add(g.connection);
      c.slot = g.slot;
      c.established_since = t_;
      c.patience = -1;
    } else {
      schedule_[g.slot].remove(g.connection);
    }
    c.established = up;
    note_wanted(i, j);
    later(t_ + control_wire_, 1, [this, i = i, j = j, up] {
      Circuit& notified = circuit(i, j);
      notified.in_table = up;
      notified.requested = false;
      if (up) return note_worms(i, j);
      notified.releasing = false;
      if (notified.waits(t_)) send_request(i, j, true);
    });
  }
  if (t_ == boundary_) begin_slot();
}

std::int64_t TickedSwitch::switches_between(Port i, Port j) const {
  std::int64_t switches = 1;
  if (p_.tree.levels == 0) return switches;
  for (i /= p_.tree.down, j /= p_.tree.down; i != j; i /= p_.tree.down, j /= p_.tree.down) switches += 2;
  return switches;
}

std::int64_t TickedSwitch::switches_on_circuit(Port i, Port j) const {
  if (p_.tree.turns_at_top) return 2 * std::int64_t{p_.tree.levels} - 1;
  return switches_between(i, j);
}

void TickedSwitch::count_offered(std::uint64_t words, bool known) {
  (known ? traffic_.predictive : traffic_.wormhole) += words;
  const std::int64_t slot =
      static_cast<std::int64_t>(p_.nodes) * std::max<std::int64_t>(1, p_.slot_length.ps / word_);
  const std::int64_t window = 128 * slot;
  if (counted_words_ < 0) counted_words_ = slot;
  const std::int64_t counted = std::min(static_cast<std::int64_t>(words), window);
  counted_words_ = std::min(counted_words_ + counted, window);
  predictable_ += ((known ? kWhole : 0) - predictable_) * counted / counted_words_;
  const bool before = foreground_;
  const PortSet none(p_.slots);  // waiting data does not affect the decision
  foreground_ = allocation_->foreground({p_.slots,
                                         shares_fabric_,
                                         none,
                                         false,
                                         previous_slot_,
                                         previous_predictive_,
                                         none,
                                         {},
                                         passed_over_,
                                         0,
                                         predictable_,
                                         foreground_,
                                         traffic_});
  if (foreground_ != before)
    later(t_ + control_wire_, 1, [this, now = foreground_] { nics_foreground_ = now; });
}

/// As known to the controller; reports of a tree's switches take a cable for each level in between.
std::uint32_t TickedSwitch::inputs_with_worms() const {
  std::uint32_t count = 0;
  if (plane_) return count;
  if (tree_ != nullptr) {
    for (std::uint32_t level = 0; level < p_.tree.levels; ++level) {
      const std::int64_t seen = t_ - (p_.tree.levels - 1 - level) * p_.cable.ps;
      if (seen >= 0) count += worms_seen_[level][static_cast<std::size_t>(seen)];
    }
    return count;
  }
  std::set<Port> inputs;
  for (const auto& [key, q] : queues_)
    if (q.requested || q.granted) inputs.insert(key.first);
  return static_cast<std::uint32_t>(inputs.size());
}

void TickedSwitch::note_departed_worm(Port i, std::uint64_t words) {
  worm_efficiency_.used += words * static_cast<std::uint64_t>(word_);
  ports_[i].words_as_worms -= words;
}

void TickedSwitch::measure_worms() {
  if (shares_fabric_ && std::any_of(openings_.begin(), openings_.end(),
                                    [this](const Opening& o) { return o.begin <= t_ && t_ < o.until; }))
    for (const PortState& p : ports_) worm_efficiency_.all += p.words_as_worms != 0 ? 1 : 0;
}

void TickedSwitch::open_for_worms(std::int64_t begin, std::int64_t until, std::int64_t setup,
                                  const Configuration& circuits) {
  const bool follows = !openings_.empty() && openings_.back().until == begin;
  const auto ready = [&](bool circuit, std::int64_t before) {
    return circuit ? kNever : before != kNever ? before : begin + setup;
  };
  Opening o{begin, until, {}, {}};
  for (Port port = 0; port < p_.nodes; ++port) {
    const bool any = circuits.ports() != 0;
    o.input_ready.push_back(ready(any && circuits.destination_of(port) != kNoPort,
                                  follows ? openings_.back().input_ready[port] : kNever));
    o.output_ready.push_back(ready(any && circuits.source_of(port) != kNoPort,
                                   follows ? openings_.back().output_ready[port] : kNever));
  }
  openings_.push_back(std::move(o));
}

void TickedSwitch::begin_slot() {
  PortSet occupied(p_.slots);
  for (std::uint32_t s = 0; s < p_.slots; ++s)
    if (!schedule_[s].empty()) occupied.set(s);
  const std::uint32_t inputs = inputs_with_worms();
  PortSet wanted(p_.slots);
  std::vector<Configuration> active(p_.slots, Configuration(p_.nodes));
  for (std::uint32_t s = 0; s < p_.slots; ++s)
    for (const Connection c : schedule_[s].connections())
      if (wanted_[s].test(c.source)) {
        wanted.set(s);
        active[s].add(c);
      }
  std::vector<std::uint32_t> wanted_connections(p_.slots);
  for (std::uint32_t s = 0; s < p_.slots; ++s)
    wanted_connections[s] = static_cast<std::uint32_t>(active[s].count());
  if (slot_now_ < p_.slots && wanted.test(slot_now_)) {
    const std::int64_t usable = t_ - slot_began_ - slot_lost_;
    circuit_efficiency_.used += static_cast<std::uint64_t>(usable - usable % word_);
    circuit_efficiency_.all += static_cast<std::uint64_t>(t_ - slot_began_);
  }
  const SlotChoice choice = allocation_->choose_slot(
      {p_.slots, shares_fabric_, occupied, inputs != 0, previous_slot_, previous_predictive_, wanted,
       wanted_connections, passed_over_, inputs, predictable_, foreground_, traffic_, circuits_passed_over_,
       circuit_efficiency_, worm_efficiency_});
  circuits_passed_over_ = wanted.any() && choice.slot == p_.slots ? circuits_passed_over_ + 1 : 0;
  for (std::uint32_t s = 0; s <= p_.slots; ++s)
    passed_over_[s] =
        !(s < p_.slots ? wanted.test(s) : inputs != 0) || choice.slot == s ? 0 : passed_over_[s] + 1;
  boundary_ = t_ + choice.length.ps;
  Window window{t_ + control_wire_, t_ + control_wire_, boundary_ + control_wire_, {}, {}, {}};
  Configuration& shown = window.configuration;
  if (choice.slot < p_.slots) {
    if (plan_) {
      compose(choice.slot, window);
    } else {
      shown = choice.shared ? active[choice.slot] : schedule_[choice.slot];
      for (std::uint32_t k = 1; choice.shared && k < p_.slots; ++k)
        for (const Connection c : active[(choice.slot + k) % p_.slots].connections())
          if (shown.fits(c)) shown.add(c);
    }
  }
  std::int64_t lost = p_.guard.ps;
  if (choice.slot != kIdleSlot) {
    if (in_fabric_ != choice.slot || changed_[choice.slot]) lost += p_.fabric_reconfiguration().ps + spread_;
    changed_[choice.slot] = choice.shared;
    in_fabric_ = previous_slot_ = choice.slot;
    if (choice.slot < p_.slots) previous_predictive_ = choice.slot;
    if (choice.slot == p_.slots && plan_) plan_->note_worms_only();
    if (choice.slot == p_.slots || (choice.shared && p_.tree.levels == 0)) {
      const std::int64_t skew = control_wire_ + (p_.serialise + p_.cable).ps;
      open_for_worms(t_ + skew, boundary_ + skew, lost, shown);
    }
  }
  slot_now_ = choice.slot;
  slot_began_ = t_;
  slot_lost_ = lost;
  if (choice.shared && !windows_.empty() && windows_.back().close == window.seen) {
    bool all = true;
    for (const Connection c : shown.connections()) {
      const Configuration& before = windows_.back().configuration;
      all = all && before.ports() != 0 && before.destination_of(c.source) == c.destination;
    }
    if (all) lost = p_.guard.ps;
  }
  if (!plan_) window.open += lost;  // otherwise PortState::ready has the circuits that begin
  windows_.push_back(std::move(window));
}

}  // namespace hybrid
