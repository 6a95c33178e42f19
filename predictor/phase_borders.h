// Where exactly one phase ends and the next begins, once it is known which phases follow each other: windows
// that hold an iteration are too wide to tell.
#pragma once

#include <cstddef>
#include <vector>

#include "predictor/phase_partition.h"
#include "predictor/use_history.h"

namespace hybrid {

/// Moves each border between two stretches, by up to four windows, to where the uses around it are likeliest:
/// if in each phase every connection came to be used at random, as often as in all of the phase's stretches
/// on average (the change point of two Poisson processes for each connection); again with the new averages,
/// until no border moves. Of equally likely places, to the nearest to where it was.
///
/// `fine` is the timeline, without empty windows, `window_of` the wider window that each of its windows is a
/// part of, and `stretches` are in those. Afterwards a wider window through which a border goes is two in
/// `window_of`, and `stretches` are in the new windows. Every stretch keeps a window.
/// O(uses x (windows + borders)) time a round.
void move_borders(const UseHistory::Timeline& fine, std::vector<std::size_t>& window_of,
                  std::vector<PhasePartition::Stretch>& stretches);

}  // namespace hybrid
