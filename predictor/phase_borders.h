// Refines the borders between phases, once the sequence of phases is known. The windows that contain an
// iteration are too wide for exact borders.
#pragma once

#include <cstddef>
#include <vector>

#include "predictor/phase_partition.h"
#include "predictor/use_history.h"

namespace hybrid {

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
