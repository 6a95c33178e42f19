// Prints hint expressions in C notation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/hints/note_reader.h"

namespace hybrid {

/// The expression, with only the parentheses that C needs: `rank + 1 < size ? rank + 1 : MPI_PROC_NULL`. The
/// rank and size in MPI_COMM_WORLD are `rank` and `size`; in other communicators, `rank of
/// MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank % 4)`. A list is `{1, 2}`. Empty for HYBRID_NONE. Text is
/// truncated after about `limit` bytes and then ends with "...": if an expression uses a node many times, the
/// text can be far longer than the note.
std::string print_expression(const HintUnit& unit, std::uint32_t node, std::size_t limit = 400);

/// The loops around a site, outermost first: `for (d = 1; d < size; d = d * 2)`. A condition that was not
/// understood is `?`. A loop without variables is `while (condition)`.
std::vector<std::string> print_loops(const HintUnit& unit, std::uint32_t innermost);

}  // namespace hybrid
