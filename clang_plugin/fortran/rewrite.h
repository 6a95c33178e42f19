// A Fortran file with its `!hyb$` lines turned into calls of the markers of core/hint_abi.h, which the pass
// reads. flang hands no comment to a plugin.
//
// Line markers (`# 12 "app.f90"`) keep the file's name and line numbers in messages and hints. In a Fortran
// program a phase lasts to the next `phase` or `end` that is reached in its procedure, or to the procedure's
// end. `hybrid_rank` and `hybrid_size` in expressions are the caller's rank and the size of MPI_COMM_WORLD;
// so are `rank` and `size` where the file names no variable of that name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clang_plugin/fortran/source.h"

namespace hybrid::fortran {

/// Nothing where the file has no directives, or where some are wrong: these are added to `wrong`.
std::optional<std::string> rewrite(std::string_view text, const std::string& path, Form form,
                                   std::vector<WrongDirective>& wrong);

}  // namespace hybrid::fortran
