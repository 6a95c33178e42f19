// A Fortran source with the files that it includes in place of their include lines: its `!hyb$` directives,
// without comments and with continuation lines joined, each character with its place.
//
// Free form: `!hyb$` is first on its line; with `&` at the end, the next line of the file must be a `!hyb$`
// line, which continues it. Fixed form: `!hyb$`, `chyb$` or `*hyb$` from the first column (or `!hyb$` further
// right); a continuation line has a sixth column that is neither blank nor 0. Case is ignored.
//
// Included files are searched like flang does: in the folder of the including file (except
// `#include <name>`), in the folder where flang runs, then in the folders of -I. All have the form of the
// source. Include lines remain if the file is not found (flang reports it), is being included, or is named by
// a macro.
#pragma once

#include <cctype>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
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
  std::size_t line = 0;    // index in Source::lines
  std::size_t column = 0;  // from 1
};

/// An error in a directive.
struct Wrong {
  Place at;
  std::string text;
};

/// Text of a directive after `!hyb$`.
struct DirectiveText {
  std::size_t first = 0, last = 0;  // lines
  std::string text;
  std::vector<Place> places;  // of each character and of the end
};

/// A line that includes a file: Fortran's `include 'name'` or the preprocessor's `#include`, read like flang.
struct IncludeLine {
  std::string name;               // "" for a macro
  bool search_own_folder = true;  // first in the folder of the including file; false for <name>
};

/// Reads a line. Returns nothing when it includes no file.
std::optional<IncludeLine> read_include(std::string_view line, Form form);

inline constexpr std::size_t kNotIncluded = std::string::npos;

struct Line {
  std::string path;
  std::size_t number = 0;                  // in the file, from 1
  std::string text;                        // without line end
  bool conditional;                        // between #if and #endif
  std::size_t included_at = kNotIncluded;  // index in Source::includes of the line that includes the file
};

struct Source {
  Form form = Form::free;
  std::vector<Line> lines;
  std::vector<Line> includes;  // lines in place of which `lines` has a file
  std::vector<DirectiveText> directives;
  std::vector<Wrong> wrong;                      // continuation lines without a directive, and missing ones
  std::set<std::string, std::less<>> names;      // words of the text without a following '(', in lower case
  std::size_t unknown_from = std::string::npos;  // the first line that includes a file named by a macro
};

/// Returns the text of a file, or nothing when there is no such file.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

/// Reads the source `path` with the given text.
Source read_source(const std::string& path, const std::string& text, Form form,
                   const std::vector<std::string>& folders, const ReadFile& read);

}  // namespace hybrid::fortran
