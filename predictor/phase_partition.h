// Cuts a job's timeline into stretches with one stable working set each, and tells which stretches have the
// same (D 5.1: the sequence of working sets W^(1) .. W^(p)).
//
// D 5.1 names the trade-off: few phases have large working sets, which leave the slots of unused connections
// idle; many phases pay for reconfiguration. So the cut minimises, over all ways to cut,
//
//     sum over stretches of  |working set| x (length + price of establishing a connection)
//
// which a dynamic programme finds exactly. Lengths are shares of the job, half by time and half by messages;
// time in which nobody sends does not count (a computation ends no phase, D 5.2.2). The price is 1/40 of the
// job, and at least 4 windows: a set must stay away for longer than that to be worth a phase of its own, so
// that sets which alternate in a loop body are one phase unless each of them lasts.
//
// Before: windows are joined until, in most of the job, neighbouring windows use the same connections: until
// a window holds an iteration (predictor/timeline.h). Connections with few messages in few windows, next to
// others with many times more, are strays and take no part.
//
// After: stretches that are too short join others; neighbours become one, and stretches apart become
// occurrences of one phase, if their sets differ little more than the halves of either stretch do. A phase's
// working set leaves out what few of its windows use: that is for the wormhole slot. Last, borders are moved
// to where in the windows as they were before they are likeliest (predictor/phase_borders.h).
#pragma once

#include <cstdint>
#include <vector>

#include "predictor/use_history.h"

namespace hybrid {

struct PhasePartition {
  /// Windows first .. last, in which phase `phase` runs once.
  struct Stretch {
    std::uint32_t first = 0, last = 0;
    std::uint32_t phase = 0;
  };
  UseHistory::Timeline timeline;   // widened; no empty windows
  std::vector<Stretch> stretches;  // in time order, covering all windows; neighbours differ in phase
  /// The working sets, by phase: indices into timeline.uses, ascending. Phases are numbered as they appear.
  std::vector<std::vector<std::uint32_t>> members;
};

PhasePartition partition_into_phases(UseHistory::Timeline timeline);

}  // namespace hybrid
