// Rewrites a Fortran file: replaces its `!hyb$` lines by calls of the markers of core/hint_abi.h, which the
// pass reads. (flang passes no comments to plugins.) Example:
//     !hyb$ flush
// becomes
//     # 12 "app.f90"
//     block
//     interface
//     subroutine hybrid_0_flush() bind(c, name="__hybrid_flush")
//     end subroutine
//     end interface
//     call hybrid_0_flush()
//     end block
//
// Line markers (`# 12 "app.f90"`) keep the file's name and line numbers in messages and hints. In a Fortran
// program a phase lasts to the next `phase` or `end` that is reached in its procedure, or to the procedure's
// end. `hybrid_rank` and `hybrid_size` in expressions are the caller's rank and the size of MPI_COMM_WORLD;
// so are `rank` and `size` if the unit has no variable of that name.
//
// The result is written to another folder. Its include lines therefore name the rewritten copies of files
// that change, and other files by their path from the folder where flang runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "clang_plugin/fortran/unit.h"

namespace hybrid::fortran {

/// Returns the new text of a file that changes. `copies`: for each file of the unit, the path of its
/// rewritten copy. A file with wrong directives gets `#error` lines, which flang reports if it reads them.
std::string rewrite(const Unit& unit, std::size_t file, const std::vector<std::string>& copies);

}  // namespace hybrid::fortran
