// A bit matrix by its columns: 64 x 64 bits at a time, in six rounds of swaps (Warren, "Hacker's Delight",
// 7-3).
#pragma once

#include "core/port_set.h"

namespace hybrid {

/// `transposed` must have as many rows as `matrix` has columns, and as many columns as that has rows.
void transpose(const BitMatrix& matrix, BitMatrix& transposed);

}  // namespace hybrid
