#include "cli/mpiexec.h"

#include <filesystem>
#include <sstream>

#include "cli/child.h"
#include "cli/program.h"
#include "core/error.h"

namespace hybrid {

namespace {

constexpr std::string_view kFix =
    "Install MPICH (Debian: apt install mpich), or name its mpiexec with --mpiexec. With another launcher, "
    "preload "
    "libhybrid.so yourself: LD_PRELOAD=.../libhybrid.so.";

std::string version_text(const std::vector<std::string>& command) {
  ChildEnd end;
  return output_of({command.front(), "--version"}, end);
}

}  // namespace

LauncherKind recognise_launcher(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (has("HYDRA") || has("Hydra")) {
    std::string version;
    if (const std::size_t at = text.find("Version:"); at != std::string_view::npos) {
      std::istringstream rest{std::string(text.substr(at + 8))};
      rest >> version;
    }
    return {true, "MPICH's Hydra" + (version.empty() ? "" : " " + version)};
  }
  if (has("Open MPI") || has("OpenRTE") || has("PRRTE")) return {false, "Open MPI"};
  if (has("slurm")) return {false, "Slurm"};
  return {false, "not known"};
}

std::vector<std::string> find_mpiexec(const std::string& given) {
  if (!given.empty()) {
    std::istringstream words(given);
    std::vector<std::string> command;
    for (std::string word; words >> word;) command.push_back(word);
    if (command.empty()) throw UserError("--mpiexec: empty", std::string(kFix));
    const std::string name = command.front();
    try {
      command.front() = find_program(name);
    } catch (const UserError&) {
      throw UserError("--mpiexec: no program '" + name + "' that can be started", std::string(kFix));
    }
    if (const LauncherKind kind = recognise_launcher(version_text(command)); !kind.hydra)
      throw UserError("--mpiexec: '" + command.front() + "' is not MPICH's (it is: " + kind.name + ")",
                      std::string(kFix));
    return command;
  }
  std::string others;
  for (std::string_view name : {"mpiexec.mpich", "mpiexec.hydra", "mpiexec"}) {
    const auto path = find_on_path(name);
    if (!path) continue;
    const LauncherKind kind = recognise_launcher(version_text({*path}));
    if (kind.hydra) return {*path};
    others += (others.empty() ? "" : ", ") + *path + " is " + kind.name;
  }
  throw UserError("no MPICH mpiexec on PATH" + (others.empty() ? "" : " (" + others + ")"),
                  std::string(kFix));
}

std::string find_library() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw RunError("cannot read /proc/self/exe: " + error.message());
  const auto library = self.parent_path().parent_path() / "lib" / "libhybrid.so";
  if (!std::filesystem::exists(library, error))
    throw RunError("no " + library.string(),
                   "Build it (cmake --build build) or install again (cmake --install build).");
  return library.string();
}

}  // namespace hybrid
