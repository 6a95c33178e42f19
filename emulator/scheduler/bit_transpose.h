// Transposes bit matrices: 64 x 64 bits at a time, in six rounds of swaps (Warren, "Hacker's Delight", 7-3).
#pragma once

#include "core/port_set.h"

namespace hybrid {

/// Sets `transposed` to the transpose of `matrix`. Throws std::logic_error unless `transposed` has as many
/// rows as `matrix` has columns, and as many columns as `matrix` has rows.
void transpose(const BitMatrix& matrix, BitMatrix& transposed);

}  // namespace hybrid
