// Preparing a timeline for the search of phases: the right window length, and which connections to leave out.
#pragma once

#include <cstddef>
#include <vector>

#include "predictor/use_history.h"

namespace hybrid {

/// Removes the windows in which nobody sends. The timeline has messages.
void drop_empty_windows(UseHistory::Timeline& timeline);

/// The same messages in fewer windows: window w becomes a part of window window_after[w]. Windows after are
/// numbered from 0 without gaps.
UseHistory::Timeline join_windows(const UseHistory::Timeline& timeline,
                                  const std::vector<std::size_t>& window_after);

/// Joins neighbouring windows, as few as it takes that in half of the job or more neighbouring windows use
/// mostly the same connections (connections weighed by their messages); returns the new window of each, for
/// join_windows. A window then holds an iteration or more of what the job mostly repeats: shorter windows
/// would show the order of the sends within an iteration as change. Half is enough, so that a slow loop in
/// one part of the job does not blur a fast one in another. The new windows have equal shares of the job, as
/// in cumulative_shares, so that a part that is drawn out in time (the first use of every buffer, a rank that
/// had to wait) takes no more of them than it has a part in the job. No window is empty. Found by halving
/// and then to within an eighth: O(uses x windows) each time, some 12 times.
std::vector<std::size_t> widen_to_recurrence(const UseHistory::Timeline& timeline);

/// By index of timeline.uses, whether the connection is a stray: in nine of ten windows that use it, it is
/// among connections of which the median carries eight times its messages or more; and it is used in at most
/// two windows, or mostly with three windows or more of no use in between. A rare but steady connection (the
/// all-reduce of a loop) and a burst of many connections that are used once (an all-to-all) are no strays.
std::vector<bool> find_strays(const UseHistory::Timeline& timeline);

/// Share of the job in windows 0 .. w-1 at index w (one more than windows): half by windows, half by
/// messages.
std::vector<double> cumulative_shares(const UseHistory::Timeline& timeline);

}  // namespace hybrid
