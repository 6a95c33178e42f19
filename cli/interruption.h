// Ctrl-C while the command works: the first one requests an orderly stop, a second one ends the process.
//
//   const Interruption interruption;
//   finish_job(recording, options, stdout, stderr, interruption.requested);
#pragma once

#include <signal.h>

#include <array>

namespace hybrid {

/// Catches SIGINT, SIGTERM and SIGHUP while it exists. At most one exists at a time.
class Interruption {
 public:
  Interruption() {
    signal_ = 0;
    struct sigaction action{};
    action.sa_handler = [](int signal) { signal_ = signal; };
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kCaught.size(); ++i) sigaction(kCaught[i], &action, &before_[i]);
  }
  ~Interruption() {
    for (std::size_t i = 0; i < kCaught.size(); ++i) sigaction(kCaught[i], &before_[i], nullptr);
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool requested() { return signal_ != 0; }
  /// Exit code of a command that stopped: 128 + signal, as a shell reports it.
  static int exit_code() { return 128 + signal_; }

 private:
  static constexpr std::array kCaught{SIGINT, SIGTERM, SIGHUP};
  static inline volatile sig_atomic_t signal_ = 0;  // a signal handler can only reach global variables
  std::array<struct sigaction, kCaught.size()> before_{};
};

}  // namespace hybrid
