// The traffic of a recorded job for its page: who sends how much to whom, in which phase, by which operation,
// and when.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "emulator/replay/replay.h"
#include "libhybrid/report/recorded_phases.h"

namespace hybrid {

/// Limits of the result; larger jobs are aggregated to them.
struct TrafficDetail {
  std::uint32_t time_bins = 200;
  std::uint32_t rank_groups = 256;  // rows of the matrix
  std::uint32_t cells = 60'000;     // of the matrix, over all phases and operations
  std::uint32_t spans = 5'000;      // of phases
};

/// ranks; end_ns: of the last send; group: ranks in a row or column of the matrix; operations: names;
/// phases: names, those of the report first; cells: lists of phase, operation (indices), source group,
/// destination group, messages, bytes, in this order; spans: lists of phase, begin_ns, end_ns, occurrences:
/// the times in which a phase sends; gap_ns: a phase with a shorter gap between two occurrences has one span
/// for both, 0 if there are few; bins: width_ns; operations: for each the bytes sent in each bin;
/// group: ranks in a row of ranks; ranks: for each group the bytes sent in each bin.
///
/// An occurrence of a hinted phase lasts from the first to the last of its messages on any rank; one outside
/// of phases until any rank sends in a phase.
///
/// Messages are those that the report counts and those inside ports. One pass over the trace; memory grows
/// with the number of cells. `found`: the phases of the trace. Throws exceptions of the trace.
nlohmann::ordered_json traffic_json(JobTrace& trace, const FoundPhases& found, const ReplayOptions& options,
                                    const TrafficDetail& detail = {});

}  // namespace hybrid
