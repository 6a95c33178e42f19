// Grids of D 4.6: wormhole switching and the allocations of the hybrid switch by predictable ratio, for three
// buffer sizes, with the physical bound; and adaptive (ours) compared with them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "emulator/claims/sweep.h"

namespace hybrid {

/// Returns the figures for `pattern` ("mixed", "phases") with 8 KB, 2 KB and 128 B buffers, in this order.
/// Curves: wormhole, ses, sla, preempt, `more`, bound over ratios 0, 0.05, ..., 1.
std::vector<Figure> allocation_grid(const ClaimContext& context, const std::string& file,
                                    const std::string& pattern, const std::vector<std::string>& more = {});

/// Returns the first three figures of a grid with the names of their buffers: "8 KB", "2 KB", "128 B".
std::vector<std::pair<std::string, const Figure*>> by_buffer(const std::vector<Figure>& grid);

/// Returns adaptive compared with the best of the others and the bound, one row per point of `grid`. Note:
/// the means and the worst point.
ClaimTable adaptive_table(const std::vector<Figure>& grid, const std::string& file);

inline constexpr const char* kAdaptiveAim =
    "adaptive never more than 2 % below the best of wormhole, ses, sla and preempt, above it on average";
/// Checks the aim: adaptive is never more than 2 % below the best of the others, and above it on average.
ClaimCheck check_adaptive(const std::vector<Figure>& grid);

std::vector<std::string> allocation_grid_choices();

/// Returns a variant of a grid: "wormhole" switching or the hybrid switch with an allocation.
Variant allocation_variant(const std::string& allocation, const std::string& pattern, Bytes buffer);

/// Returns the length of S_W for SLA with a known ratio (D 4.4): S_W gets its share of the data, times
/// `stretch`.
Time known_wormhole_slot(const SwitchParameters& p, double ratio, double stretch = 1);
/// The length of S_W that shares the time, not the data, by the ratio (D 4.4, figure 4.7): K slots are to S_W
/// as the time of the predictable traffic is to that of the rest. `circuits` and `worms`: what each of them
/// reaches alone, measured. In whole worms, as in figure 4.7, each with the scheduler's delay: from one,
/// which may be shorter than a slot, to 16 turns of the predictive slots.
Time wormhole_slot_by_time(const SwitchParameters& p, double ratio, double circuits, double worms);

/// The part of a value by which two curves of a grid may differ and count as equal (ours).
inline constexpr double kEqual = 0.01;
/// Whether `curve` is above the highest of `others` at x, or equal to it.
bool not_below(const Figure& f, const std::string& curve, const std::vector<std::string>& others, double x);

}  // namespace hybrid
