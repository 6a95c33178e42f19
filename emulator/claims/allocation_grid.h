// The grids of D 4.6: wormhole switching and the allocations of the hybrid switch by predictable ratio, for
// three buffer sizes; with ours (adaptive) and the physical bound beside them.
#pragma once

#include <string>

#include "emulator/claims/sweep.h"

namespace hybrid {

/// Figures for `pattern` ("mixed", "phases") with 8 KB, 2 KB and 128 B buffers, in this order; curves
/// wormhole, ses, sla, preempt, adaptive, bound over ratios 0, 0.05, ..., 1.
std::vector<Figure> allocation_grid(const ClaimContext& context, const std::string& file,
                                    const std::string& pattern);

/// Ours against the best of the others, a row a point of `grid`, with the bound; notes tell the mean, the
/// worst point and whether the aim holds (check_adaptive).
ClaimTable adaptive_table(const std::vector<Figure>& grid, const std::string& file);

/// Ours against the best of the others: nowhere more than 2 % below, on average above.
ClaimCheck check_adaptive(const std::vector<Figure>& grid);

std::vector<std::string> allocation_grid_choices();

/// What a grid runs: wormhole switching or an allocation of the hybrid switch.
Variant allocation_variant(const std::string& allocation, const std::string& pattern, Bytes buffer);

/// S_W's length for SLA where the ratio is known (D 4.4): time is shared as data is, or S_W has `stretch`
/// times its share.
Time known_wormhole_slot(const SwitchParameters& p, double ratio, double stretch = 1);

}  // namespace hybrid
