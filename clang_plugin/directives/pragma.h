// Puts the marker calls (markers.h) in the place of `#pragma hybrid ...`.
//
// A phase lasts to the next `phase` or `end` of its block, or to the block's end, however it is left (break,
// return, goto, an exception): a variable with a cleanup function watches that.
#pragma once

#include <memory>
#include <string>

#include "clang/Frontend/CompilerInstance.h"
#include "clang_plugin/directives/clauses.h"

namespace hybrid::directives {

/// Has the compiler's preprocessor take `#pragma hybrid` from here on. The result tells, once the source is
/// read, whether there were any.
std::shared_ptr<const bool> register_pragma(clang::CompilerInstance& compiler, Warnings warnings);

}  // namespace hybrid::directives
