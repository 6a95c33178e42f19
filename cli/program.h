// The program that a user wants to run: found, and fit for the shim to be loaded into it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hybrid {

/// The executable file that `name` means: a path where it has a slash, else the first on PATH. Throws
/// UserError when there is none, or it is a directory or not executable.
std::string find_program(const std::string& name);

/// The same for a tool on PATH; nothing where there is none.
std::optional<std::string> find_on_path(std::string_view name);

/// What a file says about the libraries it is linked to.
struct Linkage {
  bool dynamic = false;             // it has an interpreter, so that a library can be preloaded
  std::vector<std::string> needed;  // DT_NEEDED, in order
};

/// Nothing where the file is no ELF file of this machine's kind (a script, say) or is damaged.
std::optional<Linkage> read_linkage(const std::string& path);

/// Refuses (UserError, with the mend) a program that the shim cannot be loaded into: linked statically, or to
/// an MPI that is not MPICH's. A program that does not tell (a script) passes.
void check_linkage(const std::string& path);

}  // namespace hybrid
