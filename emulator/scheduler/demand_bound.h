// A time below which no schedule drains a demand, whatever its algorithm.
//
// A port that uses k connections of the fabric stands still for k reconfigurations at least; while the fabric
// carries nothing for it, and beside the fabric, the packet network takes its share p of the link rate. So in
// time T
//
//   bytes of the port  <=  (T - k reconfigurations) x rate  +  T x p x rate,
//
// where k is so large that the packet network alone can carry the other requests of the port, the smallest
// ones. Where all ports stand still together, every port loses as many reconfigurations as the port that
// needs the most configurations.
#pragma once

#include "emulator/scheduler/demand_scheduler.h"

namespace hybrid {

/// The smallest T that meets this at every port. Exact for a single port's demand.
Time drain_bound(const DemandProblem& problem);

}  // namespace hybrid
