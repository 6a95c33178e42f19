// Preparation of a timeline for the search of phases: the window length, and the connections to ignore.
#pragma once

#include <cstddef>
#include <vector>

#include "predictor/use_history.h"

namespace hybrid {

/// Removes the windows without sends. Requires: the timeline has messages.
void drop_empty_windows(UseHistory::Timeline& timeline);

/// The same messages in fewer windows: window w becomes a part of window window_after[w]. Requires: the new
/// numbers are 0, 1, ... without gaps.
UseHistory::Timeline join_windows(const UseHistory::Timeline& timeline,
                                  const std::vector<std::size_t>& window_after);

/// Joins as few neighbouring windows as necessary so that, in at least half of the job, neighbouring windows
/// use mostly the same connections (weighted by their messages). Returns the new window of each, for
/// join_windows(). A window then contains at least one iteration of the job's loops; shorter windows would
/// show the order of the sends within an iteration as changes of the working set. Half of the job is enough,
/// so that a slow loop in one part does not widen the windows of a fast loop in another. The new windows have
/// equal shares of the job (cumulative_shares), so that a part that takes long (the first use of every
/// buffer, a rank that waits) does not take more windows than its share. No window is empty. Search by
/// halving, then to within an eighth: about 12 steps of O(uses x windows).
std::vector<std::size_t> widen_to_recurrence(const UseHistory::Timeline& timeline);

/// By index of timeline.uses: whether the connection is a stray. A stray satisfies both conditions: in nine
/// of ten windows that use it, the median of the connections has at least eight times its messages; and it is
/// used in at most two windows, or mostly with gaps of at least three windows without use. A rare but steady
/// connection (the all-reduce of a loop) and a burst of many connections that are used once (an all-to-all)
/// are not strays.
std::vector<bool> find_strays(const UseHistory::Timeline& timeline);

/// The share of the job in windows 0 .. w-1 at index w (windows + 1 values): half by the number of windows,
/// half by messages.
std::vector<double> cumulative_shares(const UseHistory::Timeline& timeline);

}  // namespace hybrid
