#include "libhybrid/shim/testing/recorded_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "core/journal.h"
#include "libhybrid/report/job_output.h"

namespace hybrid::shim::testing {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kSecondsAllowed = 120;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// In the child process: sets up files, directory and environment, and executes the program.
[[noreturn]] void execute(const std::vector<std::string>& command, const Environment& environment,
                          const std::string& directory, int in, const std::string& out,
                          const std::string& err) {
  const auto redirect = [](const std::string& path, int to) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, to);
  };
  ::dup2(in, 0);
  redirect(out, 1);
  redirect(err, 2);
  // For the address sanitizer (ignored without it): leaks of MPI are no errors, and tools may be loaded
  // before the runtime.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0", 1);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (::chdir(directory.c_str()) != 0) ::_exit(126);
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  ::alarm(kSecondsAllowed);  // stays active after exec; mpiexec then ends its ranks
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

std::string kind_name(const Event& event) {
  switch (event.kind) {
    case EventKind::send:
      return std::array{"send", "bsend", "ssend", "rsend"}[event.op];
    case EventKind::send_start:
      return std::array{"isend", "ibsend", "issend", "irsend"}[send_mode(event.op)];
    case EventKind::recv:
      return "recv";
    case EventKind::recv_post:
      return "irecv";
    case EventKind::send_complete:
      return "sent";
    case EventKind::recv_complete:
      return "received";
    case EventKind::recv_freed:
      return "freed";
    case EventKind::cancelled:
      return "cancelled";
    case EventKind::collective:
      return "collective " + std::to_string(event.op);
    case EventKind::collective_start:
      return "start collective " + std::to_string(event.op);
    case EventKind::collective_complete:
      return "end collective " + std::to_string(event.op);
    case EventKind::put:
      return "put";
    case EventKind::get:
      return "get";
    case EventKind::accumulate:
      return "accumulate";
    case EventKind::rma_sync:
      return "sync " + std::to_string(event.op);
    case EventKind::phase_begin:
      return "begin";
    case EventKind::phase_end:
      return "end";
    case EventKind::flush:
      return "flush";
    case EventKind::hint:
      return "hint";
    default:
      return "";
  }
}

bool has_request(EventKind kind) {
  return kind == EventKind::send_start || kind == EventKind::recv_post || kind == EventKind::send_complete ||
         kind == EventKind::recv_complete || kind == EventKind::cancelled || kind == EventKind::recv_freed ||
         kind == EventKind::collective_start || kind == EventKind::collective_complete;
}

}  // namespace

std::string program(const std::string& name) { return std::string(HYBRID_SHIM_PROGRAMS) + "/" + name; }
std::string preload_library() { return HYBRID_PRELOAD_LIBRARY; }

Outcome run(const std::vector<std::string>& command, const Environment& environment,
            const std::string& directory) {
  const TemporaryDirectory output;
  const std::string out = output.path() + "/out", err = output.path() + "/err";
  // Standard input without an end: mpiexec forwards the end of its input to the ranks, and is killed by
  // SIGPIPE if they end at that moment.
  std::array<int, 2> input{};
  if (::pipe2(input.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) execute(command, environment, directory, input[0], out, err);
  ::close(input[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(input[1]);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out), text_of(err)};
}

Outcome run_ranks(int ranks, const std::vector<std::string>& command, Environment environment,
                  const std::string& directory) {
  environment.emplace("LD_PRELOAD", preload_library());
  std::vector<std::string> whole = {HYBRID_MPIEXEC, "-n", std::to_string(ranks)};
  // For the ranks only: mpiexec itself is not under test.
  for (const auto& [name, value] : environment) whole.insert(whole.end(), {"-genv", name, value});
  whole.insert(whole.end(), command.begin(), command.end());
  return run(whole, {}, directory);
}

RecordedRun::RecordedRun(int ranks, const std::vector<std::string>& command, Environment environment) {
  const std::string output = directory_.path() + "/output";
  fs::create_directory(output);
  fs::permissions(output, fs::perms::owner_all);
  environment.emplace("HYBRID_OUTPUT", output);
  environment.emplace("HYBRID_AT_FINALIZE", "journal");
  environment.emplace("HYBRID_LIVE", "off");
  recording_ = recording_directory(output);
  outcome_ = run_ranks(ranks, command, std::move(environment), directory_.path());
}

Definitions RecordedRun::definitions(std::uint32_t rank) const {
  return read_definitions(definitions_path(recording_, rank));
}

std::uint32_t RecordedRun::threads(std::uint32_t rank) const {
  std::uint32_t number = 0;
  while (fs::exists(journal_path(recording_, rank, number))) ++number;
  return number;
}

std::vector<Event> RecordedRun::events(std::uint32_t rank) const {
  std::vector<Event> all;
  for (std::uint32_t thread = 0; thread < threads(rank); ++thread) {
    const JournalReader journal(journal_path(recording_, rank, thread));
    JournalEvents events = journal.events();
    for (Event event; events.next(event);) all.push_back(event);
  }
  return all;
}

bool RecordedRun::complete(std::uint32_t rank) const {
  for (std::uint32_t thread = 0; thread < threads(rank); ++thread)
    if (!JournalReader(journal_path(recording_, rank, thread)).complete()) return false;
  return threads(rank) > 0;
}

std::vector<std::string> RecordedRun::transfers(std::uint32_t rank) const {
  std::vector<std::string> lines;
  std::map<std::uint32_t, std::size_t> requests;
  const Definitions names = definitions(rank);
  for (const Event& event : events(rank)) {
    if (event.kind == EventKind::extension) {
      const auto what = static_cast<Extension>(event.op);
      if (what == Extension::counts || what == Extension::counts_received)
        lines.push_back((what == Extension::counts ? "to " : "from ") + std::to_string(event.peer) + " " +
                        std::to_string(event.begin));
      if (what == Extension::member) lines.push_back("member " + std::to_string(event.peer));
      continue;
    }
    std::string line = kind_name(event);
    if (line.empty()) continue;
    if (event.kind == EventKind::phase_begin || event.kind == EventKind::phase_end) {
      lines.push_back(line + " " + names.regions.at(event.request));
      continue;
    }
    if (event.kind == EventKind::flush) {
      lines.push_back(line);
      continue;
    }
    line += " " + std::to_string(event.peer);
    if (event.kind == EventKind::hint) {
      lines.push_back(line);
      continue;
    }
    if (event.kind < EventKind::collective || event.kind == EventKind::recv_freed)
      line += " tag " + std::to_string(event.tag);
    line += " " + std::to_string(event.bytes);
    if (event.communicator != 0) line += " comm " + std::to_string(event.communicator);
    if (has_request(event.kind))
      line += " #" + std::to_string(requests.emplace(event.request, requests.size() + 1).first->second);
    lines.push_back(line);
  }
  return lines;
}

std::size_t count(const std::vector<Event>& events, EventKind kind) {
  std::size_t n = 0;
  for (const Event& event : events) n += event.kind == kind;
  return n;
}

}  // namespace hybrid::shim::testing
