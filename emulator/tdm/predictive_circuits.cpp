#include "emulator/tdm/predictive_circuits.h"

#include <algorithm>

#include "emulator/predictor_shape.h"
#include "emulator/scheduler/model_port.h"

namespace hybrid {

PredictiveCircuits::PredictiveCircuits(const SwitchParameters& parameters, bool wormhole_slot)
    : Engine(parameters),
      link_free_(parameters.nodes),
      ready_(parameters.nodes),
      has_data_(parameters.nodes),
      port_(make_scheduler_port(parameters)),
      schedule_(parameters.slots, Configuration(parameters.nodes)),
      held_(parameters.nodes, parameters.slots),
      preloaded_(schedule_),
      preloaded_since_(parameters.slots),
      controller_(parameters, wormhole_slot),
      latched_(parameters.slots, Latched{Configuration(parameters.nodes), {}, {}, 1}),
      changed_(parameters.slots, 0),
      wanted_(parameters.slots, PortSet(parameters.nodes)),
      wanted_connections_(parameters.slots, 0),
      deadline_watched_(parameters.nodes, Time::never()),
      served_by_worms_(parameters.nodes, 0),
      circuits_(parameters.nodes),
      queues_with_data_(parameters.nodes, 0),
      last_leaves_until_(parameters.nodes),
      patience_(2 * std::max(parameters.slot_length * (parameters.slots + 1),
                             parameters.scheduler.cycle * parameters.slots + parameters.scheduler.delay())),
      sweep_(parameters.scheduler.cycle * parameters.slots + parameters.scheduler.delay()),
      evicts_at_once_(parameters.evicts_at_once) {
  add_delay(controller_.longest_slot());
  if (controller_.keeps_circuits()) {
    plan_.emplace(parameters, !wormhole_slot);
    expected_.resize(parameters.nodes);
    least_accuracy_ = CircuitPlan::least_accuracy(parameters, !wormhole_slot);
    add_delay(plan_->protection());
    patience_ = std::max(patience_, plan_->protection());
  }
  for (std::uint32_t slot = 0; slot < parameters.slots; ++slot) latest_.push_back(slot);
  const PredictorShape shape = predictor_shape(parameters);
  for (std::uint32_t port = 0; port < parameters.nodes; ++port)
    predictors_.push_back(PredictorRegistration::make(parameters.predictor, shape));
}

// ---- NIC

WordQueue& PredictiveCircuits::select_queue(Time now, std::uint32_t /*pe*/, std::uint32_t index,
                                            std::uint64_t& words) {
  const Message& message = transfer(index).message;
  Circuit& c = circuit(message.connection);
  words = timing_.payload(message.bytes);
  const Time due = now + timing_.word * static_cast<std::int64_t>(words);
  const bool is_head = c.finished();
  enter_circuit(now, c, due);
  consult_predictor(now, message, true);
  if (requests_on_demand() && !c.in_table && !(c.requested && c.demanding)) send_request(now, c, true);
  transfer(index).circuit = true;
  transfer(index).hit = c.in_table;
  signal_offer(now, {words, 0});
  CircuitQueue& queue = queue_for(now, c);
  if (is_head) queue.due = due;
  return queue;
}

void PredictiveCircuits::enter_circuit(Time now, Circuit& c, Time due) {
  c.gate = std::max(c.gate, gate_time(now, c.connection));
  if (!waits(c, now)) {
    if (c.established) statistics_.held_unused += now - std::max(c.gone, c.established_since);
    c.gone_before = c.gone;
    c.busy_since = now;
  }
  if (c.finished()) {
    if (c.gate != Time::never()) send_signal(std::max(now, c.gate), c.connection, Signal::What::waits, due);
    if (queues_with_data_[c.connection.source]++ == 0) has_data_.set(c.connection.source);
    if (now < c.gone) last_leaves_until_[c.connection.source] = Time{};  // it is counted as unfinished again
  }
  start_slots(now);
}

void PredictiveCircuits::send_control(Time now, const Control& control) {
  control_.push(control);
  events_.push(now + timing_.nic + timing_.control, kControl);
}

void PredictiveCircuits::send_request(Time now, Circuit& c, bool demand) {
  c.requested = true;
  c.requested_at = now;
  c.demanding = demand;
  c.releasing = false;
  ++statistics_.requests;
  note_worms(now, c);
  send_control(now, {demand ? Control::What::demand : Control::What::request, c.connection});
}

void PredictiveCircuits::send_release(Time now, Circuit& c) {
  c.release_due = false;
  if (!c.in_table && !c.requested) return;
  c.releasing = c.in_table;
  c.requested = false;
  if (!c.in_table) queue_for_reuse(c);
  ++statistics_.releases;
  send_control(now, {Control::What::release, c.connection});
}

void PredictiveCircuits::forward_words(Time now, std::uint32_t /*pe*/, WordQueue& queue) {
  send_words(now, *static_cast<CircuitQueue&>(queue).circuit);
}

/// Sends the words of `c` that can leave in the current window.
void PredictiveCircuits::send_words(Time now, Circuit& c) {
  const Port source = c.connection.source;
  if (now >= window_.close || c.finished() || !window_grants(window_, c.connection)) return;
  CircuitQueue& queue = *c.queue;
  const Time latest = window_.close - timing_.word;
  Time free = std::max({link_free_[source], window_opens(source), c.gate});
  std::uint64_t words_sent = 0;
  while (!queue.entered.empty()) {
    const Run words = queue.entered.front().delayed(timing_.nic);
    const std::uint64_t sent = serve_words(words, timing_.word, latest, free, [&](const Run& starts) {
      if (timeline_ != nullptr)
        report_circuit_words(queue, {c.connection, 0, starts, timing_.word, false, window_.slot});
      queue.remove_words(starts);
      remove_segment_words(
          queue.segments, starts, [](std::uint32_t) {},
          [&](std::uint32_t index, Time start) {
            report_next_message(queue, start + timing_.word);
            circuit_message_leaves(source, index, start + timing_.word);
            schedule_delivery(start + c.path + timing_.nic, index);
          });
    });
    if (sent == 0) break;
    words_sent += sent;
    link_free_[source] = c.gone = free;
    if (queue.bounded) fill_queue(source);
    if (sent < words.count) break;
  }
  if (words_sent == 0) return;
  if (c.used_in != window_.close) {
    ++slots_used_;
    if (plan_ && latched_[window_.latched].parked.test(source)) controller_.add_grants(1);
  }
  c.used_in = window_.close;
  if (!queue.finished()) return;
  c.holds_data = false;
  if (!queue.rests) resting_.push(&queue);
  queue.rests = true;
  if (--queues_with_data_[source] == 0) has_data_.reset(source);
  last_leaves_until_[source] = c.gone;
  // A plan is informed at once, so that the port of the circuit is free when its last word has left.
  send_signal(plan_ ? std::max(now, c.gone - timing_.nic - 2 * timing_.control) : c.gone, c.connection,
              Signal::What::is_empty, {});
  if (c.release_due) events_.push_sorted(c.gone, kDrained, source, c.connection.destination);
}

// ---- Switch

void PredictiveCircuits::preload(Time at, std::uint32_t slot, const Configuration& configuration) {
  run_until(at);
  ++statistics_.preloads;
  preloads_.push(configuration);
  send_control(at, {Control::What::preload, {}, slot});
}

/// With a plan, the hinted connections are requested at the switch. Hints then never keep a message from a
/// circuit.
void PredictiveCircuits::load_hinted(Time at, std::uint32_t slot, const Configuration& configuration) {
  if (!plan_) return preload(at, slot, configuration);
  run_until(at);
  ++statistics_.preloads;
  preloads_.push(configuration);
  send_control(at, {Control::What::load, {}, slot});
}

void PredictiveCircuits::flush(Time at, Port source) {
  run_until(at);
  ++statistics_.flushes;
  send_control(at, {Control::What::flush, {source, kNoPort}});
  if (source != kNoPort) return forget_requests(at, source);
  for (std::uint32_t port = 0; port < parameters_.nodes; ++port) forget_requests(at, port);
}

void PredictiveCircuits::begin_phase(Time at, Port source, std::uint32_t phase) {
  run_until(at);
  apply_decisions(at, source, predictors_[source]->on_phase(at, phase), kNoPort);
  report_expected(at, source, kNoPort);
  watch_deadline(source);
}

/// Removes the requests before a flush. Connections that data waits for are requested again.
void PredictiveCircuits::forget_requests(Time now, std::uint32_t port) {
  predictors_[port]->on_flush();
  for (std::uint32_t destination = 0; destination < parameters_.nodes; ++destination) {
    Circuit* c = circuits_.find(port, destination);
    if (c == nullptr) continue;
    c->requested = c->release_due = false;
    if (waits(*c, now)) send_request(now, *c, true);
  }
}

void PredictiveCircuits::on_control(Time now) {
  const Control control = control_.front();
  control_.pop();
  const Connection c = control.connection;
  switch (control.what) {
    case Control::What::demand:
      if (Circuit& wanted = circuit(c); !wanted.established && wanted.patience_ends == Time::never()) {
        wanted.attempts = 0;
        watch_demand(now, wanted);
      }
      [[fallthrough]];
    case Control::What::request:
      request_at_switch(now, c);
      break;
    case Control::What::load:
      for (const Connection hinted : preloads_.front().connections()) request_at_switch(now, hinted);
      preloads_.pop();
      break;
    case Control::What::release:
      if (Circuit* released = find_circuit(c); released != nullptr) released->patience_ends = Time::never();
      port_->release(now, c);
      break;
    case Control::What::preload:
      note_preload(now, control.slot, preloads_.front());
      port_->preload(now, control.slot, preloads_.front());
      preloads_.pop();
      break;
    case Control::What::flush:
      note_flush(c.source);
      port_->flush(now, c.source);
      break;
    case Control::What::offer:
      if (!slots_running_) begin_slots_until(now);
      if (controller_.add_offered_traffic(control.words))
        events_.push(now + timing_.control, kNotice, controller_.foreground() ? 1 : 0, kEveryone);
      return;
    case Control::What::expect:
      if (!slots_running_) begin_slots_until(now);
      plan_->expect(c.source, c.destination);
      return;
  }
  watch_port(now);
}

void PredictiveCircuits::request_at_switch(Time now, Connection c) {
  if (evicts_at_once_ && !circuit(c).established && !has_room(now, c)) make_room(now, c, false);
  port_->request(now, c);
}

void PredictiveCircuits::note_preload(Time now, std::uint32_t slot, const Configuration& configuration) {
  for (Configuration& other : preloaded_)
    for (const Connection c : configuration.connections()) other.remove(c);
  preloaded_[slot] = configuration;
  preloaded_since_[slot] = now;
}

void PredictiveCircuits::note_flush(Port source) {
  for (Circuit& c : circuits_.all())
    if (source == kNoPort || c.connection.source == source) c.patience_ends = Time::never();
  for (Configuration& held : preloaded_) {
    if (source == kNoPort)
      held.clear();
    else if (const Port destination = held.destination_of(source); destination != kNoPort)
      held.remove({source, destination});
  }
}

void PredictiveCircuits::watch_port(Time now) {
  Time next = port_->next_change();
  if (next == Time::never()) return;
  next = std::max(next, now);
  if (next >= port_watched_) return;
  port_watched_ = next;
  events_.push(next, kPort);
}

void PredictiveCircuits::on_port(Time now) {
  if (port_watched_ <= now) port_watched_ = Time::never();
  grants_.clear();
  port_->advance(now, grants_);
  for (const Grant& grant : grants_) apply_grant(grant);
  watch_port(now + picoseconds(1));
}

void PredictiveCircuits::apply_grant(const Grant& grant) {
  if (!slots_running_) begin_slots_until(grant.at);
  const Connection connection = grant.connection;
  Circuit& c = circuit(connection);
  Configuration& slot = schedule_[grant.slot];
  if (grant.kind == Grant::Kind::established) {
    slot.add(connection);
    held_.add(grant.slot, c);
    c.established = true;
    c.slot = grant.slot;
    c.established_since = grant.at;
    c.patience_ends = Time::never();
    ++statistics_.established;
    events_.push(grant.at + timing_.control, kNotice, connection.source, connection.destination);
  } else {
    slot.remove(connection);
    held_.remove(grant.slot, c);
    c.established = false;
    statistics_.held += grant.at - c.established_since;
    if (!waits(c, grant.at)) statistics_.held_unused += grant.at - std::max(c.gone, c.established_since);
    events_.push(grant.at + timing_.control, kNotice, connection.source, connection.destination | kMark);
  }
  if (controller_.needs_signals()) note_wanted(c);
  if (plan_) plan_->note_schedule();
  changed_[grant.slot] = 1;
  controller_.set_connections(grant.slot, slot.count());
}

// ---- Notices

void PredictiveCircuits::on_notice(Time now, Circuit& c, bool established) {
  c.in_table = established;
  if (established) {
    if (timeline_ != nullptr && c.requested) timeline_->waited(c.requested_at, now, c.connection, false);
    c.requested = false;
    return note_worms(now, c);
  }
  // An earlier request may have been overtaken (a request that cancelled a release causes no notice). A
  // second request has no effect.
  c.releasing = c.requested = false;
  if (waits(c, now))
    send_request(now, c, true);
  else
    queue_for_reuse(c);
}

void PredictiveCircuits::handle_event(Time now, const SwitchEvent& event) {
  switch (event.kind()) {
    case kNotice:
      if (event.b == kEveryone) {
        foreground_ = event.a != 0;
        return;
      }
      return on_notice(now, circuit({event.a, event.b & ~kMark}), (event.b & kMark) == 0);
    case kDeadline:
      return on_deadline(now, event.a);
    case kDrained: {
      Circuit* const c = find_circuit({event.a, event.b});
      if (c == nullptr || !c->release_due || waits(*c, now) || (c->by_worms && now != c->gone)) return;
      release_when_drained(now, *c, false);
      return watch_deadline(event.a);
    }
    case kControl:
      return on_control(now);
    case kSignal:
      return on_signal(now, event.a);
    case kPort:
      return on_port(now);
    case kPatience:
      if (Circuit* const c = find_circuit({event.a, event.b}); c != nullptr) on_patience(now, *c);
      return;
    case kBoundary:
      return on_boundary(now);
    default:
      return on_window(now);
  }
}

void PredictiveCircuits::visit(StateVisitor& v) {
  Engine::visit(v);
  if (v.failed()) return;
  controller_.visit(v);
  const bool shared = controller_.needs_signals();  // slots may be shared and depend on the waiting data
  const auto window = [&v, shared](Window& w) {
    if (w.configuration == nullptr)
      v.same(0);
    else if (!shared)
      v.same(w.latched + 1);
    else
      for_each_port(w.configuration->inputs().words(), [&](Port source) {
        v.same((std::uint64_t{source} << 32 | w.configuration->destination_of(source)) + 1);
      });
    v.instant(w.seen);
    v.instant(w.open);
    v.instant(w.close);
  };
  window(window_);
  v.same(upcoming_.size());
  if (v.failed()) return;
  for (std::size_t i = 0; i < upcoming_.size(); ++i) window(upcoming_[i]);
  v.same(slots_running_ ? 1 : 0);
  v.instant(known_until_);
  v.total(slots_used_);
  for (Time& free : link_free_) v.instant(free);
  for (Time& until : last_leaves_until_) v.instant(until);
  if (plan_) {
    plan_->visit(v);
    for (Time& ready : ready_) v.instant(ready);
    for (const ExpectedDestination& expected : expected_) v.same(expected.reported());
  }
  for (const char changed : changed_) v.same(changed != 0 ? 1 : 0);
  v.unfinished(circuits_.all(), [&](Circuit& c) {
    v.instant(c.gate);
    v.instant(c.gone);
    v.instant(c.used_in);
  });
}

TechniqueStatistics PredictiveCircuits::statistics() const {
  TechniqueStatistics s = statistics_;
  for (const Circuit& c : circuits_.all()) {
    if (!c.established) continue;
    s.held += now_ - c.established_since;
    if (!waits(c, now_)) s.held_unused += now_ - std::max(c.gone, c.established_since);
  }
  s.slots_used = slots_used_;
  s.slots_wasted = controller_.grants() - slots_used_;
  s.cycles = controller_.slots_begun();
  return s;
}

}  // namespace hybrid
