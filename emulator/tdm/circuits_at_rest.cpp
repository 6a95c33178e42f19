// What predictive circuit switching keeps of connections: a queue while data waits, the circuit's state until
// nobody could tell it from that of a connection which was never used. Both serve others then: of N^2
// connections few are in use at a time, and what a message finds in the cache depends on how little is kept.
#include <utility>

#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

/// The queue of `c`, for a message that enters it now: its own, or one that no place is taken of any more.
PredictiveCircuits::CircuitQueue& PredictiveCircuits::queue_for(Time now, Circuit& c) {
  c.holds_data = true;
  if (c.queue != nullptr) return *c.queue;
  CircuitQueue* queue = nullptr;
  for (int looks = 0; looks < 3 && queue == nullptr && !resting_.empty(); ++looks) {
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

/// Nobody could tell `c` from a connection that was never used, and no word about it is on a wire.
bool PredictiveCircuits::is_unused(const Circuit& c) const {
  const Time told = now_ - timing_.nic - timing_.control;
  return !c.in_table && !c.requested && !c.releasing && !c.release_due && !c.by_worms && !c.established &&
         c.waiting_signals == 0 && c.patience_ends == Time::never() && c.finished() && c.gate <= now_ &&
         c.gone < told && c.used_in < now_ && c.busy_since < now_ &&
         !predictors_[c.connection.source]->holds(c.connection.destination);  // it may ask when it was used
}

void PredictiveCircuits::queue_for_reuse(Circuit& c) {
  if (c.in_reuse_queue) return;
  c.in_reuse_queue = true;
  reuse_queue_.push(&c);
}

/// The state of `c`, which has none.
PredictiveCircuits::Circuit& PredictiveCircuits::new_circuit(Connection c) {
  constexpr int kLooks = 2;  // so that the list does not grow
  for (int looks = 0; looks < kLooks && !reuse_queue_.empty(); ++looks) {
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
