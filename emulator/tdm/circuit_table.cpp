#include "emulator/tdm/circuit_table.h"

#include <utility>

namespace hybrid {

CircuitQueue& CircuitTable::queue_for(CircuitState& c) {
  c.holds_data = true;
  if (c.queue != nullptr) return *c.queue;
  CircuitQueue* queue = nullptr;
  for (int checks = 0; checks < 3 && queue == nullptr && !resting_.empty(); ++checks) {
    CircuitQueue& rested = *resting_.front();
    resting_.pop();
    if (!rested.finished()) {
      rested.rests = false;
    } else if (rested.circuit != nullptr && now_ < rested.circuit->gone) {
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
bool CircuitTable::is_unused(const CircuitState& c) const {
  const Time known = now_ - timing_.nic - timing_.control;
  return !c.in_table && !c.requested && !c.at_switch && !c.releasing && !c.release_due && !c.by_worms &&
         !c.established && c.waiting_signals == 0 && c.patience_ends == Time::never() && c.finished() &&
         c.gate <= now_ && c.gone < known && c.used_in < now_ && c.busy_since < now_ &&
         !predictors_[c.connection.source]->holds(c.connection.destination);  // it may need the last use
}

void CircuitTable::queue_for_reuse(CircuitState& c) {
  if (c.in_reuse_queue) return;
  c.in_reuse_queue = true;
  reuse_queue_.push(&c);
}

CircuitState& CircuitTable::create(Connection c) {
  constexpr int kChecks = 2;  // so that the queue does not grow
  for (int checks = 0; checks < kChecks && !reuse_queue_.empty(); ++checks) {
    CircuitState& gone = *reuse_queue_.front();
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
