// For tests: the dissertation's techniques, written without runs, events or certainty ahead: every component
// looks at every picosecond and moves single words. Slow and plain on purpose; it shares with the emulator
// the parameters, the scheduler port, the predictors and the allocations, and nothing else.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "emulator/scheduler/model_port.h"
#include "emulator/switching/switching_harness.h"
#include "emulator/tdm/allocation.h"
#include "predictor/predictor.h"

namespace hybrid {

class TickedSwitch {
 public:
  explicit TickedSwitch(const SwitchParameters& p) : p_(p) {
    circuits_only_ = p.technique == "circuit" || p.technique == "tdm";
    slotted_ = p.technique == "tdm" || p.technique == "hybrid";
    has_worms_ = p.technique == "wormhole" || p.technique == "packet" || p.technique == "hybrid";
    word_ = p.word_time().ps;
    nic_ = p.nic.delay().ps;
    wire_ = p.one_way_wire().ps;
    control_wire_ = wire_;
    if (p.tree.levels > 1) {
      control_wire_ += (p.tree.levels - 1) * p.cable.ps;
      spread_ = 2 * (p.tree.levels - 1) * (p.analog_fabric.delay() + p.cable).ps;
    }
    room_ = p.buffer == kUnlimited ? 1 << 30 : static_cast<int>(p.buffer / p.word);
    ports_.resize(p.nodes);
    for (auto& port : ports_) port.output_turn = 0;
    if (slotted_) {
      scheduler_ = make_scheduler_port(p);
      allocation_ = AllocationRegistration::make(p.allocation, p);
      previous_slot_ = p.technique == "hybrid" ? p.slots : p.slots - 1;
      previous_predictive_ = p.slots - 1;
      passed_over_.assign(p.slots + 1, 0);
      schedule_.assign(p.slots, Configuration(p.nodes));
      preloaded_ = schedule_;
      changed_.assign(p.slots + 1, false);
      for (std::uint32_t i = 0; i < p.nodes; ++i)
        predictors_.push_back(PredictorRegistration::make(
            p.predictor,
            PredictorShape{p.nodes, p.slots, p.predictor_timeout, p.predictor_threshold, p.predictor_pause}));
    }
  }

  std::vector<Outcome> run(const std::vector<Action>& script, std::int64_t give_up) {
    std::size_t messages = 0, next = 0;
    for (const Action& a : script) messages += a.what == Action::What::send ? 1 : 0;
    outcomes_.resize(messages);
    for (t_ = 0; delivered_ < messages && t_ <= give_up; ++t_) {
      while (next < script.size() && script[next].at.ps == t_) act_on(script[next++]);
      tick();
    }
    return outcomes_;
  }

 private:
  struct Word {
    std::int64_t at = 0;  // entry or arrival
    std::uint64_t message = 0;
    Port destination = 0;
    bool first = false, last = false;
    int worm = 0;  // words of its worm, on the worm's first word
  };
  struct Circuit {
    std::deque<Word> words;
    std::uint64_t unsent = 0;  // words of offered messages that have not left
    std::int64_t gone = 0, gone_before = 0, busy_since = 0;
    // circuit switching
    int state = 0;  // idle, requested, held
    // slotted
    bool in_table = false, requested = false, demanding = false, releasing = false, release_due = false;
    bool established = false;
    std::int64_t established_since = 0, patience = -1;
    unsigned attempts = 0;
    bool tells = false;    // that data waits that can leave
    int told_waiting = 0;  // as the switch knows
    // worms of the same connection
    std::uint64_t worm_words = 0;  // offered and not left VQ_W
    std::int64_t worm_left = -1'000'000;
    bool waits(std::int64_t t) const { return unsent > 0 || t < gone; }
  };
  struct VirtualQueue {
    std::deque<Word> words;
    int credits_used = 0;
    bool asked = false, granted = false;
  };
  struct PortState {
    std::deque<std::pair<std::int64_t, Message>> waiting;
    std::int64_t pe_free = 0;
    std::deque<Word> handing;  // words of the offered message still in the PE
    bool by_worm = false;
    std::deque<Word> wormhole;  // Q_W
    std::int64_t link_free = 0;
    bool owned = false;  // the link, by a circuit, in this window
    // switch input
    int worm_left = 0;
    Port worm_to = 0;
    std::int64_t worm_free = 0, freed_at = -1;
    bool input_busy = false, output_busy = false;
    Port output_turn = 0;
    std::int64_t circuit_to = -1;
  };

  Circuit& circuit(Port i, Port j) { return circuits_[{i, j}]; }
  void later(std::int64_t at, int phase, std::function<void()> f) {
    events_[{at, phase}].push_back(std::move(f));
  }

  // ---- asked from outside
  void act_on(const Action& a) {
    if (a.what == Action::What::send) {
      ports_[a.message.connection.source].waiting.emplace_back(t_, a.message);
    } else if (slotted_ && a.what == Action::What::preload) {
      control([this, a] {
        for (auto& other : preloaded_)
          for (const Connection c : a.configuration.connections()) other.remove(c);
        preloaded_[a.slot] = a.configuration;
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
          c.requested = c.release_due = false;
          if (c.waits(t_)) ask(i, key.second, true);
        }
      }
    }
  }
  void control(std::function<void()> f) { later(t_ + nic_ + control_wire_, 2, std::move(f)); }

  // ---- one picosecond
  void tick() {
    for (Port i = 0; i < p_.nodes; ++i) offer(i);
    run_phase(1);  // notices
    if (slotted_) {
      for (Port i = 0; i < p_.nodes; ++i)
        if (predictors_[i]->next_deadline().ps <= t_) apply(i, predictors_[i]->on_time(Time{t_}), kNoPort);
      for (auto& [key, c] : circuits_)
        if (c.release_due && !c.waits(t_)) release(key.first, key.second);
      for (auto& [key, c] : circuits_) {
        if (c.tells || c.unsent == 0 || c.worm_words > 0 || t_ < c.worm_left + wire_) continue;
        c.tells = true;
        control([&told = c] { ++told.told_waiting; });
      }
    }
    for (Port i = 0; i < p_.nodes; ++i) end_worm(i);
    ask_for_worms();
    run_phase(2);  // control words at the switch
    if (slotted_) slotted_switch();
    if (p_.technique == "circuit") {
      for (Port i = 0; i < p_.nodes; ++i) finish_circuit(i);
    }
    run_phase(3);  // freed ports
    if (t_ % p_.scheduler.cycle.ps == 0) pass();
    run_phase(4);  // grants without delay
    while (move()) {
    }
    const auto outputs = arriving_.find(t_);
    if (outputs == arriving_.end()) return;
    for (const std::uint64_t id : outputs->second) {
      outcomes_[id].delivered = Time{t_};
      ++delivered_;
    }
  }
  void run_phase(int phase) {
    const auto found = events_.find({t_, phase});
    if (found == events_.end()) return;
    const auto todo = std::move(found->second);
    events_.erase(found);
    for (const auto& f : todo) f();
  }

  void offer(Port i) {
    PortState& p = ports_[i];
    if (!p.handing.empty() || p.waiting.empty()) return;
    const auto [sent, message] = p.waiting.front();
    if (t_ != std::max(p.pe_free, sent + p_.word_generation.ps)) return;
    p.waiting.pop_front();
    p.pe_free = t_;
    const Port j = message.connection.destination;
    Circuit& c = circuit(i, j);
    p.by_worm = has_worms_ && !(slotted_ && ((c.in_table && nics_foreground_) || c.waits(t_)));
    std::uint64_t payload = std::max<std::uint64_t>(1, (message.bytes + p_.word - 1) / p_.word);
    if (!p.by_worm) {
      if (!c.waits(t_)) {
        c.gone_before = c.gone;
        c.busy_since = t_;
      }
      if (slotted_) {
        apply(i, predictors_[i]->on_send(Time{t_}, j, message.bytes, 0), j);
        if (!has_worms_ && !c.in_table && !(c.requested && c.demanding)) ask(i, j, true);
      } else if (c.state == 0) {
        c.state = 1;
        control([this, i, j] { requests_.insert({i, j}); });
      }
      outcomes_[message.id].hit = slotted_ ? c.in_table : c.state == 2;
      for (std::uint64_t k = 0; k < payload; ++k)
        p.handing.push_back({0, message.id, j, k == 0, k + 1 == payload, 0});
      if (slotted_) control([this, payload] { offered(payload, true); });
      c.unsent += payload;
      return;
    }
    if (slotted_) control([this, payload, known = c.in_table] { offered(payload, known); });
    if (slotted_) apply(i, predictors_[i]->on_send(Time{t_}, j, message.bytes, 0), kNoPort);
    const std::uint64_t limit = p_.worm_limit / p_.word;
    bool first = true;
    while (payload > 0) {
      const std::uint64_t body = std::min(payload, limit);
      payload -= body;
      const std::uint64_t words = body + p_.worm_overhead_words;
      for (std::uint64_t k = 0; k < words; ++k) {
        p.handing.push_back(
            {0, message.id, j, first, payload == 0 && k + 1 == words, k == 0 ? static_cast<int>(words) : 0});
        first = false;
      }
      c.worm_words += words;
    }
  }

  // ---- NIC of predictive circuits
  void ask(Port i, Port j, bool demand) {
    Circuit& c = circuit(i, j);
    c.requested = true;
    c.demanding = demand;
    c.releasing = false;
    control([this, i, j, demand] {
      Circuit& wanted = circuit(i, j);
      if (demand && !wanted.established && wanted.patience < 0) {
        wanted.attempts = 0;
        wanted.patience = t_ + patience();
      }
      scheduler_->request(Time{t_}, {i, j});
    });
  }
  void release(Port i, Port j) {
    Circuit& c = circuit(i, j);
    c.release_due = false;
    if (!c.in_table && !c.requested) return;
    c.releasing = c.in_table;
    c.requested = false;
    control([this, i, j] {
      circuit(i, j).patience = -1;
      scheduler_->release(Time{t_}, {i, j});
    });
  }
  void apply(Port i, const Predictor::Decisions& d, Port offered) {
    for (const Port j : d.release) {
      if (j == offered || circuit(i, j).waits(t_))
        circuit(i, j).release_due = true;
      else
        release(i, j);
    }
    for (const Port j : d.request) {
      if (j == i) continue;
      Circuit& c = circuit(i, j);
      c.release_due = false;
      if ((!c.in_table || c.releasing) && !c.requested) ask(i, j, j == offered || c.waits(t_));
    }
  }
  std::int64_t patience() const {
    return 2 * std::max(p_.slot_length.ps * (p_.slots + 1),
                        p_.scheduler.cycle.ps * p_.slots + p_.scheduler.delay().ps);
  }

  // ---- switch of predictive circuits
  void slotted_switch() {
    guard();
    std::vector<Grant> grants;
    scheduler_->advance(Time{t_}, grants);
    for (const Grant& g : grants) {
      const auto [i, j] = g.connection;
      Circuit& c = circuit(i, j);
      changed_[g.slot] = true;
      const bool up = g.kind == Grant::Kind::established;
      if (up) {
        schedule_[g.slot].add(g.connection);
        c.established_since = t_;
        c.patience = -1;
      } else {
        schedule_[g.slot].remove(g.connection);
      }
      c.established = up;
      later(t_ + control_wire_, 1, [this, i = i, j = j, up] {
        Circuit& told = circuit(i, j);
        told.in_table = up;
        told.requested = false;
        if (up) return;
        told.releasing = false;
        if (told.waits(t_)) ask(i, j, true);
      });
    }
    if (t_ == boundary_) begin_slot();
  }
  std::int64_t switches_between(Port i, Port j) const {
    std::int64_t switches = 1;
    if (p_.tree.levels == 0) return switches;
    for (i /= p_.tree.down, j /= p_.tree.down; i != j; i /= p_.tree.down, j /= p_.tree.down) switches += 2;
    return switches;
  }
  bool idle_seen(const Circuit& c) const {
    const std::int64_t told = t_ - control_wire_;
    return c.waits(t_) ? c.busy_since > told && c.gone_before <= told : c.gone <= told;
  }
  void guard() {
    std::vector<std::pair<Port, Port>> due;
    for (auto& [key, c] : circuits_)
      if (c.patience == t_) due.push_back(key);
    for (const auto& [i, j] : due) {
      Circuit& c = circuit(i, j);
      const bool busy_too = ++c.attempts >= 4;
      c.patience = t_ + patience();
      bool dynamic = false;
      int best = -1;
      std::int64_t best_key = 0;
      const auto blockers = [&, i = i, j = j](std::uint32_t s) {
        std::vector<Connection> found;
        if (schedule_[s].destination_of(i) != kNoPort) found.push_back({i, schedule_[s].destination_of(i)});
        if (schedule_[s].source_of(j) != kNoPort) found.push_back({schedule_[s].source_of(j), j});
        scheduler_->in_the_way(Time{t_}, s, {i, j}, found);
        return found;
      };
      for (std::uint32_t s = 0; s < p_.slots; ++s) {
        if (!preloaded_[s].empty()) continue;
        dynamic = true;
        std::int64_t key = -1;
        bool possible = true;
        for (const Connection b : blockers(s)) {
          const Circuit& blocker = circuit(b.source, b.destination);
          possible = possible && (busy_too || idle_seen(blocker));
          key = std::max(key, busy_too ? blocker.established_since : blocker.gone);
        }
        if (possible && (best < 0 || key < best_key)) {
          best = static_cast<int>(s);
          best_key = key;
        }
      }
      if (!dynamic) {
        preloaded_.back().clear();
        scheduler_->preload(Time{t_}, p_.slots - 1, Configuration(p_.nodes));
      } else if (best >= 0) {
        for (const Connection b : blockers(static_cast<std::uint32_t>(best)))
          scheduler_->release(Time{t_}, b);
      }
    }
  }
  /// The NICs offered so many words, of a connection that the table holds or not.
  void offered(std::uint64_t words, bool known) {
    (known ? traffic_.predictive : traffic_.wormhole) += words;
    const std::int64_t slot =
        static_cast<std::int64_t>(p_.nodes) * std::max<std::int64_t>(1, p_.slot_length.ps / word_);
    const std::int64_t window = 128 * slot;
    if (counted_words_ < 0) counted_words_ = slot;
    const std::int64_t counted = std::min(static_cast<std::int64_t>(words), window);
    counted_words_ = std::min(counted_words_ + counted, window);
    predictable_ += ((known ? kWhole : 0) - predictable_) * counted / counted_words_;
    const bool before = foreground_;
    const PortSet none(p_.slots);  // what waits where does not matter for this
    foreground_ = allocation_->foreground({p_.slots,
                                           has_worms_,
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
  void begin_slot() {
    PortSet occupied(p_.slots);
    for (std::uint32_t s = 0; s < p_.slots; ++s)
      if (!schedule_[s].empty()) occupied.set(s);
    std::set<Port> inputs;
    for (const auto& [key, q] : queues_)
      if (q.asked || q.granted) inputs.insert(key.first);
    PortSet wanted(p_.slots);
    std::vector<Configuration> active(p_.slots, Configuration(p_.nodes));
    for (std::uint32_t s = 0; s < p_.slots; ++s)
      for (const Connection c : schedule_[s].connections())
        if (circuit(c.source, c.destination).told_waiting > 0) {
          wanted.set(s);
          active[s].add(c);
        }
    std::vector<std::uint32_t> wanted_connections(p_.slots);
    for (std::uint32_t s = 0; s < p_.slots; ++s)
      wanted_connections[s] = static_cast<std::uint32_t>(active[s].count());
    const SlotChoice choice =
        allocation_->next({p_.slots, has_worms_, occupied, !inputs.empty(), previous_slot_,
                           previous_predictive_, wanted, wanted_connections, passed_over_,
                           static_cast<std::uint32_t>(inputs.size()), predictable_, foreground_, traffic_});
    for (std::uint32_t s = 0; s <= p_.slots; ++s)
      passed_over_[s] =
          !(s < p_.slots ? wanted.test(s) : !inputs.empty()) || choice.slot == s ? 0 : passed_over_[s] + 1;
    boundary_ = t_ + choice.length.ps;
    Configuration shown;
    std::int64_t lost = p_.guard.ps;
    if (choice.slot != kIdleSlot) {
      if (in_fabric_ != choice.slot || changed_[choice.slot]) lost += p_.reconfiguration.ps + spread_;
      changed_[choice.slot] = choice.shared;
      in_fabric_ = previous_slot_ = choice.slot;
      if (choice.slot < p_.slots) {
        previous_predictive_ = choice.slot;
        shown = choice.shared ? active[choice.slot] : schedule_[choice.slot];
        for (std::uint32_t k = 1; choice.shared && k < p_.slots; ++k)
          for (const Connection c : active[(choice.slot + k) % p_.slots].connections())
            if (shown.fits(c)) shown.add(c);
      }
      if (choice.slot == p_.slots || choice.shared) {
        const std::int64_t skew = wire_ + (p_.serialise + p_.cable).ps;
        openings_.push_back({t_ + skew, t_ + skew + lost, boundary_ + skew, shown});
      }
    }
    if (choice.shared && !windows_.empty() && windows_.back().close == t_ + control_wire_) {
      bool all = true;
      for (const Connection c : shown.connections()) {
        const Configuration& before = windows_.back().configuration;
        all = all && before.ports() != 0 && before.destination_of(c.source) == c.destination;
      }
      if (all) lost = p_.guard.ps;
    }
    windows_.push_back({t_ + control_wire_, t_ + control_wire_ + lost, boundary_ + control_wire_, shown});
  }

  /// Whether a word of a worm from `i` to `j` that starts now gets through: from an opening that lets it,
  /// through those that follow it without a gap.
  bool passes(Port i, Port j, std::int64_t spacing) const {
    const auto lets = [&](const Opening& o, Port in, Port out) {
      return o.circuits.ports() == 0 || ((in == kNoPort || o.circuits.destination_of(in) == kNoPort) &&
                                         (out == kNoPort || o.circuits.source_of(out) == kNoPort));
    };
    std::int64_t goes_on = -1;  // up to here
    const Opening* before = nullptr;
    for (const Opening& o : openings_) {
      const bool follows = before != nullptr && before->until == o.begin;
      const bool input_was_open = follows && lets(*before, i, kNoPort);
      const bool output_was_open = follows && lets(*before, kNoPort, j);
      before = &o;
      if (!lets(o, i, j)) continue;
      const std::int64_t from = input_was_open && output_was_open ? o.begin : o.ready;
      if (from <= t_ && t_ < o.until) goes_on = o.until;
      if (goes_on == o.begin && from == o.begin) goes_on = o.until;
    }
    return goes_on >= t_ + spacing;
  }

  // ---- worms
  void end_worm(Port i) {
    PortState& p = ports_[i];
    if (!has_worms_ || !p.input_busy || p.worm_left > 0 || p.worm_free != t_) return;
    p.input_busy = false;
    ports_[p.worm_to].output_busy = false;
    queues_[{i, p.worm_to}].granted = false;
  }
  void ask_for_worms() {
    for (auto& [key, q] : queues_) {
      if (q.asked || q.granted || q.words.empty()) continue;
      const int worm = q.words.front().worm;
      const int part = p_.technique == "packet" ? worm : static_cast<int>(p_.flit / p_.word);
      const int flit = std::min({part, worm, room_});
      if (static_cast<int>(q.words.size()) < flit || q.words[static_cast<std::size_t>(flit) - 1].at > t_)
        continue;
      q.asked = true;
      requests_.insert(key);
    }
  }

  // ---- the round-robin scheduler
  void pass() {
    if (p_.technique == "tdm") return;
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
        const std::int64_t setup = p_.scheduler.delay().ps;
        if (has_worms_) {
          VirtualQueue& q = queues_[{i, j}];
          q.asked = false;
          q.granted = true;
          ports_[i].worm_to = j;
          ports_[i].worm_left = q.words.front().worm;
          ports_[i].worm_free = t_ + setup + (slotted_ ? p_.reconfiguration.ps : 0);
        } else {
          later(t_ + setup + p_.reconfiguration.ps + wire_, 1, [this, i, j] {
            circuit(i, j).state = 2;
            ports_[i].circuit_to = j;
          });
        }
        break;
      }
    }
    if (granted) first_output_ = (first_output_ + 1) % p_.nodes;
  }
  void finish_circuit(Port i) {
    PortState& p = ports_[i];
    if (p.circuit_to < 0) return;
    const auto j = static_cast<Port>(p.circuit_to);
    Circuit& c = circuit(i, j);
    if (c.unsent > 0 || c.gone != t_) return;
    c.state = 0;
    p.circuit_to = -1;
    later(t_ + wire_, 3, [this, i, j] { ports_[i].input_busy = ports_[j].output_busy = false; });
  }

  // ---- words
  bool move() {
    bool moved = false;
    while (!windows_.empty() && windows_.front().close <= t_) {
      windows_.pop_front();
      for (PortState& p : ports_) p.owned = false;
    }
    while (openings_.size() > 1 && openings_[1].until <= t_) openings_.pop_front();
    for (Port i = 0; i < p_.nodes; ++i) {
      const bool any = pe_word(i) || circuit_word(i) || (has_worms_ && (wormhole_word(i) || fabric_word(i)));
      moved = moved || any;
    }
    return moved;
  }
  bool circuit_word(Port i) {
    PortState& p = ports_[i];
    std::int64_t to = p.circuit_to;
    if (slotted_) {
      if (windows_.empty() || windows_.front().seen > t_ || windows_.front().configuration.ports() == 0)
        return false;
      const Window& w = windows_.front();
      if (t_ < w.open || t_ + word_ > w.close || w.configuration.destination_of(i) == kNoPort) return false;
      to = w.configuration.destination_of(i);
    }
    if (to < 0) return false;
    const auto j = static_cast<Port>(to);
    Circuit& c = circuit(i, j);
    if (c.words.empty() || c.words.front().at + nic_ > t_) return false;
    if (c.worm_words > 0 || t_ < c.worm_left + wire_) return false;
    p.owned = true;
    if (p.link_free > t_) return false;
    const Word word = c.words.front();
    c.words.pop_front();
    p.link_free = t_ + word_;
    c.gone = t_ + word_;
    --c.unsent;
    if (c.unsent == 0) p.owned = false;
    if (slotted_ && c.unsent == 0) c.tells = false;
    if (slotted_ && c.unsent == 0)
      later(t_ + word_ + nic_ + control_wire_, 2, [this, i, j] { --circuit(i, j).told_waiting; });
    if (word.last)
      arriving_[t_ + (p_.serialise + p_.deserialise + p_.cable).ps +
                switches_between(i, j) * (p_.analog_fabric.delay() + p_.cable).ps + nic_]
          .push_back(word.message);
    return true;
  }
  bool wormhole_word(Port i) {
    PortState& p = ports_[i];
    if (p.owned || p.link_free > t_ || p.wormhole.empty() || p.wormhole.front().at + nic_ > t_) return false;
    VirtualQueue& q = queues_[{i, p.wormhole.front().destination}];
    while (!credits_[{i, p.wormhole.front().destination}].empty() &&
           credits_[{i, p.wormhole.front().destination}].front() <= t_) {
      credits_[{i, p.wormhole.front().destination}].pop_front();
      --q.credits_used;
    }
    if (q.credits_used >= room_) return false;
    ++q.credits_used;
    Word word = p.wormhole.front();
    p.wormhole.pop_front();
    p.link_free = t_ + word_;
    word.at = t_ + wire_;
    q.words.push_back(word);
    return true;
  }
  bool fabric_word(Port i) {
    PortState& p = ports_[i];
    if (p.worm_left == 0 || p.worm_free > t_) return false;
    const std::int64_t spacing = slotted_ ? word_ : std::max(word_, p_.digital_fabric.cycle.ps);
    if (slotted_ && !passes(i, p.worm_to, spacing)) return false;
    VirtualQueue& q = queues_[{i, p.worm_to}];
    if (q.words.empty() || q.words.front().at > t_) return false;
    const Word word = q.words.front();
    q.words.pop_front();
    credits_[{i, p.worm_to}].push_back(t_ + wire_);
    --p.worm_left;
    p.worm_free = t_ + spacing;
    Circuit& c = circuit(i, p.worm_to);
    --c.worm_words;
    c.worm_left = t_;
    const std::int64_t fabric = slotted_ ? p_.analog_fabric.delay().ps : p_.digital_fabric.delay().ps;
    if (word.last) arriving_[t_ + fabric + wire_ + nic_].push_back(word.message);
    return true;
  }
  bool pe_word(Port i) {
    PortState& p = ports_[i];
    if (p.handing.empty() || p.pe_free > t_) return false;
    Word word = p.handing.front();
    auto& queue = p.by_worm ? p.wormhole : circuit(i, word.destination).words;
    if (static_cast<int>(queue.size()) >= room_) return false;
    word.at = t_;
    queue.push_back(word);
    p.handing.pop_front();
    p.pe_free = t_ + p_.word_generation.ps;
    if (word.last) outcomes_[word.message].injected = Time{t_};
    return true;
  }

  struct Window {
    std::int64_t seen, open, close;
    Configuration configuration;
  };
  struct Opening {
    std::int64_t begin, ready, until;
    Configuration circuits;  // no ports: none
  };

  SwitchParameters p_;
  bool circuits_only_, slotted_, has_worms_;
  std::int64_t word_, nic_, wire_;
  std::int64_t control_wire_, spread_ = 0;  // of a fat tree
  int room_;
  std::int64_t t_ = 0;
  std::size_t delivered_ = 0;
  std::vector<Outcome> outcomes_;
  std::vector<PortState> ports_;
  std::map<std::pair<Port, Port>, Circuit> circuits_;
  std::map<std::pair<Port, Port>, VirtualQueue> queues_;
  std::map<std::pair<Port, Port>, std::deque<std::int64_t>> credits_;
  std::map<std::pair<std::int64_t, int>, std::vector<std::function<void()>>> events_;
  std::map<std::int64_t, std::vector<std::uint64_t>> arriving_;
  std::set<std::pair<Port, Port>> requests_;
  Port first_output_ = 0;

  std::unique_ptr<SchedulerPort> scheduler_;
  std::unique_ptr<Allocation> allocation_;
  std::vector<std::unique_ptr<Predictor>> predictors_;
  std::vector<Configuration> schedule_, preloaded_;
  std::vector<bool> changed_;
  std::uint32_t previous_slot_ = 0, in_fabric_ = kIdleSlot;
  std::int64_t boundary_ = 0;
  std::deque<Window> windows_;
  std::deque<Opening> openings_;  // for worms
  std::uint32_t previous_predictive_;
  std::vector<std::uint32_t> passed_over_;
  Traffic traffic_;
  std::int64_t counted_words_ = -1;  // that the share of predictable words is of
  Share predictable_ = kWhole;
  bool foreground_ = true, nics_foreground_ = true;  // at the switch, at the NICs
};

}  // namespace hybrid
