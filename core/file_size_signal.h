// Guard that turns SIGXFSZ into the error EFBIG.
//
// A file that grows beyond RLIMIT_FSIZE raises SIGXFSZ, which by default ends the program. Files that the
// library writes must not end the user's program: during the lifetime of the guard the signal is blocked in
// the calling thread, then discarded, and the system call fails with EFBIG.
//
//   const FileSizeSignalGuard guard(offset + length);  // four system calls, or one if the limit is larger
//   written = pwrite(file, data, length, offset);
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <ctime>

namespace hybrid {

class FileSizeSignalGuard {
 public:
  /// `end`: where the writes during the lifetime of the guard end in the file, if that is known.
  explicit FileSizeSignalGuard(std::uint64_t end = UINT64_MAX) {
    rlimit limit{};
    active_ = getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < end;
    if (!active_) return;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    sigset_t pending;
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
  }
  ~FileSizeSignalGuard() {
    if (!active_) return;
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
  bool active_ = false;
  bool was_pending_ = false;
};

}  // namespace hybrid
