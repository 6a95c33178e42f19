// The two steps of phase_partition.h that decide where one phase ends and the next begins: cheapest_cut() in
// windows that contain an iteration, then move_borders()
// in finer windows, because the wide ones are too wide for exact borders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "predictor/phase_partition.h"
#include "predictor/use_history.h"

namespace hybrid {

/// The best cut of a timeline into stretches; phase_partition.h defines the cost. Returns the first and last
/// window of each stretch, in time order. `shares` are cumulative_shares of the timeline; `price` is the
/// price of establishing a connection, as a share of the job. Connections marked in `strays` do not count.
/// Requires: the timeline has windows, and none is empty. Exact; O(windows^2 + uses x windows) time.
std::vector<std::pair<std::uint32_t, std::uint32_t>> cheapest_cut(const UseHistory::Timeline& timeline,
                                                                  const std::vector<bool>& strays,
                                                                  const std::vector<double>& shares,
                                                                  double price);

/// Moves each border between two stretches by up to four windows to the position of maximum likelihood. The
/// model: in each phase every connection is used at random, with its mean rate in all stretches of the phase
/// (the change point of two Poisson processes for each connection). Repeats with the new rates until no
/// border moves. Among equally likely positions, the nearest to the old one is taken.
///
/// `fine` is the timeline without empty windows, `window_of` the wider window that contains each of its
/// windows, and `stretches` refer to the wider windows. Afterwards a wider window that contains a border is
/// split in two in `window_of`, and `stretches` refer to the new windows. Every stretch keeps at least one
/// window. O(uses x (windows + borders)) time for each round.
void move_borders(const UseHistory::Timeline& fine, std::vector<std::size_t>& window_of,
                  std::vector<PhasePartition::Stretch>& stretches);

}  // namespace hybrid
