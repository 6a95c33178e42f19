// Reports of the NICs to the switch about their queues (R_valid of D 4.5, by slot): control words, for
// allocations that need them (emulator/tdm/allocation.h).
#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

void PredictiveCircuits::send_signal(Time at, Connection c, Signal::What what, Time due) {
  if (!controller_.needs_signals()) return;
  // Of one connection and instant, new data comes first: then data waits without interruption.
  const std::uint64_t order =
      (std::uint64_t{c.source} << 28 | c.destination) << 2 | static_cast<unsigned>(what);
  events_.push_ordered(at + timing_.nic + timing_.control, kSignal, order, signals_.acquire({c, what, due}));
}

void PredictiveCircuits::report_next_message(CircuitQueue& queue, Time at) {
  if (!plan_ || queue.segments.empty()) return;
  queue.due = at + timing_.word * static_cast<std::int64_t>(queue.segments.front().words);
  send_signal(at, queue.circuit->connection, Signal::What::next_message, queue.due);
}

void PredictiveCircuits::signal_offer(Time now, Traffic words) {
  if (controller_.needs_signals()) send_control(now, {Control::What::offer, {}, 0, words});
}

void PredictiveCircuits::on_signal(Time now, std::uint32_t index) {
  const Signal signal = signals_[index];
  signals_.release(index);
  Circuit& c = circuit(signal.connection);
  if (!slots_running_) begin_slots_until(now);
  switch (signal.what) {
    case Signal::What::waits:
      ++c.waiting_signals;
      [[fallthrough]];
    case Signal::What::next_message:
      c.due = signal.due;
      if (plan_ && c.established && wanted_[c.slot].test(c.connection.source))
        plan_->set_waiting(c.slot, c.connection.source, c.due);
      break;
    case Signal::What::is_empty:
      --c.waiting_signals;
      break;
  }
  if (c.established) note_wanted(c);
}

/// Updates the waiting connections of slot c.slot. Requires: c.slot holds, or held, `c`.
void PredictiveCircuits::note_wanted(const Circuit& c) {
  PortSet& sources = wanted_[c.slot];
  const bool wanted = c.established && c.waiting_signals != 0;
  if (sources.test(c.connection.source) == wanted) return;
  if (wanted) {
    sources.set(c.connection.source);
    ++wanted_connections_[c.slot];
    if (plan_) plan_->set_waiting(c.slot, c.connection.source, c.due);
  } else {
    sources.reset(c.connection.source);
    --wanted_connections_[c.slot];
    if (plan_) plan_->end_waiting(c.slot, c.connection.source);
  }
  controller_.set_waiting_connections(c.slot, wanted_connections_[c.slot]);
}

}  // namespace hybrid
