// A Fortran file as lines: its `!hyb$` directives, without comments and with continuation lines joined, each
// character with its place; and the lines that include other files.
//
// Free form: `!hyb$` is first on its line; with `&` at the end, the next `!hyb$` line continues it. Fixed
// form: `!hyb$`, `chyb$` or `*hyb$` from the first column (or `!hyb$` further right); a continuation line has
// a sixth column that is neither blank nor 0. Case is ignored.
#pragma once

#include <cctype>
#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hybrid::fortran {

enum class Form { free, fixed };

inline char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Returns the position of the first character from `at` on that is no blank.
inline std::size_t skip_blanks(std::string_view line, std::size_t at) {
  while (at < line.size() && is_blank(line[at])) ++at;
  return at;
}

/// Returns the form by the file's name, like flang.
Form form_of(const std::string& path);

struct Place {
  std::size_t line = 0, column = 0;  // from 1
};

/// An error in a directive, with its place.
struct WrongDirective : std::runtime_error {
  WrongDirective(Place place, const std::string& text) : std::runtime_error(text), at(place) {}
  Place at;
};

/// Text of a directive after `!hyb$`.
struct DirectiveText {
  std::size_t first = 0, last = 0;  // lines
  std::string text;
  std::vector<Place> places;  // of each character and of the end
};

using Names = std::set<std::string, std::less<>>;

/// A line that includes a file: Fortran's `include 'name'` or the preprocessor's `#include`, read like flang.
struct IncludeLine {
  std::size_t line = 0;            // from 1
  std::size_t begin = 0, end = 0;  // of the name with its quotes, in the line
  std::string name;                // "" for a macro
  bool search_own_folder = true;   // first in the folder of the including file; false for <name>
  bool conditional = false;        // between #if and #endif
};

/// Reads a line. Returns nothing when it includes no file. The caller sets `line` and `conditional`.
std::optional<IncludeLine> read_include(std::string_view line, Form form);

/// Returns the line with another name of the included file.
std::string with_name(const std::string& line, const IncludeLine& include, const std::string& name);

/// Returns the change of the depth in #if ... #endif after this line: 1, 0 or -1.
int condition_depth_change(std::string_view line, Form form);

struct Source {
  Form form = Form::free;
  std::vector<std::string> lines;  // without line ends
  std::vector<DirectiveText> directives;
  std::vector<IncludeLine> includes;
  std::vector<WrongDirective> wrong;  // continuation lines without a directive, and missing ones
  Names names;                        // words of the program's text without a following '(', in lower case
};

Source read_source(std::string_view text, Form form);

}  // namespace hybrid::fortran
