// Directives as written, in C and in Fortran: the clauses of docs/compiled-communication.md.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hybrid::directives {

/// A name, number, string or sign of a directive.
struct Word {
  std::string text;  // of a string: its value
  bool is_string = false;
};

/// The words of an expression: from `begin` to before `end`.
struct Expression {
  std::size_t begin = 0, end = 0;
};

///   phase(NAME) [pattern(P[, dims...])] [connections(from -> to, ...)] [slots(N)] [preload] [flush]
///     [condition(expr)]
///   condition(expr) [pattern(...)] [connections(...)]     a conditional working set (D 5.2.3)
///   end | flush | off | on
struct Directive {
  enum class Kind { phase, condition, end, flush, off, on } kind = Kind::phase;
  std::string name;                    // of a phase
  std::string pattern;                 // "" for none
  std::vector<Expression> dimensions;  // all numbers of the pattern, or none
  struct Connection {
    Expression from, to;
  };
  std::vector<Connection> connections;
  std::optional<Expression> slots, condition;
  bool preload = false, flush = false;
};

/// An error in a directive.
struct WrongDirective : std::runtime_error {
  WrongDirective(std::size_t word, const std::string& text, std::string better = "")
      : std::runtime_error(text), at(word), instead(std::move(better)) {}
  std::size_t at;       // the word, or the number of words: the end
  std::string instead;  // what to write instead of the word, or ""
};

/// The error in a number of slots(), or in one of the numbers of a pattern; "" for none. The library
/// determines a size of 0; shift may be negative.
std::string error_of_slots(long long number);
std::string error_of_dimension(const std::string& pattern, long long number);

/// Reads a directive. `sentinel`: what is written before it. Throws WrongDirective.
Directive read_directive(const std::vector<Word>& words, const std::string& sentinel, bool ignores_case);

}  // namespace hybrid::directives
