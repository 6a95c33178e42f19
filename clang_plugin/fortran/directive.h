// One parsed `!hyb$` directive: the clauses of docs/compiled-communication.md, with expressions in Fortran.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clang_plugin/fortran/source.h"

namespace hybrid::fortran {

struct Expression {
  std::string text;
  Place at;
};

struct Directive {
  enum class Kind { phase, condition, end, flush, off, on } kind = Kind::phase;
  std::string name;                    // of a phase; for a condition `if` and its text
  std::string pattern;                 // "" for none
  std::vector<Expression> dimensions;  // all numbers of the pattern, or none
  struct Connection {
    Expression from, to;
  };
  std::vector<Connection> connections;
  std::optional<Expression> slots, condition;
  bool preload = false, flush = false;
};

/// Parses a directive. Throws WrongDirective.
Directive read_directive(const DirectiveText& text);

}  // namespace hybrid::fortran
