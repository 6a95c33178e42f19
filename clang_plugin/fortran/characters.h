// What every reader of Fortran's lines goes by: the two forms, and characters as they class them.
#pragma once

#include <cctype>
#include <cstddef>
#include <string_view>

namespace hybrid::fortran {

enum class Form { free, fixed };

inline char small(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where the first character from `at` on stands that is no blank.
inline std::size_t behind_blanks(std::string_view line, std::size_t at) {
  while (at < line.size() && is_blank(line[at])) ++at;
  return at;
}

}  // namespace hybrid::fortran
