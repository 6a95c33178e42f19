// A Fortran file with its `!hyb$` lines turned into calls of the markers of core/hint_abi.h, which the pass
// reads. flang hands no comment to a plugin.
//
// Line markers (`# 12 "app.f90"`) keep the file's name and line numbers in messages and hints. In a Fortran
// program a phase lasts to the next `phase` or `end` that is reached in its procedure, or to the procedure's
// end. `hybrid_rank` and `hybrid_size` in expressions are the caller's rank and the size of MPI_COMM_WORLD;
// so are `rank` and `size` where the unit names no variable of that name.
//
// What is rewritten will stand in another folder: lines that include name the copies of files that change
// too, and others by their way from where flang runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "clang_plugin/fortran/unit.h"

namespace hybrid::fortran {

/// The text of a file that changes. `copies` has, by file of the unit, the path that the rewritten text of
/// each that changes will be at. A file in which something is wrong gets `#error` lines, which are told if
/// flang comes to them.
std::string rewrite(const Unit& unit, std::size_t file, const std::vector<std::string>& copies);

}  // namespace hybrid::fortran
