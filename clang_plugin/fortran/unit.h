// A compilation unit of flang: a source and all files that it includes, directly or indirectly, each once.
//
// Files are searched like flang does: in the folder of the including file (except `#include <name>`), in the
// folder where flang runs, then in the folders of -I. All have the form of the source. flang reports files
// that are not found;
// `#include` of a macro is not followed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clang_plugin/fortran/directive.h"
#include "clang_plugin/fortran/source.h"

namespace hybrid::fortran {

/// The file of an include line.
struct Included {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t file = kNone;    // index in the unit
  std::string path;            // from the folder where flang runs
  bool in_own_folder = false;  // found in the folder of the including file
};

struct UnitFile {
  std::string path;
  Source source;
  std::vector<Included> included;     // for each include line of the source
  std::vector<Directive> directives;  // all of the source's, unless one is wrong
  std::vector<WrongDirective> wrong;  // by line
  bool is_read = false;               // in any case: the include lines to it are in no #if
  bool changes = false;               // it has directives, or includes a file that changes
};

struct Unit {
  std::vector<UnitFile> files;  // the source first
  Names names;                  // of all of them
};

/// Returns the text of a file, or nothing when there is no such file.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

/// Reads the source `path` with the given text, and the files that it includes.
Unit read_unit(const std::string& path, const std::string& text, Form form,
               const std::vector<std::string>& folders, const ReadFile& read);

}  // namespace hybrid::fortran
