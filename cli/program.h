// Finds the program that the user wants to run, and checks that the shim can be loaded into it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hybrid {

/// The executable file `name`: a path if it contains a slash, else the first on PATH. Throws UserError if
/// there is none, or if it is a directory or not executable.
std::string find_program(const std::string& name);

/// The path of a tool on PATH; absent if there is none.
std::optional<std::string> find_on_path(std::string_view name);

/// The libraries that a file is linked to.
struct Linkage {
  bool dynamic = false;             // it has an interpreter, so that a library can be preloaded
  std::vector<std::string> needed;  // DT_NEEDED, in order
};

/// Absent if the file is not an ELF file for this machine (for example a script) or is damaged.
std::optional<Linkage> read_linkage(const std::string& path);

/// Throws UserError for a program that the shim cannot be loaded into: linked statically, or to an MPI other
/// than MPICH. A program without linkage information (a script) passes.
void check_linkage(const std::string& path);

}  // namespace hybrid
