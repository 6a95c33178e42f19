// Parts of the Clang plugin for `#pragma hybrid`. The path of a directive:
//   pragma.cpp     the preprocessor calls it for each `#pragma hybrid` line
//   clauses.cpp    reads the line's words
//   pragma.cpp     replaces the line by calls of marker functions
//   markers.cpp    declares the marker functions in every translation unit
//   placement.cpp  checks the result in the parsed program
// The LLVM pass finds the marker calls by name (core/hint_abi.h) and reads phases, patterns and connections
// from them.
#pragma once

#include <memory>
#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"

namespace hybrid::directives {

// ---- markers.cpp

/// Returns the declarations of the marker functions, for the start of a translation unit. Valid C11 and
/// C++11.
///
/// Every translation unit compiled with the plugin gets them as if it had declared them itself. At run time
/// each finds its function of hybrid.h by name, once, and does nothing without the library: a program needs
/// nothing at link time.
std::string marker_declarations(bool cplusplus);

// ---- pragma.cpp

/// Registers `#pragma hybrid` with the compiler's preprocessor. After the source is read, the result states
/// whether it contains any.
///
/// A phase lasts to the next `phase` or `end` of its block, or to the block's end, however the program leaves
/// it (break, return, goto, an exception): a variable with a cleanup function ends it. Example:
///     {
///     #pragma hybrid phase(ring) pattern(ring)
///       ...
///     }
/// becomes
///     {
///       __hybrid_phase_begin("ring", 0, 0);
///       __hybrid_pattern("ring", 0, 0, 0, 0, 0);
///       int __hybrid_scope_1 __attribute__((cleanup(__hybrid_scope_end))) = 0;
///       __hybrid_phase_ready(&__hybrid_scope_1);
///       ...
///     }
std::shared_ptr<const bool> register_pragma(clang::CompilerInstance& compiler);

// ---- placement.cpp

/// Handling of warnings: on, off with -Wno-hybrid, errors with -Werror=hybrid (plugin arguments).
enum class Warnings { on, off, errors };

/// Reports misplaced directives in the parsed program, as errors and warnings: the body of an `if` without
/// braces, expressions with side effects, constant numbers out of range.
void check_placement(clang::ASTContext& context, Warnings warnings);

}  // namespace hybrid::directives
