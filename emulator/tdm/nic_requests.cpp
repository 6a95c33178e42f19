#include "emulator/tdm/nic_requests.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hybrid {

NicRequests::NicRequests(Predictors predictors, const std::optional<ExpectedDestination>& expected,
                         EventQueue& events, CircuitTable& circuits, ControlWire& wire, WormTraffic& worms,
                         TechniqueStatistics& statistics)
    : events_(events),
      circuits_(circuits),
      wire_(wire),
      worms_(worms),
      statistics_(statistics),
      predictors_(predictors),
      deadline_watched_(predictors.size(), Time::never()),
      served_by_worms_(predictors.size(), 0) {
  if (expected) expected_.assign(predictors.size(), *expected);
}

// ---- Predictor

void NicRequests::on_message(Time now, const Message& message, bool waits_for_it) {
  const auto [source, destination] = message.connection;
  if (!expected_.empty()) expected_[source].note_send(now, destination, message.bytes);
  apply(now, source, predictors_[source]->on_send(now, destination, message.bytes, message.site),
        waits_for_it ? destination : kNoPort);
  watch_deadline(now, source);
  prepare_expected(now, source, destination, waits_for_it ? destination : kNoPort);
}

void NicRequests::on_phase(Time now, Port source, std::uint32_t phase) {
  if (!expected_.empty()) expected_[source].begin_phase();
  apply(now, source, predictors_[source]->on_phase(now, phase), kNoPort);
  prepare_expected(now, source, kNoPort, kNoPort);
  watch_deadline(now, source);
}

void NicRequests::on_flush(Time now, Port source) {
  predictors_[source]->on_flush();
  for (Port destination = 0; destination < predictors_.size(); ++destination) {
    CircuitState* const c = circuits_.find({source, destination});
    if (c == nullptr) continue;
    c->requested = c->at_switch = c->release_due = false;
    if (!c->waits(now)) continue;
    request(now, *c, true);
    release_when_drained(now, *c, false);
  }
}

void NicRequests::on_deadline(Time now, Port source) {
  if (deadline_watched_[source] != now) return;
  deadline_watched_[source] = Time::never();
  if (predictors_[source]->next_deadline() <= now)
    apply(now, source, predictors_[source]->on_time(now), kNoPort);
  watch_deadline(now, source);
}

void NicRequests::watch_deadline(Time now, Port source) {
  const Time deadline = predictors_[source]->next_deadline();
  if (deadline >= deadline_watched_[source]) return;
  deadline_watched_[source] = deadline;
  events_.push_sorted(std::max(deadline, now), kDeadline, source, 0);
}

/// After a send to `last`, or kNoPort at the begin of a phase: reports to the switch which destination
/// `source` expects, if the report changes, and requests lost connections that the predictor expects. Data
/// will wait for that to `offered`.
void NicRequests::prepare_expected(Time now, Port source, Port last, Port offered) {
  if (expected_.empty()) return;
  const Predictor& predictor = *predictors_[source];
  if (expected_[source].update(predictor, source, last))
    wire_.send(now, {ControlWord::What::expect, {source, expected_[source].reported()}});
  std::array<Predictor::Expectation, PredictorShape::kMostAhead> sends;
  for (const Predictor::Expectation& send : std::span(sends).first(predictor.expect(sends))) {
    if (send.destination == source || !predictor.holds(send.destination)) continue;
    CircuitState& c = circuits_.at({source, send.destination});
    if (!c.in_table && !c.requested) request(now, c, send.destination == offered);
  }
}

/// `offered`: destination of a message that will enter its queue; it counts as waiting already.
void NicRequests::apply(Time now, Port source, const Predictor::Decisions& decisions, Port offered) {
  for (const Port destination : decisions.release) {
    CircuitState* const known = circuits_.find({source, destination});
    if (known == nullptr) continue;
    release_when_drained(now, *known, destination == offered);
  }
  for (const Port destination : decisions.request) {
    if (destination == source) continue;
    CircuitState& c = circuits_.at({source, destination});
    c.release_due = false;
    if ((!c.in_table || c.releasing) && !c.requested) request(now, c, destination == offered || c.waits(now));
  }
}

// ---- Requests and releases

void NicRequests::request(Time now, CircuitState& c, bool demand) {
  c.requested = c.at_switch = true;
  c.requested_at = now;
  c.demanding = demand;
  c.releasing = false;
  ++statistics_.requests;
  note_worms(now, c);
  if (timeline_ != nullptr) timeline_->control(now, c.connection, true);
  wire_.send(now, {demand ? ControlWord::What::demand : ControlWord::What::request, c.connection});
}

void NicRequests::release(Time now, CircuitState& c) {
  c.release_due = false;
  if (!c.in_table && !c.requested && !c.at_switch) return;
  if (c.in_table || c.requested) ++statistics_.releases;
  c.releasing = c.in_table;
  c.requested = c.at_switch = false;
  if (!c.in_table) circuits_.queue_for_reuse(c);
  if (timeline_ != nullptr) timeline_->control(now, c.connection, false);
  wire_.send(now, {ControlWord::What::release, c.connection});
}

void NicRequests::withdraw(Time now, CircuitState& c) {
  c.demanding = false;
  const auto [source, destination] = c.connection;
  if (c.requested && !c.in_table && !predictors_[source]->holds(destination)) release(now, c);
}

/// Releases `c`, which the predictor does not hold, if no data waits for it, otherwise later. `offered`: a
/// message will wait for it.
void NicRequests::release_when_drained(Time now, CircuitState& c, bool offered) {
  c.release_due = offered || c.waits(now);
  if (c.release_due) {
    // Otherwise the event follows when the last word is sent.
    if (!offered && c.finished())
      events_.push_sorted(c.gone, kDrained, c.connection.source, c.connection.destination);
    return;
  }
  // Lost meanwhile; a request that followed or survived the loss may be pending.
  if (!c.in_table && !c.requested) return release(now, c);
  const auto [source, destination] = c.connection;
  // Worms under way need no circuit. The predictor decides whether they are a reason to keep it.
  if ((c.by_worms || now < c.gate) && predictors_[source]->would_take_back(now, destination, now)) {
    c.release_due = true;
    if (!c.by_worms) events_.push_sorted(c.gate, kDrained, source, destination);  // else worms_left() follows
    return;
  }
  const Time used = c.by_worms ? now : std::min(now, std::max(c.gone, c.gate));
  if (!predictors_[source]->take_back(now, destination, used)) release(now, c);
}

void NicRequests::on_drained(Time now, Connection connection) {
  CircuitState* const c = circuits_.find(connection);
  if (c == nullptr || !c->release_due || c->waits(now) || (c->by_worms && now != c->gone)) return;
  release_when_drained(now, *c, false);
  watch_deadline(now, connection.source);
}

void NicRequests::on_notice(Time now, CircuitState& c, bool established) {
  c.in_table = established;
  if (established) {
    if (timeline_ != nullptr && c.requested) timeline_->waited(c.requested_at, now, c.connection, false);
    c.requested = false;
    return note_worms(now, c);
  }
  // An earlier request may have been overtaken (a request that cancelled a release causes no notice). A
  // second request has no effect.
  c.releasing = c.requested = false;
  if (c.waits(now))
    request(now, c, true);
  else
    circuits_.queue_for_reuse(c);
}

// ---- Worms

void NicRequests::serve_by_worms(Time now, Connection connection) {
  CircuitState* const c = circuits_.find(connection);
  if (c != nullptr && (c->in_table || c->requested || now < c->gate)) note_worms(now, *c);
}

/// Records worms of `c` that are under way as a use of its circuit: until worms_left(), if their end is not
/// known.
void NicRequests::note_worms(Time now, CircuitState& c) {
  const Time cleared = worms_.time_worms_cleared(now, c.connection);
  if (cleared <= now) return;
  if (cleared != Time::never())
    c.gate = std::max(c.gate, cleared);
  else if (!std::exchange(c.by_worms, true))
    ++served_by_worms_[c.connection.source];
}

void NicRequests::worms_left(Time known, CircuitState& c) {
  c.by_worms = false;
  --served_by_worms_[c.connection.source];
  if (c.gate != Time::never()) c.gate = std::max(c.gate, known);
  if (c.release_due) events_.push_sorted(known, kDrained, c.connection.source, c.connection.destination);
}

void NicRequests::visit(StateVisitor& v) {
  for (const ExpectedDestination& expected : expected_) v.same(expected.reported());
}

}  // namespace hybrid
