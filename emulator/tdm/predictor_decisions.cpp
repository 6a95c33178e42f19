// Execution of a NIC's predictor decisions: requests at once, releases when no data waits for the circuit.
#include <algorithm>
#include <utility>

#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

void PredictiveCircuits::consult_predictor(Time now, const Message& message, bool waits_for_it) {
  const auto [source, destination] = message.connection;
  if (plan_) expected_[source].judge(destination);
  apply_decisions(now, source, predictors_[source]->on_send(now, destination, message.bytes, message.site),
                  waits_for_it ? destination : kNoPort);
  watch_deadline(source);
  report_expected(now, source, destination);
}

/// Reports to the switch which destination `port` expects after a send to `last`, if the report changes.
void PredictiveCircuits::report_expected(Time now, std::uint32_t port, Port last) {
  if (plan_ && expected_[port].update(*predictors_[port], port, last, least_accuracy_))
    send_control(now, {Control::What::expect, {port, expected_[port].reported()}});
}

/// `offered`: destination of a message that will enter its queue; it counts as waiting already.
void PredictiveCircuits::apply_decisions(Time now, std::uint32_t port, const Predictor::Decisions& decisions,
                                         Port offered) {
  for (const Port destination : decisions.release) {
    Circuit* const known = find_circuit({port, destination});
    if (known == nullptr) continue;
    release_when_drained(now, *known, destination == offered);
  }
  for (const Port destination : decisions.request) {
    if (destination == port) continue;
    Circuit& c = circuit({port, destination});
    c.release_due = false;
    if ((!c.in_table || c.releasing) && !c.requested)
      send_request(now, c, destination == offered || waits(c, now));
  }
}

/// Releases `c` by the predictor's decision if no data waits for it, otherwise later. `offered`: a message
/// will wait for it.
void PredictiveCircuits::release_when_drained(Time now, Circuit& c, bool offered) {
  c.release_due = offered || waits(c, now);
  if (c.release_due) {
    // Otherwise send_words() follows.
    if (!offered && c.finished())
      events_.push_sorted(c.gone, kDrained, c.connection.source, c.connection.destination);
    return;
  }
  if (!c.in_table && !c.requested) return;  // lost meanwhile
  const auto [source, destination] = c.connection;
  // Worms under way need no circuit. The predictor decides whether they are a reason to keep it.
  if ((c.by_worms || now < c.gate) && predictors_[source]->would_take_back(now, destination, now)) {
    c.release_due = true;
    if (!c.by_worms) events_.push_sorted(c.gate, kDrained, source, destination);  // else worms_left() follows
    return;
  }
  const Time used = c.by_worms ? now : std::min(now, std::max(c.gone, c.gate));
  if (!predictors_[source]->take_back(now, destination, used)) send_release(now, c);
}

void PredictiveCircuits::serve_by_worms(Time now, Connection connection) {
  Circuit* const c = find_circuit(connection);
  if (c != nullptr && (c->in_table || c->requested || now < c->gate)) note_worms(now, *c);
}

void PredictiveCircuits::note_worms(Time now, Circuit& c) {
  const Time cleared = time_worms_cleared(now, c.connection);
  if (cleared <= now) return;
  if (cleared != Time::never())
    c.gate = std::max(c.gate, cleared);
  else if (!std::exchange(c.by_worms, true))
    ++served_by_worms_[c.connection.source];
}

void PredictiveCircuits::worms_left(Time known, Circuit& c) {
  c.by_worms = false;
  --served_by_worms_[c.connection.source];
  if (c.gate != Time::never()) c.gate = std::max(c.gate, known);
  if (c.release_due) events_.push_sorted(known, kDrained, c.connection.source, c.connection.destination);
}

void PredictiveCircuits::watch_deadline(std::uint32_t port) {
  const Time deadline = predictors_[port]->next_deadline();
  if (deadline >= deadline_watched_[port]) return;
  deadline_watched_[port] = deadline;
  events_.push_sorted(std::max(deadline, now_), kDeadline, port, 0);
}

void PredictiveCircuits::on_deadline(Time now, std::uint32_t port) {
  if (deadline_watched_[port] != now) return;
  deadline_watched_[port] = Time::never();
  if (predictors_[port]->next_deadline() <= now)
    apply_decisions(now, port, predictors_[port]->on_time(now), kNoPort);
  watch_deadline(port);
}

}  // namespace hybrid
