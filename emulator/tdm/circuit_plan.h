// Which circuits the fabric carries from one TDM tick to the next, so that messages run to completion
// (allocation `held`).
//
// A tick is the begin of a slot at the switch. Waiting connections are served in the order in which an
// unloaded network would have delivered the messages at their heads ("due"): a short message passes a long
// one, and of equal ones the first is completed first, so that no time is lost by serving messages in turns.
// A connection waits only for messages that are due earlier, and these are finite in number.
//
// Each tick compares two candidates and keeps the one with more circuits, less what their reconfiguration
// costs; of equals the first ("compare and keep", L. Tassiulas, INFOCOM 1998):
//   A  the waiting connections by due time;
//   B  the waiting connections in the order of the slots, from the slot whose turn it is.
// Both begin with the connection that is due first, if it is overdue by `protection`, with the circuits that
// were set up less than `protection` ago, and with those of messages that do not fit into their NIC (below).
// So every connection is served after finite time. Both are maximal: no waiting connection is left with both
// ports free, unless a worm keeps one of them. `protection` is ten times the reconfiguration and guard, so
// that these take at most a tenth of the time; at least a slot.
//
// A message of which words are still outside the NIC, whose queue is full, holds up all messages behind it.
// Its circuit is not interrupted until the rest fits into the queue: otherwise sources would be left with few
// destinations that they have data for. A connection that is due first waits for such circuits at its ports:
// for N times the time that the words outside need, as if each of N ports sent a message before.
//
// Ports without a wanted circuit get one that is expected to be used next, so that a message finds it
// set up ("parked" circuits). A source's NIC reports its next destination. Parked circuits make way for
// wanted ones and for worms, including those that have not been granted yet. A parked circuit does not take
// the output from one that its own source expects to use. If no worms use the fabric, a source without a
// report keeps its last circuit.
//
// Worms use the ports without a circuit. A worm that has its output in the switch keeps both its ports if its
// first word came to the switch before the circuit that needs one of them is due. So worms that wait behind
// others of their input do not starve.
//
// In a fat tree a circuit also needs the links of a path. It keeps the path that it has in the fabric, if the
// candidate has its links free, else it gets the lowest free one; another path counts as a reconfiguration.
// Worms have ticks of their own there (S_W), which interrupt all circuits.
//
// A tick takes O(waiting connections + N K) operations and does not allocate. While nothing waits and nothing
// changes (is_settled()), the circuits stay as they are: no tick is needed.
//
//   CircuitPlan plan(parameters);
//   plan.set_waiting(slot, source, due);
//   plan.compose(tick, first_slot, schedule, wanted, configuration, parked, fresh);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/configuration.h"
#include "core/connection.h"
#include "core/port_set.h"
#include "core/time.h"
#include "core/zeroed_array.h"
#include "emulator/network/repetition.h"
#include "emulator/parameters.h"
#include "emulator/scheduler/tree_circuits.h"

namespace hybrid {

class CircuitPlan {
 public:
  /// `keeps_unused`: no worms pass beside circuits, so that the fabric holds a circuit until another one
  /// takes its ports or, in a fat tree, its links.
  CircuitPlan(const SwitchParameters& parameters, bool keeps_unused);

  /// For a cycle with or without an S_W. In a fat tree worms have slots of their own. On a crossbar the
  /// fabric keeps circuits, too, if its reconfiguration takes so long that no message prefers worms, unless
  /// others wait for circuits (PathChoice).
  static bool keeps_unused(const SwitchParameters& p, bool wormhole_slot);

  /// Share of a source's expectations (0 to 1) that must have been right for a parked circuit to be worth its
  /// ports. A right one saves the message a pass of the worm scheduler and a pair of converters. A wrong one
  /// delays a worm that is granted before the next slot reaches the fabric, and costs a reconfiguration. If
  /// no worms use the fabric, it costs the source's last circuit: half.
  static double least_accuracy(const SwitchParameters& parameters, bool keeps_unused);

  /// Time for which other circuits do not interrupt a circuit that has been set up.
  static Time protection(const SwitchParameters& parameters);
  Time protection() const { return protect_; }

  /// Data waits for the circuit from `source` in `slot`. An unloaded network would deliver its message by
  /// `due`. Called again when the message at the head changes.
  void set_waiting(std::uint32_t slot, Port source, Time due);
  /// No data waits for it any more, or the slot no longer holds it.
  void end_waiting(std::uint32_t slot, Port source);

  /// Words that need this time on the link wait outside the NIC for the circuit from `source` that was
  /// composed last: they hold up all messages behind them.
  void set_outside(Port source, Time outside);
  /// `source` expects to use its circuit to `destination` next; kNoPort: unknown.
  void expect(Port source, Port destination);
  /// The schedule changed.
  void note_schedule() { settled_ = false; }
  /// Worms had the whole fabric: it holds no circuit.
  void note_worms_only();
  /// Nothing waits, no worm was added since the last compose(), which had no fresh circuits, and nothing was
  /// reported since: compose() would not change anything.
  bool is_settled() const { return settled_; }

  /// Whether circuits wait, which are compared with the worms that need their ports.
  bool has_waiting() const { return !waiting_.empty(); }
  /// For the next compose(): a worm of `c` has its output; its first word came at `arrived`.
  void add_worm(Connection c, Time arrived);
  /// For the next compose(): ports that worms use or request, which parked circuits leave free.
  void leave_to_worms(const PortSet& inputs, const PortSet& outputs);

  /// Composes the circuits of the slot that begins at `tick`. `schedule`: B^(s); `wanted[s]`: the sources of
  /// the connections of slot s that data waits for. Stores the circuits in `circuits`, in `parked` the
  /// sources of those that no data waits for, and in `fresh` those that the fabric did not hold.
  void compose(Time tick, std::uint32_t first_slot, std::span<const Configuration> schedule,
               std::span<const PortSet> wanted, Configuration& circuits, PortSet& parked,
               std::vector<Connection>& fresh);

  /// The slot of the wanted circuit from `source` that was composed last. Requires: there is one.
  std::uint32_t slot_of(Port source) const { return under_way_[source].slot; }
  /// The path of the circuit from `source` that was composed last. Requires: a fat tree, and there is one.
  const TreePath& path_of(Port source) const {
    return fabric_paths_->path_of(source);  // NOLINT(bugprone-unchecked-optional-access): required
  }

  void visit(StateVisitor& v);

 private:
  struct UnderWay {
    Port destination = kNoPort;
    std::uint32_t slot = 0;
    Time started{};
    Time outside{}, most_outside{};  // set_outside(): last, and most since it started
  };
  struct Waiting {
    std::uint32_t slot = 0;
    Port source = 0;
    std::uint64_t stamp = 0;
    Time due{};
  };
  struct Due {
    Time at;
    std::uint64_t stamp;  // of its entry in waiting_; 0: does not wait
  };

  Due& due(std::uint32_t slot, Port source) { return due_[std::size_t{source} * slots_ + slot]; }
  static bool holds(std::span<const Configuration> schedule, Connection c);
  using Paths = std::optional<TreeCircuits>;  // absent: a crossbar

  bool add(Connection c, Configuration& circuits, Paths& paths) const;
  bool in_fabric(Connection c, const Paths& paths) const;
  void put_in_fabric(Connection c, std::vector<Connection>& fresh);
  void park(std::span<const Configuration> schedule, Configuration& circuits, PortSet& parked,
            std::vector<Connection>& fresh);
  Time gain(const Configuration& circuits, const Paths& paths) const;
  Time overdue_at(Connection c, Time due) const;
  bool worm_keeps(Connection c, Time due);

  std::uint32_t slots_;
  Time protect_, change_;
  bool keeps_unused_;

  std::vector<UnderWay> under_way_;    // by source
  PortSet busy_;                       // sources with a circuit under way
  Time next_overdue_ = Time::never();  // overdue_at() of the first waiting connection, at the last compose()
  std::vector<Waiting> waiting_;       // by due time; entries with an old stamp are void
  ZeroedArray<Due> due_;               // by source and slot
  std::uint64_t last_stamp_ = 0;
  std::uint64_t worm_comparisons_ = 0;  // of due times with worms

  PortSet expects_;             // sources with a report
  std::vector<Port> expected_;  // by source: its next destination, or kNoPort
  bool settled_ = false;
  PortSet inputs_for_worms_, outputs_for_worms_;
  Configuration fabric_;                        // what the fabric holds
  Configuration second_;                        // candidate B
  std::vector<std::uint32_t> slot_a_, slot_b_;  // by source: the slot of its circuit in the candidate
  Paths fabric_paths_, paths_a_, paths_b_;
  std::vector<Time> worm_in_, worm_out_;  // arrival of the worm that has this port; never: none
  std::vector<Connection> worms_;
};

}  // namespace hybrid
