// Finds MPICH's mpiexec.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hybrid {

/// What the output of `COMMAND --version` shows about an mpiexec: the MPI it belongs to ("MPICH's
/// Hydra 4.0.2", "Open MPI"), and whether it is Hydra, the only one that takes -genv.
struct LauncherKind {
  bool hydra = false;
  std::string name;
};
LauncherKind recognise_launcher(std::string_view version_text);

/// The words of the launcher to use. `given` ("" for none) is a command and its arguments, with blanks
/// between; else mpiexec.mpich, mpiexec.hydra and mpiexec are tried in this order. The first word is a path.
/// Throws UserError if there is no launcher or it is not MPICH's.
std::vector<std::string> find_mpiexec(const std::string& given);

/// The path of libhybrid.so in the build tree or installed prefix of this command: ../lib relative to the
/// folder of the executable. Throws RunError if it does not exist.
std::string find_library();

}  // namespace hybrid
