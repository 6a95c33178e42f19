// The physical bound of a pattern: no switch delivers it faster than its busiest port sends or receives.
#pragma once

#include "emulator/traffic/pattern.h"

namespace hybrid {

/// Utilisation that no technique exceeds when all nodes send as fast as they can: the mean load of the nodes'
/// ports over that of the busiest one, inputs and outputs (row and column sums of the traffic matrix). 0
/// without messages. All messages are of one size. Runs `pattern` to its end.
double load_bound(Pattern& pattern, std::uint32_t nodes);

}  // namespace hybrid
