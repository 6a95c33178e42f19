// The schedule of predictive circuit switching at the switch: the scheduler port behind the wire, and the
// connections B^(s) that its grants establish in each slot (D 3.3.2, 5.2).
//
// Preloaded connections are "not effected by" requests (D 3.3.3); the schedule remembers which slots hold
// some. The state of each connection (CircuitState: established, slot, patience_ends) follows.
//
//   schedule.request(now, {source, destination});
//   schedule.watch(now);                                                 // an event kPort will come
//   for (const Grant& g : schedule.advance(now)) schedule.apply(g);      // at the event
//   schedule.watch(now + picoseconds(1));
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/configuration.h"
#include "core/scheduler_port.h"
#include "emulator/network/event_queue.h"
#include "emulator/parameters.h"
#include "emulator/tdm/circuit_table.h"
#include "emulator/tdm/circuits_held.h"
#include "emulator/tdm/control_wire.h"

namespace hybrid {

class SlotSchedule {
 public:
  SlotSchedule(const SwitchParameters& parameters, CircuitTable& circuits, EventQueue& events,
               TechniqueStatistics& statistics);

  /// B^(s), by slot.
  std::span<const Configuration> slots() const { return slots_; }
  std::uint32_t ports() const { return ports_; }
  /// The circuit that `slot` holds from `source`, or to `destination`; nullptr: none.
  CircuitState* of_source(Port source, std::uint32_t slot) const { return held_.of_source(source, slot); }
  CircuitState* of_destination(Port destination, std::uint32_t slot) const {
    return held_.of_destination(destination, slot);
  }
  /// The connections of `slot` that were preloaded into it and were not lost since.
  const Configuration& preloaded(std::uint32_t slot) const { return preloaded_[slot]; }
  Time preloaded_since(std::uint32_t slot) const { return preloaded_since_[slot]; }
  /// Whether the scheduler fills `slot`, or some slot, so that a request can be granted.
  bool is_dynamic(std::uint32_t slot) const { return preloaded_[slot].empty(); }
  bool has_dynamic_slot() const {
    return std::any_of(preloaded_.begin(), preloaded_.end(),
                       [](const Configuration& c) { return c.empty(); });
  }

  void request(Time now, Connection c) { port_->request(now, c); }
  void release(Time now, Connection c) { port_->release(now, c); }
  void preload(Time now, std::uint32_t slot, const Configuration& configuration);
  /// Returns a preloaded slot to the scheduler.
  void make_dynamic(Time now, std::uint32_t slot);
  void flush(Time now, Port source);
  /// Calls visit(const CircuitState&) for the connections that block `c` in `slot`, until it returns false:
  /// those at its two ports, then those inside the network.
  template <class Visit>
  void for_each_blocking(Time now, std::uint32_t slot, Connection c, Visit&& visit);

  /// Schedules an event kPort for the next change. Call it after the functions above.
  void watch(Time now);
  /// At an event kPort: the changes until `now`, in time order. Apply each of them before other calls.
  std::span<const Grant> advance(Time now);
  /// Applies a change, and returns the state of its connection.
  CircuitState& apply(const Grant& grant);

 private:
  CircuitTable& circuits_;
  EventQueue& events_;
  TechniqueStatistics& statistics_;
  std::uint32_t ports_;
  std::unique_ptr<SchedulerPort> port_;
  std::vector<Grant> grants_;
  std::vector<Connection> blocking_;
  Time port_watched_ = Time::never();
  std::vector<Configuration> slots_;
  CircuitsHeld<CircuitState> held_;       // the same, by port
  std::vector<Configuration> preloaded_;  // by slot
  std::vector<Time> preloaded_since_;     // by slot
};

template <class Visit>
void SlotSchedule::for_each_blocking(Time now, std::uint32_t slot, Connection c, Visit&& visit) {
  if (const CircuitState* own = held_.of_source(c.source, slot); own != nullptr && !visit(*own)) return;
  if (const CircuitState* own = held_.of_destination(c.destination, slot); own != nullptr && !visit(*own))
    return;
  blocking_.clear();
  port_->find_blocking(now, slot, c, blocking_);
  for (const Connection other : blocking_)
    if (!visit(circuits_.at(other))) return;
}

}  // namespace hybrid
