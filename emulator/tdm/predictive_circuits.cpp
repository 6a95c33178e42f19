#include "emulator/tdm/predictive_circuits.h"

#include <algorithm>

#include "emulator/predictor_shape.h"

namespace hybrid {

namespace {

/// Flag in the destination of a notice: released.
constexpr std::uint32_t kMark = std::uint32_t{1} << 31;
/// Destination of a notice about foreground or background, to all NICs.
constexpr std::uint32_t kEveryone = ~std::uint32_t{0};

std::vector<std::unique_ptr<Predictor>> make_predictors(const SwitchParameters& parameters) {
  std::vector<std::unique_ptr<Predictor>> predictors;
  predictors.reserve(parameters.nodes);
  const PredictorShape shape = predictor_shape(parameters);
  for (Port source = 0; source < parameters.nodes; ++source)
    predictors.push_back(PredictorRegistration::make(parameters.predictor, shape));
  return predictors;
}

std::optional<CircuitPlan> make_plan(const SwitchParameters& parameters, bool keeps_circuits,
                                     bool wormhole_slot) {
  std::optional<CircuitPlan> plan;
  if (keeps_circuits) plan.emplace(parameters, CircuitPlan::keeps_unused(parameters, wormhole_slot));
  return plan;
}

std::optional<ExpectedDestination> make_expected(const SwitchParameters& parameters,
                                                 const std::optional<CircuitPlan>& plan, bool wormhole_slot) {
  if (!plan) return std::nullopt;
  const bool keeps_unused = CircuitPlan::keeps_unused(parameters, wormhole_slot);
  return ExpectedDestination(parameters, CircuitPlan::least_accuracy(parameters, keeps_unused),
                             plan->protection());
}

}  // namespace

PredictiveCircuits::PredictiveCircuits(const SwitchParameters& parameters, bool wormhole_slot)
    : Engine(parameters),
      predictors_(make_predictors(parameters)),
      controller_(parameters, wormhole_slot),
      plan_(make_plan(parameters, controller_.keeps_circuits(), wormhole_slot)),
      circuits_(parameters.nodes, timing_, now_, predictors_),
      wire_(timing_, events_),
      requests_(predictors_, make_expected(parameters, plan_, wormhole_slot), events_, circuits_, wire_,
                *this, statistics_),
      reports_(parameters, timing_, events_, controller_, plan_ ? &*plan_ : nullptr),
      schedule_(parameters, circuits_, events_, statistics_),
      guard_(parameters, plan_ ? plan_->protection() : Time{}, schedule_, circuits_, events_, statistics_),
      windows_(parameters_, timing_, events_, schedule_, reports_, *this, controller_,
               plan_ ? &*plan_ : nullptr),
      link_free_(parameters.nodes),
      has_data_(parameters.nodes),
      queues_with_data_(parameters.nodes, 0),
      last_leaves_until_(parameters.nodes) {
  add_delay(controller_.longest_slot());
  if (plan_) add_delay(plan_->protection());
}

void PredictiveCircuits::observe(PortTimeline& timeline) {
  Engine::observe(timeline);
  requests_.observe(timeline);
  reports_.observe(timeline);
  windows_.observe(timeline);
}

// ---- NIC

WordQueue& PredictiveCircuits::select_queue(Time now, std::uint32_t /*pe*/, std::uint32_t index,
                                            std::uint64_t& words) {
  const Message& message = transfer(index).message;
  CircuitState& c = circuits_.at(message.connection);
  words = timing_.payload(message.bytes);
  const Time due = now + timing_.word * static_cast<std::int64_t>(words);
  const bool is_head = c.finished();
  enter_circuit(now, c, due);
  requests_.on_message(now, message, true);
  if (requests_on_demand()) requests_.demand(now, c);
  transfer(index).circuit = true;
  transfer(index).hit = c.in_table;
  report_offer(now, {words, 0}, message.connection);
  CircuitQueue& queue = circuits_.queue_for(c);
  if (is_head) queue.due = due;
  return queue;
}

void PredictiveCircuits::enter_circuit(Time now, CircuitState& c, Time due) {
  c.gate = std::max(c.gate, gate_time(now, c.connection));
  if (!c.waits(now)) {
    if (c.established) statistics_.held_unused += now - std::max(c.gone, c.established_since);
    c.gone_before = c.gone;
    c.busy_since = now;
  }
  if (c.finished()) {
    if (c.gate != Time::never())
      reports_.send(std::max(now, c.gate), {c.connection, QueueReport::What::waits, due});
    if (queues_with_data_[c.connection.source]++ == 0) has_data_.set(c.connection.source);
    if (now < c.gone) last_leaves_until_[c.connection.source] = Time{};  // it is counted as unfinished again
  }
  windows_.start(now);
}

void PredictiveCircuits::report_offer(Time now, Traffic words, Connection connection) {
  if (controller_.needs_signals()) wire_.send(now, {ControlWord::What::offer, connection, 0, words});
}

void PredictiveCircuits::forward_words(Time now, std::uint32_t /*pe*/, WordQueue& queue) {
  send_words(now, *static_cast<CircuitQueue&>(queue).circuit);
}

/// Sends the words of `c` that can leave in the current window.
void PredictiveCircuits::send_words(Time now, CircuitState& c) {
  const Port source = c.connection.source;
  const SlotWindow& window = windows_.current();
  if (now >= window.close || c.finished() || !window.grants(c.connection)) return;
  CircuitQueue& queue = *c.queue;
  const Time latest = window.close - timing_.word;
  Time free = std::max({link_free_[source], windows_.opens(source), c.gate});
  bool sent = false;
  while (!queue.entered.empty()) {
    const Run words = queue.entered.front().delayed(timing_.nic);
    const Run starts = serve_words(words, timing_.word, latest, free);
    if (starts.count == 0) break;
    sent = true;
    if (timeline_ != nullptr)
      report_circuit_words(queue, {c.connection, 0, starts, timing_.word, false, window.slot});
    remove_circuit_words(queue, c.connection, starts);
    remove_segment_words(
        queue.segments, starts, [](std::uint32_t) {},
        [&](std::uint32_t index, Time start) {
          reports_.send_next_message(queue, start + timing_.word);
          circuit_message_leaves(source, index, start + timing_.word);
          schedule_delivery(start + c.path + timing_.nic, index);
        });
    link_free_[source] = c.gone = free;
    if (queue.bounded) fill_queue(source);
    if (free > latest) break;
  }
  if (!sent) return;
  if (c.used_in != window.close) {
    ++slots_used_;
    if (plan_ && windows_.is_parked(source)) controller_.add_grants(1);
  }
  c.used_in = window.close;
  if (queue.finished()) finish_queue(now, c);
}

void PredictiveCircuits::finish_queue(Time now, CircuitState& c) {
  const auto [source, destination] = c.connection;
  c.holds_data = false;
  circuits_.let_rest(*c.queue);
  if (--queues_with_data_[source] == 0) has_data_.reset(source);
  last_leaves_until_[source] = std::max(last_leaves_until_[source], c.gone);
  // A plan is informed at once, so that the port of the circuit is free when its last word has left.
  const Time known = plan_ ? c.gone - timing_.nic - 2 * timing_.control : c.gone;
  reports_.send(std::max(now, known), {c.connection, QueueReport::What::is_empty});
  if (c.release_due) events_.push_sorted(std::max(now, c.gone), kDrained, source, destination);
}

void PredictiveCircuits::on_window(Time now) {
  if (plan_ && now == window().close) report_words_left(now);
  if (!windows_.on_window(now)) return;
  const SlotWindow& window = windows_.current();
  if (window.configuration == nullptr) return on_window_seen(now);
  for_each_port(has_data_.words(), [&](Port source) {
    const Port destination = window.configuration->destination_of(source);
    if (destination == kNoPort) return;
    CircuitState* c = window.slot < parameters_.slots ? schedule_.of_source(source, window.slot) : nullptr;
    if (c == nullptr || c->connection.destination != destination) c = circuits_.find({source, destination});
    if (c != nullptr && !c->finished()) use_grant(now, *c);
  });
  on_window_seen(now);
}

/// At the end of the current window: the switch has counted too few words for some circuits.
void PredictiveCircuits::report_words_left(Time now) {
  if (window().configuration == nullptr) return;
  const PortSet& last = windows_.last_by_count();
  for (std::size_t w = 0; w < last.words().size(); ++w)
    for (Word rest = last.words()[w] & has_data_.words()[w]; rest != 0; rest &= rest - 1) {
      const Port source = lowest_port(w, rest);
      const CircuitState* const c = circuits_.find({source, window().configuration->destination_of(source)});
      if (c == nullptr || c->finished()) continue;
      std::uint64_t words = 0;
      for (std::size_t i = 0; i < c->queue->segments.size(); ++i) words += c->queue->segments[i].words;
      reports_.send(now, {c->connection, QueueReport::What::still_waits, {}, words});
    }
}

// ---- Calls from outside

void PredictiveCircuits::preload(Time at, std::uint32_t slot, const Configuration& configuration) {
  run_until(at);
  ++statistics_.preloads;
  wire_.send(at, {ControlWord::What::preload, {}, slot}, configuration);
}

/// With a plan, the hinted connections are requested at the switch. Hints then never keep a message from a
/// circuit.
void PredictiveCircuits::load_hinted(Time at, std::uint32_t slot, const Configuration& configuration) {
  if (!plan_) return preload(at, slot, configuration);
  run_until(at);
  ++statistics_.preloads;
  wire_.send(at, {ControlWord::What::load, {}, slot}, configuration);
}

void PredictiveCircuits::flush(Time at, Port source) {
  run_until(at);
  ++statistics_.flushes;
  wire_.send(at, {ControlWord::What::flush, {source, kNoPort}});
  if (source != kNoPort) return requests_.on_flush(at, source);
  for (Port port = 0; port < parameters_.nodes; ++port) requests_.on_flush(at, port);
}

void PredictiveCircuits::begin_phase(Time at, Port source, std::uint32_t phase) {
  run_until(at);
  requests_.on_phase(at, source, phase);
}

// ---- Switch

void PredictiveCircuits::on_control(Time now) {
  const ControlWord control = wire_.receive();
  const Connection c = control.connection;
  switch (control.what) {
    case ControlWord::What::demand:
      if (CircuitState& wanted = circuits_.at(c); !wanted.established) guard_.watch(now, wanted);
      request_with_room(now, c);
      break;
    case ControlWord::What::request:
      schedule_.request(now, c);
      break;
    case ControlWord::What::load: {
      const Configuration hinted = wire_.receive_circuits();
      for (const Connection each : hinted.connections()) request_with_room(now, each);
      break;
    }
    case ControlWord::What::release:
      if (CircuitState* released = circuits_.find(c); released != nullptr)
        released->patience_ends = Time::never();
      schedule_.release(now, c);
      break;
    case ControlWord::What::preload:
      schedule_.preload(now, control.slot, wire_.receive_circuits());
      break;
    case ControlWord::What::flush:
      schedule_.flush(now, c.source);
      break;
    case ControlWord::What::offer:
      windows_.catch_up(now);
      if (c.destination != kNoPort) {
        if (plan_) reports_.add_words(circuits_.at(c), control.words.predictive);
      } else if (controller_.needs_efficiency()) {
        note_offered_worms(now, c.source, control.words.predictive + control.words.wormhole);
      }
      if (controller_.add_offered_traffic(control.words))
        events_.push(now + timing_.control, kNotice, controller_.foreground() ? 1 : 0, kEveryone);
      return;
    case ControlWord::What::expect:
      windows_.catch_up(now);
      if (plan_) plan_->expect(c.source, c.destination);
      return;
  }
  schedule_.watch(now);
}

void PredictiveCircuits::request_with_room(Time now, Connection c) {
  if (const CircuitState* known = circuits_.find(c); known == nullptr || !known->established)
    guard_.on_request(now, c);
  schedule_.request(now, c);
}

void PredictiveCircuits::on_port(Time now) {
  for (const Grant& grant : schedule_.advance(now)) {
    windows_.catch_up(grant.at);
    CircuitState& c = schedule_.apply(grant);
    const bool established = grant.kind == Grant::Kind::established;
    if (timeline_ != nullptr) timeline_->circuit(grant.at, c.connection, grant.slot, established);
    events_.push(grant.at + timing_.control, kNotice, c.connection.source,
                 c.connection.destination | (established ? 0 : kMark));
    reports_.note_schedule(c);
    windows_.note_schedule(grant.slot);
  }
  schedule_.watch(now + picoseconds(1));
}

void PredictiveCircuits::handle_event(Time now, const SwitchEvent& event) {
  switch (event.kind()) {
    case kNotice:
      if (event.b == kEveryone) {
        foreground_ = event.a != 0;
        return;
      }
      return requests_.on_notice(now, circuits_.at({event.a, event.b & ~kMark}), (event.b & kMark) == 0);
    case kDeadline:
      return requests_.on_deadline(now, event.a);
    case kDrained:
      return requests_.on_drained(now, {event.a, event.b});
    case kControl:
      return on_control(now);
    case kSignal: {
      const QueueReport report = reports_.receive(event.a);
      CircuitState& c = circuits_.at(report.connection);
      windows_.catch_up(now);
      return reports_.apply(report, c);
    }
    case kPort:
      return on_port(now);
    case kPatience:
      if (CircuitState* const c = circuits_.find({event.a, event.b}); c != nullptr)
        guard_.on_patience(now, *c);
      return;
    case kBoundary:
      return windows_.on_boundary(now, in_flight() == 0 && worms_are_idle());
    default:
      return on_window(now);
  }
}

void PredictiveCircuits::visit(StateVisitor& v) {
  Engine::visit(v);
  if (v.failed()) return;
  controller_.visit(v);
  windows_.visit(v);
  if (v.failed()) return;
  v.total(slots_used_);
  for (Time& free : link_free_) v.instant(free);
  for (Time& until : last_leaves_until_) v.instant(until);
  if (plan_) {
    plan_->visit(v);
    for (std::uint32_t slot = 0; slot < parameters_.slots; ++slot)
      for_each_port(reports_.wanted()[slot].words(), [&](Port source) {
        std::uint64_t& words = schedule_.of_source(source, slot)->words;
        const std::uint64_t in_nic = words > timing_.room ? timing_.room : 0;  // CircuitPlan::set_outside()
        words -= in_nic;
        v.plenty(words);
        words += in_nic;
      });
  }
  requests_.visit(v);
  v.unfinished(circuits_.all(), [&](CircuitState& c) {
    v.instant(c.gate);
    v.instant(c.gone);
    v.instant(c.used_in);
  });
}

TechniqueStatistics PredictiveCircuits::statistics() const {
  TechniqueStatistics s = statistics_;
  for (const CircuitState& c : circuits_.all()) {
    if (!c.established) continue;
    s.held += now_ - c.established_since;
    if (!c.waits(now_)) s.held_unused += now_ - std::max(c.gone, c.established_since);
  }
  s.slots_used = slots_used_;
  s.slots_wasted = controller_.grants() - slots_used_;
  s.cycles = controller_.slots_begun();
  return s;
}

}  // namespace hybrid
