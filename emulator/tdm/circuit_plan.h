// Which circuits the fabric carries from one TDM tick to the next, so that messages run to completion
// (allocation `held`).
//
// A tick is the begin of a slot at the switch. Each tick compares two candidates and keeps the one with more
// circuits, less what their reconfiguration costs; of equals the first ("compare and keep", L. Tassiulas,
// INFOCOM 1998):
//   A  the circuits under way, each up to a quantum, then the waiting connections, longest waiting first;
//   B  the waiting connections in the order of the slots, from the slot whose turn it is.
// Both are maximal: no waiting connection is left with both ports free, unless a worm keeps one of them. A
// connection whose quantum ends while its data waits is behind all others that wait then. So a connection
// that waits is served after at most one quantum of each connection before it.
//
// Worms use the ports without a circuit. A worm that has its output in the switch keeps both its ports if it
// has waited longer than the circuit that needs one of them. It interrupts a circuit that was served for
// `protect`.
//
// The quantum follows from the hardware: what a change of circuits costs at a port (reconfiguration, guard,
// and the control loop in which the port waits) is at most a tenth of it. `protect` is the same for a worm,
// for which the port waits for the reconfiguration only; at least one slot.
//
// A tick takes O(waiting connections + N / 64) operations and does not allocate.
//
//   CircuitPlan plan(parameters);
//   plan.begin_waiting(now, slot, connection);
//   plan.compose(tick, first_slot, schedule, wanted, configuration, fresh);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/configuration.h"
#include "core/connection.h"
#include "core/port_set.h"
#include "core/time.h"
#include "core/zeroed_array.h"
#include "emulator/network/repetition.h"
#include "emulator/parameters.h"

namespace hybrid {

class CircuitPlan {
 public:
  /// `keeps_unused`: a port without a wanted circuit keeps its last one in the fabric (no worms use it).
  CircuitPlan(const SwitchParameters& parameters, bool keeps_unused);

  /// Time for which a circuit is used without interruption by other circuits.
  Time quantum() const { return quantum_; }

  /// Data waits for the circuit from `source` in `slot`, from `now` on. Requires: none did.
  void begin_waiting(Time now, std::uint32_t slot, Port source);
  /// No data waits for it any more, or the slot no longer holds it.
  void end_waiting(std::uint32_t slot, Port source);

  /// No data waits for the circuit `c` of `slot`, which was requested ahead. It gets its ports in the fabric,
  /// once no wanted circuit needs them. Only the first prediction of a source after its last wanted circuit
  /// counts. Returns false, without effect, if unused circuits are not kept.
  bool predict(std::uint32_t slot, Connection c);
  bool has_predictions() const { return has_prediction_.any(); }

  /// For the next compose(): a worm of `c` has its output since `since`.
  void add_worm(Connection c, Time since);

  /// Composes the circuits of the slot that begins at `tick`. `schedule`: B^(s); `wanted[s]`: the sources of
  /// the connections of slot s that data waits for. Stores the circuits in `circuits`, and in `fresh` those
  /// that the fabric did not hold.
  void compose(Time tick, std::uint32_t first_slot, std::span<const Configuration> schedule,
               std::span<const PortSet> wanted, Configuration& circuits, std::vector<Connection>& fresh);
  /// A slot without circuits began: worms may use all ports.
  void end_all();

  void visit(StateVisitor& v);

 private:
  struct UnderWay {
    Port destination = kNoPort;
    std::uint32_t slot = 0;
    Time started{};
  };
  struct Waiting {
    std::uint32_t slot = 0;
    Port source = 0;
    std::uint64_t stamp = 0;
  };
  struct Since {
    Time at;
    std::uint64_t stamp;  // of its entry in waiting_; 0: does not wait
  };

  Since& since(std::uint32_t slot, Port source) { return since_[std::size_t{source} * slots_ + slot]; }
  static bool holds(std::span<const Configuration> schedule, Connection c);
  void put_in_fabric(Connection c, std::vector<Connection>& fresh);
  void join_queue(Time now, std::uint32_t slot, Port source);
  Time gain(const Configuration& circuits) const;
  bool worm_interrupts(const UnderWay& circuit, Port source, Time tick) const;
  bool worm_keeps(Connection c, Time waiting_since) const;

  std::uint32_t slots_;
  Time quantum_, protect_, change_;
  bool keeps_unused_;

  std::vector<UnderWay> under_way_;  // by source
  PortSet busy_;                     // sources with a circuit under way
  std::vector<Waiting> waiting_;     // longest waiting first; entries with an old stamp are void
  ZeroedArray<Since> since_;         // by source and slot
  std::uint64_t last_stamp_ = 0;

  // By source: its predicted circuit that is not in the fabric yet.
  PortSet has_prediction_;
  PortSet prepared_;  // sources with a prediction since their last wanted circuit
  std::vector<Port> predicted_;
  std::vector<std::uint32_t> predicted_slot_;
  Configuration fabric_;                        // what the fabric holds
  Configuration second_;                        // candidate B
  std::vector<std::uint32_t> slot_a_, slot_b_;  // by source: the slot of its circuit in the candidate
  std::vector<Time> worm_in_, worm_out_;        // since when a worm has this port; never: none
  std::vector<Connection> worms_;
};

}  // namespace hybrid
