// MPICH's mpiexec: found and recognised.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hybrid {

/// What `COMMAND --version` tells of an mpiexec: the MPI it belongs to ("MPICH's Hydra 4.0.2", "Open MPI"),
/// and whether it is Hydra, which alone takes -genv.
struct LauncherKind {
  bool hydra = false;
  std::string name;
};
LauncherKind recognise_launcher(std::string_view version_text);

/// The words of the launcher to use. `given` ("" for none) is a command and its arguments, with blanks
/// between; else mpiexec.mpich, mpiexec.hydra and mpiexec are tried in this order. The first word is a path.
/// Throws UserError when there is no launcher, or when it is not MPICH's.
std::vector<std::string> find_mpiexec(const std::string& given);

/// libhybrid.so of the build tree or installed prefix that this command belongs to: ../lib beside the folder
/// of the executable. Throws RunError when it is not there.
std::string find_library();

}  // namespace hybrid
