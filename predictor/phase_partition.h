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
// others with many times more, are strays and do not count for the cut (find_strays).
//
// After: stretches that are too short are joined with others. Neighbouring stretches are joined, and other
// stretches become occurrences of one phase, if their sets differ little more than the halves of either
// stretch. Then the borders are moved to their most likely position in the original windows (move_borders).
//
// The working set of a phase is every connection that its stretches use, strays, too. There is one exception:
// ports change phase at different times, so a use near a border counts for the neighbour if only the
// neighbour uses the connection away from its borders, and not rarely. The union of all working sets is every
// connection of the job. A connection is rare in a phase if it has less than an eighth of the messages of a
// typical connection, which is the median over the messages of the phase.
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
  /// A connection of a working set. Its messages in the phase are known if only one phase uses it; otherwise
  /// its messages in the job are divided by the numbers of windows that use it.
  struct Member {
    std::uint32_t use = 0;  // index into timeline.uses
    bool rare = false;
  };
  /// The working sets, by phase, each ascending by use. Phases are numbered by first occurrence.
  std::vector<std::vector<Member>> members;
};

PhasePartition partition_into_phases(UseHistory::Timeline timeline);

}  // namespace hybrid
