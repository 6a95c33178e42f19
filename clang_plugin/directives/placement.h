// Looks at the parsed program for directives that do not do what they seem to: the body of an `if` without
// braces, expressions that change something, phases in which nothing is left to say.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang_plugin/directives/clauses.h"

namespace hybrid::directives {

/// Tells what is wrong, as errors and warnings at the directives.
void check_placement(clang::ASTContext& context, Warnings warnings);

}  // namespace hybrid::directives
