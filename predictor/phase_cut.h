// The best cut of a timeline into stretches; phase_partition.h defines the cost.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "predictor/use_history.h"

namespace hybrid {

/// Returns the first and last window of each stretch, in time order. `shares` are cumulative_shares of the
/// timeline; `price` is the price of establishing a connection, as a share of the job. Connections marked in
/// `strays` do not count. Requires: the timeline has windows, and none is empty. Exact; O(windows^2 + uses x
/// windows) time.
std::vector<std::pair<std::uint32_t, std::uint32_t>> cheapest_cut(const UseHistory::Timeline& timeline,
                                                                  const std::vector<bool>& strays,
                                                                  const std::vector<double>& shares,
                                                                  double price);

}  // namespace hybrid
