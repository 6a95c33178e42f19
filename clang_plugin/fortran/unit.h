// What flang reads as one: a source and the files that it includes, and those that these include, each once.
//
// Files are looked for as flang does: beside the file that includes them (but `#include <name>`), where flang
// runs, then in the folders of -I. All are of the source's form. What is not found is left for flang to tell,
// and `#include` of a macro is not followed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clang_plugin/fortran/directive.h"
#include "clang_plugin/fortran/source.h"

namespace hybrid::fortran {

/// What an include line was found to name.
struct Included {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t file = kNone;  // of the unit
  std::string path;          // from where flang runs
  bool is_beside = false;    // found beside the including file
};

struct UnitFile {
  std::string path;
  Source source;
  std::vector<Included> included;     // of each of the source's include lines
  std::vector<Directive> directives;  // as many as the source's, where none is wrong
  std::vector<WrongDirective> wrong;  // by line
  bool is_read = false;               // surely: no #if stands around the lines that lead to it
  bool changes = false;               // it has directives, or includes a file that changes
};

struct Unit {
  std::vector<UnitFile> files;  // the source first
  Names names;                  // of all of them
};

/// A file's text, or nothing where there is no such file.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

Unit read_unit(const std::string& path, const std::string& text, Form form,
               const std::vector<std::string>& folders, const ReadFile& read);

}  // namespace hybrid::fortran
