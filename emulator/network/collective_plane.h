// Broadcast and barrier in the fabric, as in QsNet (D 2.3.1): "the switch node is able to send a message to
// any contiguous port in the switch node"; here to any set of ports. The root sends once and the switch
// copies. Each member of a barrier sends one control word, and the switch notifies all members when it has
// received every word.
//
// The plane is the same for all techniques: separate links and a separate digital fabric with the clocks,
// delays and rates of the switch. It neither waits for other traffic nor delays it. Its queues are unbounded.
//
// Timing (a worked example is in docs/timing.md)
// - Multicast: a PE generates its multicasts one after the other; their words use the wire as other words do.
//   The first word requests all its outputs when it is at the switch. The pass is on the first edge of the
//   scheduler's clock at or after the instant at which the last of these outputs is free of earlier
//   multicasts. One scheduler delay later words pass to all outputs at once, one per word time of the digital
//   fabric; then fabric, wire, NIC. Outputs are free when the last word has passed.
// - Barrier: a member's control word leaves one NIC delay after the member entered, and is at the switch one
//   wire delay later. The barrier is complete on the first edge at or after the arrival of the last word; one
//   scheduler delay later the event is sent to all members: fabric, wire, NIC. Control words take no
//   bandwidth.
#pragma once

#include <vector>

#include "core/connection.h"
#include "core/option.h"
#include "core/port_set.h"
#include "emulator/network/timing.h"

namespace hybrid {

class CollectivePlane {
 public:
  /// `instant`: nothing takes time (emulator/switching/bounds.h).
  explicit CollectivePlane(const SwitchParameters& parameters, bool instant = false);

  struct Copied {
    Time injected;   // the last word has left the PE
    Time delivered;  // it has reached the PEs of all ports
  };
  /// Sends `bytes` from the PE at `source` to `ports` at `at`, which is not before the source's previous
  /// multicast. Throws UserError if the message takes too long to emulate.
  Copied multicast(Time at, Port source, const PortSet& ports, Bytes bytes);

  /// The instant at which the members leave a barrier whose last member entered at `last`.
  Time barrier(Time last) const;

 private:
  Time grant_time(Time from) const { return next_edge(from, cycle_) + setup_; }

  Timing timing_;
  bool instant_;
  Time cycle_, setup_;
  std::vector<Time> handed_;     // by source: earliest offer of the next multicast, without its generation
  std::vector<Time> link_free_;  // by source
  std::vector<Time> output_free_;
};

/// Adds `--multicast hardware|none`. `hardware` holds the default and receives the value.
void add_multicast_option(OptionTable& table, bool& hardware);

/// Throws UserError if the network of `parameters` has no collective plane: a fat tree.
void check_multicast(const SwitchParameters& parameters);

}  // namespace hybrid
