// Partitions the timeline of a job into stretches with one stable working set each, and finds the stretches
// with the same set (D 5.1: the sequence of working sets W^(1) .. W^(p)).
//
// The trade-off of D 5.1: few phases have large working sets, with idle slots for unused connections; many
// phases cost reconfigurations. The partition minimises, over all cuts,
//
//     sum over stretches of  |working set| x (length + price of establishing a connection)
//
// exactly, by dynamic programming. Lengths are shares of the job, half by time and half by messages. Time
// without sends does not count (a computation ends no phase, D 5.2.2). The price is 1/40 of the job, and at
// least 4 windows: a set must be unused for longer than that to be a separate phase, so that sets that
// alternate in a loop body form one phase unless each of them lasts long.
//
// Before: windows are joined until a window contains an iteration, so that neighbouring windows use the same
// connections in most of the job (widen_to_recurrence). Connections with few messages in few windows, next to
// others with many times more, are strays and are ignored (find_strays).
//
// After: stretches that are too short are joined with others. Neighbouring stretches are joined, and other
// stretches become occurrences of one phase, if their sets differ little more than the halves of either
// stretch. The working set of a phase omits connections that few of its windows use; these go through the
// wormhole slot. Last, the borders are moved to their most likely position in the original windows
// (move_borders).
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
  /// The working sets, by phase: indices into timeline.uses, ascending. Phases are numbered by first
  /// occurrence.
  std::vector<std::vector<std::uint32_t>> members;
};

PhasePartition partition_into_phases(UseHistory::Timeline timeline);

}  // namespace hybrid
