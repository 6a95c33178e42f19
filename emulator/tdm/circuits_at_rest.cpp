// Memory of predictive circuit switching: a queue per connection while data waits, and the circuit's state
// until it equals that of a connection that was never used. Both are then reused for other connections: few
// of the N^2 connections are in use at a time, and a small state stays in the cache.
#include <utility>

#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

/// Returns the queue of `c` for a message that enters it now. If it has none, it gets one with no place
/// taken.
PredictiveCircuits::CircuitQueue& PredictiveCircuits::queue_for(Time now, Circuit& c) {
  c.holds_data = true;
  if (c.queue != nullptr) return *c.queue;
  CircuitQueue* queue = nullptr;
  for (int checks = 0; checks < 3 && queue == nullptr && !resting_.empty(); ++checks) {
    CircuitQueue& rested = *resting_.front();
    resting_.pop();
    if (!rested.finished()) {
      rested.rests = false;
    } else if (rested.circuit != nullptr && now < rested.circuit->gone) {
      resting_.push(&rested);
    } else {
      rested.rests = false;
      if (rested.circuit != nullptr) rested.circuit->queue = nullptr;
      queue = &rested;
    }
  }
  if (queue == nullptr) queue = &queues_.emplace_back(timing_);
  queue->circuit = &c;
  c.queue = queue;
  return *queue;
}

/// Whether the state of `c` equals that of a connection that was never used, and no control word about it is
/// on a wire.
bool PredictiveCircuits::is_unused(const Circuit& c) const {
  const Time known = now_ - timing_.nic - timing_.control;
  return !c.in_table && !c.requested && !c.releasing && !c.release_due && !c.by_worms && !c.established &&
         c.waiting_signals == 0 && c.patience_ends == Time::never() && c.finished() && c.gate <= now_ &&
         c.gone < known && c.used_in < now_ && c.busy_since < now_ &&
         !predictors_[c.connection.source]->holds(c.connection.destination);  // it may need the last use
}

void PredictiveCircuits::queue_for_reuse(Circuit& c) {
  if (c.in_reuse_queue) return;
  c.in_reuse_queue = true;
  reuse_queue_.push(&c);
}

/// Creates the state of `c`. Requires: `c` has none.
PredictiveCircuits::Circuit& PredictiveCircuits::new_circuit(Connection c) {
  constexpr int kChecks = 2;  // so that the queue does not grow
  for (int checks = 0; checks < kChecks && !reuse_queue_.empty(); ++checks) {
    Circuit& gone = *reuse_queue_.front();
    reuse_queue_.pop();
    gone.in_reuse_queue = false;
    if (is_unused(gone)) {
      if (gone.queue != nullptr) std::exchange(gone.queue, nullptr)->circuit = nullptr;
      circuits_.release(gone.connection.source, gone.connection.destination);
    } else if (!gone.in_table && !gone.established && !gone.requested) {
      queue_for_reuse(gone);
    }
  }
  return circuits_.get(c.source, c.destination, timing_, c);
}

}  // namespace hybrid
