#include "cli/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/error.h"

namespace hybrid {

namespace {

constexpr std::array kForwarded{SIGINT, SIGTERM, SIGHUP};

// The child that receives the signals; a signal handler can only read global variables.
std::atomic<pid_t> forward_to{0};
std::atomic<int> forwarded{0};                           // the last signal
static_assert(std::atomic<pid_t>::is_always_lock_free);  // pid_t is int

void forward(int signal, siginfo_t* info, void* /*context*/) {
  forwarded = signal;
  // The kernel sends a terminal's signals to the whole foreground group: the child has received it already,
  // and MPICH's mpiexec treats a second one as a request to kill.
  if (info->si_code == SI_KERNEL) return;
  if (const pid_t child = forward_to.load(); child > 0) ::kill(child, signal);
}

// Blocks the forwarded signals while the child starts, then forwards them until the child has ended.
class Forwarding {
 public:
  Forwarding() {
    forwarded = 0;
    sigset_t set;
    sigemptyset(&set);
    for (int signal : kForwarded) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
    struct sigaction action{};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kForwarded.size(); ++i) sigaction(kForwarded[i], &action, &actions_[i]);
  }
  ~Forwarding() {
    forward_to = 0;
    for (std::size_t i = 0; i < kForwarded.size(); ++i) sigaction(kForwarded[i], &actions_[i], nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

  void to(pid_t child) {
    forward_to = child;
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t before_{};
  std::array<struct sigaction, kForwarded.size()> actions_{};
};

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }
  void duplicate(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }

 private:
  posix_spawn_file_actions_t actions_{};
};

pid_t spawn(const std::vector<std::string>& words, FileActions& files, const sigset_t* mask) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (mask != nullptr) {
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  }
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, words.front().c_str(), files.get(), &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw RunError("cannot start " + words.front() + ": " + std::strerror(error));
  return child;
}

ChildEnd wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw RunError(std::string("cannot wait for the program: ") + std::strerror(errno));
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status), 0};
  return {WEXITSTATUS(status), 0, 0};
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& words, bool stdout_to_stderr, const LineFilter& filter) {
  OutputCopy copy(filter, stdout_to_stderr ? STDERR_FILENO : STDOUT_FILENO);
  Forwarding forwarding;
  FileActions files;
  files.duplicate(copy.out(), STDOUT_FILENO);
  files.duplicate(copy.error(), STDERR_FILENO);
  const pid_t child = spawn(words, files, &forwarding.mask_before());
  copy.start();
  forwarding.to(child);
  ChildEnd end = wait_for(child);
  end.forwarded = forwarded;
  copy.finish();
  return end;
}

std::string output_of(const std::vector<std::string>& words, ChildEnd& end) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
  FileActions files;
  posix_spawn_file_actions_addopen(files.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  files.duplicate(ends[1], STDOUT_FILENO);
  files.duplicate(ends[1], STDERR_FILENO);
  pid_t child = 0;
  try {
    child = spawn(words, files, nullptr);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[1]);
  constexpr std::size_t kMost = 65536;
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t n = 0; (n = ::read(ends[0], part.data(), part.size())) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    if (text.size() < kMost) text.append(part.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  end = wait_for(child);
  return text;
}

}  // namespace hybrid
