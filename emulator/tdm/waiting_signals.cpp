// Reports of the NICs to the switch about their queues (R_valid of D 4.5, by slot): control words, for
// allocations that need them (emulator/tdm/allocation.h).
#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

void PredictiveCircuits::signal_waiting(Time at, const Circuit& c, bool waiting) {
  if (!controller_.needs_signals()) return;
  events_.push(at + timing_.nic + timing_.control, kSignal, c.connection.source,
               c.connection.destination | (waiting ? 0 : kMark));
}

void PredictiveCircuits::signal_offer(Time now, Traffic words) {
  if (controller_.needs_signals()) send_control(now, {Control::What::offer, {}, 0, words});
}

void PredictiveCircuits::on_signal(Time now, Circuit& c, bool waiting) {
  if (!slots_running_) begin_slots_until(now);
  c.waiting_signals += waiting ? 1 : -1U;
  if (c.established) note_wanted(now, c);
}

/// Updates the waiting connections of slot c.slot. Requires: c.slot holds, or held, `c`.
void PredictiveCircuits::note_wanted(Time now, const Circuit& c) {
  PortSet& sources = wanted_[c.slot];
  const bool wanted = c.established && c.waiting_signals != 0;
  if (sources.test(c.connection.source) == wanted) return;
  if (wanted) {
    sources.set(c.connection.source);
    ++wanted_connections_[c.slot];
    if (plan_) plan_->begin_waiting(now, c.slot, c.connection.source);
  } else {
    sources.reset(c.connection.source);
    --wanted_connections_[c.slot];
    if (plan_) plan_->end_waiting(c.slot, c.connection.source);
  }
  controller_.set_waiting_connections(c.slot, wanted_connections_[c.slot]);
}

}  // namespace hybrid
