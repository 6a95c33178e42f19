// Drains a demand matrix through a crossbar whose reconfiguration costs time, with a packet network of a
// stated share of the link rate beside it: a sequence of configurations, each held for a time.
//
// Contract
// - The configurations follow one another without a pause, the first at time 0, when the fabric is empty. A
//   configuration `lasts` from the moment that the fabric is told to change to it until it is told the next.
// - Where a configuration differs from the one before, the fabric reconfigures: for that time
//   all ports stand still, or, with `partial`, only the connections that were not there before; such a
//   connection stands still that long even when other ports change meanwhile. A connection carries link_rate
//   otherwise.
// - The fabric and the packet network together drain all bytes that are asked for; what no configuration
//   carries is the packet network's, which works from time 0 on. drain_time() (an independent replay) says
//   when all is done.
// - A connection that is not asked for is in no configuration. The same problem gives the same result.
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
  /// Of the link rate, at each port of the packet network beside the fabric; 0: there is none.
  double packet_share = 0;
};

/// The packet network's rate at each port, rounded down.
BitRate packet_rate(const DemandProblem& problem);

struct TimedConfiguration {
  Configuration configuration;
  Time lasts{};  // its reconfiguration included
};

class DemandScheduler {
 public:
  virtual ~DemandScheduler() = default;
  virtual std::vector<TimedConfiguration> drain(const DemandProblem& problem) = 0;
};

/// Refuses (UserError) what cannot be scheduled: no rate, a share outside [0, 1], a reconfiguration time
/// below 0, and demands so large that draining them could take longer than Time can tell.
void check(const DemandProblem& problem);

}  // namespace hybrid
