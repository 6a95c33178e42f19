// Lines that include a file, Fortran's own `include 'name'` and the preprocessor's `#include`, read as flang
// reads them; and the preprocessor's lines around them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "clang_plugin/fortran/characters.h"

namespace hybrid::fortran {

struct IncludeLine {
  std::size_t line = 0;            // from 1
  std::size_t begin = 0, end = 0;  // of the name with its quotes, in the line
  std::string name;                // "" where a macro stands for it
  bool beside = true;              // looked for beside the including file first, as all but <name> are
  bool conditional = false;        // between #if and #endif
};

/// Nothing where the line includes none. The line's number and whether it is conditional are the caller's to
/// set.
std::optional<IncludeLine> read_include(std::string_view line, Form form);

/// The line with another name in the place of its own.
std::string with_name(const std::string& line, const IncludeLine& include, const std::string& name);

/// How much deeper in #if and #endif the lines behind this one are: 1, 0 or -1.
int deeper_in_conditions(std::string_view line, Form form);

}  // namespace hybrid::fortran
