// Rewrites a Fortran source: replaces its `!hyb$` lines by calls of the markers of core/hint_abi.h, which the
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
// so are `rank` and `size` if the source has no variable of that name.
#pragma once

#include <string>
#include <vector>

#include "clang_plugin/fortran/source.h"

namespace hybrid::fortran {

struct Rewritten {
  std::string text;  // with `#error` for wrong directives between #if and #endif, which flang may skip
  std::vector<Wrong> wrong;  // the others, by line
};

Rewritten rewrite(const Source& source);

}  // namespace hybrid::fortran
