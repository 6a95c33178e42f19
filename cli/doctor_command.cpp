// `hybrid doctor`: is this machine ready.
#include <fmt/format.h>
#include <hwloc.h>
#include <otf2/otf2.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/child.h"
#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/mpiexec.h"
#include "cli/program.h"
#include "core/context_switches.h"
#include "core/cycle_counter.h"
#include "core/units.h"
#include "emulator/device/serial_device.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

struct Finding {
  std::string thing;
  enum class State { ok, note, missing } state = State::ok;  // note: works, but worth knowing
  std::string detail;
  std::string fix;
};

using State = Finding::State;

const char* name_of(State state) {
  return state == State::ok ? "ok" : state == State::note ? "note" : "missing";
}

Finding launcher() {
  try {
    const auto command = find_mpiexec("");
    ChildEnd end;
    const LauncherKind kind = recognise_launcher(output_of({command.front(), "--version"}, end));
    return {"MPI launcher", State::ok, command.front() + ", " + kind.name, ""};
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return {"MPI launcher", State::missing, text.substr(0, text.find('\n')), "apt install mpich"};
  }
}

Finding library() {
  try {
    return {"libhybrid.so", State::ok, find_library(), ""};
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return {"libhybrid.so", State::missing, text.substr(0, text.find('\n')), "cmake --build build"};
  }
}

Finding tool(const std::string& thing, const std::vector<std::string_view>& names, const std::string& package,
             bool needed) {
  for (std::string_view name : names)
    if (const auto path = find_on_path(name)) return {thing, State::ok, *path, ""};
  std::string tried;
  for (std::string_view name : names) tried += (tried.empty() ? "no " : " or ") + std::string(name);
  return {thing, needed ? State::missing : State::note, tried + " on PATH", "apt install " + package};
}

// A compiler wrapper in the folder of this command: compiles an empty file, which loads the plugin.
Finding hybrid_compiler(const std::string& name, const std::vector<std::string>& trial,
                        const std::string& packages) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string path = (self.parent_path() / name).string();
  const std::string fix = "apt install " + packages;
  if (error || !std::filesystem::exists(path))
    return {name, State::note, "not built: no hints from the compiler", fix + ", and build again"};
  std::vector<std::string> words{path};
  words.insert(words.end(), trial.begin(), trial.end());
  ChildEnd end;
  const std::string output = output_of(words, end);
  if (end.good()) return {name, State::ok, path, ""};
  return {name, State::note, "does not compile: " + output.substr(0, output.find('\n')), fix};
}

Finding hardware() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0 || hwloc_topology_load(topology) != 0)
    return {"hwloc", State::missing, "it cannot read this machine", "check with lstopo; apt install hwloc"};
  const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  const int nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
  hwloc_topology_destroy(topology);
  return {"hwloc", State::ok,
          "API 2." + std::to_string(hwloc_get_api_version() >> 8 & 0xFF) + ", sees " + std::to_string(cores) +
              " cores, " + std::to_string(nodes) + " NUMA " + (nodes == 1 ? "node" : "nodes"),
          ""};
}

std::string otf2_version() {
  return std::to_string(OTF2_VERSION_MAJOR) + "." + std::to_string(OTF2_VERSION_MINOR) + "." +
         std::to_string(OTF2_VERSION_BUGFIX);
}

Finding cores() {
  const unsigned count = std::thread::hardware_concurrency();
  if (count >= 16) return {"cores", State::ok, std::to_string(count), ""};
  return {
      "cores", State::note,
      std::to_string(count) +
          ": with more ranks, empty polls give up the core (--yield auto), and compute times are from the "
          "CPU clock (--clock auto)",
      ""};
}

Finding shared_memory() {
  struct statvfs status{};
  constexpr std::uint64_t kEnough = 64u << 20;
  if (::access("/dev/shm", W_OK) != 0 || ::statvfs("/dev/shm", &status) != 0)
    return {"/dev/shm", State::missing, "not writable", "mount a tmpfs there; without it: --live off"};
  const std::uint64_t room = std::uint64_t{status.f_bavail} * status.f_frsize;
  return {"/dev/shm", room >= kEnough ? State::ok : State::note, format_bytes(room) + " free",
          room >= kEnough ? "" : "in a container: --shm-size=1g"};
}

// Nanoseconds per call, the minimum of several runs, to exclude preemptions.
template <class Call>
double cost_of(Call&& call) {
  double least = 1e18;
  for (int run = 0; run < 5; ++run) {
    constexpr int kCalls = 2000;
    timespec begin{}, end{};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < kCalls; ++i) call();
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double ns = static_cast<double>(end.tv_sec - begin.tv_sec) * 1e9 +
                      static_cast<double>(end.tv_nsec - begin.tv_nsec);
    least = std::min(least, ns / kCalls);
  }
  return least;
}

Finding clock_cost() {
  const bool constant = has_steady_cycle_counter();
  timespec now{};
  const double monotonic = cost_of([&] { clock_gettime(CLOCK_MONOTONIC, &now); });
  const double thread = cost_of([&] { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); });
  return {
      "clock", constant && monotonic < 200 ? State::ok : State::note,
      fmt::format("{}; clock_gettime {:.0f} ns, thread CPU clock {:.0f} ns a call; context switches {}",
                  constant ? "cycle counter of constant rate" : "no cycle counter of constant rate",
                  monotonic, thread,
                  ContextSwitches::visible() ? "are seen (rseq)"
                                             : "are not seen (the kernel or glibc does not show them)"),
      constant
          ? (monotonic < 200 ? "" : "the kernel's clock source is slow: see /sys/devices/system/clocksource")
          : "recording costs a clock_gettime a call"};
}

Finding device(const std::string& path) {
  try {
    const SerialDevice device(path);
    const DeviceIdentity& identity = device.identity();
    return {"device", State::ok,
            fmt::format("{}: greedy scheduler, {} ports, {} slots, protocol {}: --scheduler serial:{}", path,
                        identity.ports, identity.slots, identity.protocol, path),
            ""};
  } catch (const std::exception& error) {
    const std::string text = error.what();
    const std::size_t end = text.find("\n  ");
    return {"device", State::missing, text.substr(0, end),
            end == std::string::npos ? "docs/hardware.md" : text.substr(end + 3)};
  }
}

std::vector<Finding> examine() {
  std::vector<Finding> findings;
  findings.push_back(library());
  findings.push_back(launcher());
  findings.push_back(tool("C compiler", {"mpicc.mpich", "mpicc"}, "libmpich-dev", true));
  findings.push_back(tool("C++ compiler", {"mpicxx.mpich", "mpicxx"}, "libmpich-dev", false));
  findings.push_back(tool("Fortran", {"mpif90.mpich", "mpif90"}, "libmpich-dev gfortran", false));
  findings.push_back(hardware());
  findings.push_back({"OTF2", State::ok, otf2_version(), ""});
  findings.push_back(tool("otf2-print", {"otf2-print"}, "otf2-tools", false));
  findings.push_back(tool("clang 19", {"clang-19"}, "clang-19", false));
  findings.push_back(hybrid_compiler("hybridcc", {"-x", "c", "-c", "/dev/null", "-o", "/dev/null"},
                                     "clang-19 libclang-19-dev llvm-19-dev"));
  findings.push_back(hybrid_compiler("hybridfort", {"--version"}, "flang-19"));
  findings.push_back(cores());
  findings.push_back(shared_memory());
  findings.push_back(clock_cost());
  return findings;
}

class DoctorCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Checks whether this machine is ready to run and record MPI programs. The exit code is 0 if nothing "
        "is "
        "missing, else 1. A note is not an error: something is slower, or is optional.");
    line.add_option("--device", "LINE", "identify the scheduler on this serial line: /dev/ttyUSB0", device_);
    json_.declare(line);
  }

  int run(const std::vector<std::string>&) override {
    json_.check();
    std::vector<Finding> findings = examine();
    if (!device_.empty()) findings.push_back(device(device_));
    auto json = nlohmann::ordered_json::array();
    std::size_t missing = 0;
    constexpr std::size_t kDetailColumn = 23;
    const std::size_t width = terminal_width(stdout);
    for (const Finding& f : findings) {
      missing += f.state == State::missing ? 1 : 0;
      json.push_back({{"thing", f.thing}, {"state", name_of(f.state)}, {"detail", f.detail}, {"fix", f.fix}});
      if (json_.owns_stdout()) continue;
      const std::string text = wrap(f.detail, kDetailColumn, width);
      fmt::print("{:<8} {:<13} {}", name_of(f.state), f.thing,
                 text.substr(std::min(kDetailColumn, text.size())));
      if (!f.fix.empty()) fmt::print("{}", wrap("-> " + f.fix, kDetailColumn, width));
    }
    if (!json_.owns_stdout())
      std::puts(missing == 0 ? "This machine is ready: hybrid run -n 16 -- ./my_app"
                             : "This machine is not ready: see the lines that say missing.");
    json_.write(json);
    return missing == 0 ? kDone : kFailed;
  }

 private:
  JsonOutput json_;
  std::string device_;
};

const CommandRegistration kDoctor{"doctor", "is this machine ready", []() -> std::unique_ptr<Command> {
                                    return std::make_unique<DoctorCommand>();
                                  }};

}  // namespace
}  // namespace hybrid
