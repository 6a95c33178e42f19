// One directive as written: `#pragma hybrid NAME(...) CLAUSE(...) ...`, taken apart with errors in Clang's
// own manner.
//
//   phase(NAME) [pattern(P[, dims...])] [connections(from -> to, ...)] [slots(N)] [preload] [flush]
//   [condition(expr)] condition(expr) [pattern(...)] [connections(...)]     a working set that holds only
//   then (D 5.2.3) end | flush | off | on
#pragma once

#include <optional>
#include <vector>

#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"

namespace hybrid::directives {

using Tokens = std::vector<clang::Token>;

struct Connections {
  Tokens from, to;
};

struct Directive {
  enum class Kind { phase, condition, end, flush, off, on } kind = Kind::phase;
  clang::SourceLocation at;
  std::string name;                // of a phase
  std::string pattern;             // "" where none is given
  std::vector<Tokens> dimensions;  // as many as the pattern takes, or none
  std::vector<Connections> connections;
  std::optional<Tokens> slots, condition;
  bool preload = false, flush = false;
};

/// What warnings become: `#pragma hybrid` knows -Wno-hybrid and -Werror=hybrid as plugin arguments.
enum class Warnings { on, off, errors };

/// Reads the rest of the directive's line. Nothing where it was wrong and has been told.
std::optional<Directive> read_directive(clang::Preprocessor& preprocessor, clang::SourceLocation at,
                                        Warnings warnings);

/// Tells `text` at `at` as an error, or as a warning of the group -Whybrid.
void tell_error(clang::Preprocessor& preprocessor, clang::SourceLocation at, const std::string& text);
void tell_warning(clang::DiagnosticsEngine& diagnostics, clang::SourceLocation at, const std::string& text,
                  Warnings warnings);

}  // namespace hybrid::directives
