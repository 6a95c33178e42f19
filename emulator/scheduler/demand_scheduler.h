// Drains a demand matrix through a crossbar with a reconfiguration time, next to which a packet network has a
// given share of the link rate. The result is a sequence of configurations, each held for a time.
//
// Contract
// - The configurations follow one another without a pause; the first begins at time 0, when the fabric is
//   empty. A configuration `lasts` from the command to change to it until the command to change to the next
//   one.
// - If a configuration differs from the one before, the fabric reconfigures. During that time all ports carry
//   nothing or, with `partial`, only the new connections; a new connection carries nothing for the full
//   reconfiguration time even if other ports change meanwhile. Otherwise a connection carries link_rate.
// - The fabric and the packet network together drain all requested bytes. The packet network carries what no
//   configuration carries, from time 0 on. drain_time() (an independent replay) computes when everything is
//   drained.
// - Only requested connections are in the configurations. The same problem gives the same result.
#pragma once

#include <vector>

#include "core/configuration.h"
#include "core/time.h"
#include "core/units.h"
#include "emulator/scheduler/request.h"

namespace hybrid {

struct DemandProblem {
  const RequestSet& set;  // bytes are the demand
  BitRate link_rate = 0;  // > 0
  Time reconfiguration{};
  bool partial = false;
  /// Rate of the packet network at each port, as a share of the link rate; 0: there is no packet network.
  double packet_plane = 0;
};

/// Rate of the packet network at each port, rounded down.
BitRate packet_rate(const DemandProblem& problem);

struct TimedConfiguration {
  Configuration configuration;
  Time lasts{};  // includes the reconfiguration
};

class DemandScheduler {
 public:
  virtual ~DemandScheduler() = default;
  /// Throws UserError for a problem that check_demand() refuses.
  virtual std::vector<TimedConfiguration> drain(const DemandProblem& problem) = 0;
};

/// Throws UserError for a problem that cannot be scheduled: no rate, a share outside [0, 1], a
/// reconfiguration time below 0, and a demand so large that draining it could exceed the range of Time.
void check_demand(const DemandProblem& problem);

}  // namespace hybrid
