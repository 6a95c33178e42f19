// Guard that turns SIGXFSZ into the error EFBIG.
//
// A file that grows beyond RLIMIT_FSIZE raises SIGXFSZ, which by default ends the program. Files that the
// library writes must not end the user's program: during the lifetime of the guard the signal is blocked in
// the calling thread, then discarded, and the system call fails with EFBIG.
#pragma once

#include <csignal>
#include <ctime>

namespace hybrid {

class FileSizeSignalGuard {
 public:
  FileSizeSignalGuard() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    sigset_t pending;
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
  }
  ~FileSizeSignalGuard() {
    // The kernel sends the signal to the thread that caused it, so other threads lose no signal. A signal
    // that was pending before belongs to the program.
    const timespec at_once{};
    if (!was_pending_) (void)sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileSizeSignalGuard(const FileSizeSignalGuard&) = delete;
  FileSizeSignalGuard& operator=(const FileSizeSignalGuard&) = delete;

 private:
  sigset_t signal_{}, before_{};
  bool was_pending_ = false;
};

}  // namespace hybrid
