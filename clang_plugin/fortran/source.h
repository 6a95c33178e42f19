// The `!hyb$` lines of a Fortran file: found, freed of comments, continuation lines joined, each character
// with its place; and the lines that include other files.
//
// Free form: `!hyb$` first on its line; `&` at its end says that the next `!hyb$` line goes on. Fixed form:
// `!hyb$`, `chyb$` or `*hyb$` from the first column (or `!hyb$` further right); a line that goes on has a
// sixth column that is neither blank nor 0. Capitals are as small letters.
#pragma once

#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "clang_plugin/fortran/characters.h"
#include "clang_plugin/fortran/include_line.h"

namespace hybrid::fortran {

/// By the file's name, as flang does.
Form form_of(const std::string& path);

struct Place {
  std::size_t line = 0, column = 0;  // from 1
};

/// What is wrong with a directive, and where.
struct WrongDirective : std::runtime_error {
  WrongDirective(Place place, const std::string& text) : std::runtime_error(text), at(place) {}
  Place at;
};

/// A directive's text behind `!hyb$`.
struct DirectiveText {
  std::size_t first = 0, last = 0;  // lines
  std::string text;
  std::vector<Place> places;  // of each character, and of the end
};

using Names = std::set<std::string, std::less<>>;

struct Source {
  Form form = Form::free;
  std::vector<std::string> lines;  // without their ends
  std::vector<DirectiveText> directives;
  std::vector<IncludeLine> includes;
  std::vector<WrongDirective> wrong;  // lines that go on from, or to, nothing
  Names names;                        // of the program's text, in small letters: words no '(' follows
};

Source read_source(std::string_view text, Form form);

}  // namespace hybrid::fortran
