// Broadcast and barrier in the fabric, as QsNet has them (D 2.3.1): "the switch node is able to send a
// message to any contiguous port in the switch node"; here to any set of ports. The root sends once, and the
// switch copies; of a barrier's members each sends one control word, and the switch tells all when it has
// them all.
//
// All techniques have this plane alike: links and a digital fabric of its own, with the clocks, delays and
// rates of the switch, so that it neither waits for other traffic nor delays it. Its queues are not bounded.
//
// Timing (a worked example is in docs/timing.md)
// - Multicast: words are generated and go over the wire as any others; the PE hands over its multicasts one
//   after the other. When the first word is at the switch, it asks for all its outputs; the pass is on the
//   first edge of the scheduler's clock at or after the instant at which all of them are free of multicasts
//   sent before. One scheduler delay later words pass as they are there, one per word time of the digital
//   fabric, to all outputs at once; then fabric, wire, NIC. Outputs are free when the last one has passed.
// - Barrier: a member's control word leaves one NIC delay after it came, and is at the switch one wire delay
//   later. On the first edge at or after the last one's arrival it is complete; one scheduler delay later the
//   event goes to all: fabric, wire, NIC. Control words take no bandwidth.
#pragma once

#include <vector>

#include "core/connection.h"
#include "core/option.h"
#include "core/port_set.h"
#include "emulator/network/timing.h"

namespace hybrid {

class CollectivePlane {
 public:
  explicit CollectivePlane(const SwitchParameters& parameters);

  struct Copied {
    Time injected;   // the last word has left the PE
    Time delivered;  // it has reached the PEs of all ports
  };
  /// `bytes` from the PE at `source`, at `at` (not before the multicast before), to `ports`.
  Copied multicast(Time at, Port source, const PortSet& ports, Bytes bytes);

  /// When the members of a barrier leave it whose last one came at `last`.
  Time barrier(Time last) const;

 private:
  Time granted(Time from) const { return next_edge(from, cycle_) + setup_; }

  Timing timing_;
  Time cycle_, setup_;
  std::vector<Time> handed_;     // by source: earliest instant of the next offer but for its own generation
  std::vector<Time> link_free_;  // by source
  std::vector<Time> output_free_;
};

/// `--multicast hardware|none`; `hardware` has the default.
void add_multicast_option(OptionTable& table, bool& hardware);

/// Throws UserError where the network of `parameters` has no such plane: a fat tree.
void check_multicast(const SwitchParameters& parameters);

}  // namespace hybrid
