// Preparing a timeline for the search of phases: the right window length, and which connections to leave out.
#pragma once

#include <vector>

#include "predictor/use_history.h"

namespace hybrid {

/// Doubles the window length until, in half of the job or more, neighbouring windows use mostly the same
/// connections (connections weighed by their messages), or one window is left; then removes the empty
/// windows. A window then holds an iteration or more of what the job mostly repeats: shorter windows would
/// show the order of the sends within an iteration as change. Half is enough, so that a slow loop in one part
/// of the job does not blur a fast one in another.
void widen_to_recurrence(UseHistory::Timeline& timeline);

/// By index of timeline.uses, whether the connection is a stray: in nine of ten windows that use it, it is
/// among connections of which the median carries eight times its messages or more; and it is used in at most
/// two windows, or a quarter of those between its first and last use. A rare but steady connection (the
/// all-reduce of a loop) and a burst of many connections that are used once (an all-to-all) are no strays.
std::vector<bool> find_strays(const UseHistory::Timeline& timeline);

/// Share of the job in windows 0 .. w-1 at index w (one more than windows): half by windows, half by
/// messages.
std::vector<double> cumulative_shares(const UseHistory::Timeline& timeline);

}  // namespace hybrid
