// A file that outgrows RLIMIT_FSIZE raises SIGXFSZ, which kills a program that does not expect it. What we
// write on a program's behalf must not: inside this guard's life the signal of the calling thread is held
// back and taken away, and the system call reports EFBIG instead.
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
    // The kernel sends it to the offending thread, so taking it here takes nobody else's. One that already
    // waited before is the program's own.
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
