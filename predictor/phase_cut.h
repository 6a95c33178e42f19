// The best cut of a timeline into stretches: predictor/phase_partition.h says what "best" means.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "predictor/use_history.h"

namespace hybrid {

/// First and last window of each stretch, in time order. `shares` are cumulative_shares of the timeline
/// (which has a window and no empty ones), `price` is that of establishing a connection, as a share of the
/// job. Connections marked in `strays` do not count. Exact; O(windows^2 + uses x windows) time.
std::vector<std::pair<std::uint32_t, std::uint32_t>> cheapest_cut(const UseHistory::Timeline& timeline,
                                                                  const std::vector<bool>& strays,
                                                                  const std::vector<double>& shares,
                                                                  double price);

}  // namespace hybrid
