// Expressions of hints as text for people, as C would have them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/hints/note_reader.h"

namespace hybrid {

/// The expression with as few parentheses as C needs: `rank + 1 < size ? rank + 1 : MPI_PROC_NULL`. In
/// MPI_COMM_WORLD the rank is `rank` and the size `size`, elsewhere `rank of MPI_Comm_split(MPI_COMM_WORLD,
/// rank / 4, rank % 4)`. A list is `{1, 2}`. Empty for HYBRID_NONE. Text beyond about `limit` bytes is cut
/// and ends with "...": an expression may use one part many times, its text may be far longer than its note.
std::string print_expression(const HintUnit& unit, std::uint32_t node, std::size_t limit = 400);

/// The loops around a site, the outermost first, as C's: `for (d = 1; d < size; d = d * 2)`; a condition that
/// was not understood is `?`. A loop without variables is `while (condition)`.
std::vector<std::string> print_loops(const HintUnit& unit, std::uint32_t innermost);

}  // namespace hybrid
