#include "libhybrid/shim/warnings.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace hybrid::shim {

namespace {
std::atomic<bool> is_quiet{false};
std::atomic<bool> warned{false};
char mark[4096];  // no allocation in warn_once_in_job: memory may be short, too
}  // namespace

void set_quiet(bool quiet) { is_quiet.store(quiet, std::memory_order_relaxed); }
bool quiet() { return is_quiet.load(std::memory_order_relaxed); }

void warn(const std::string& text) {
  if (!quiet()) std::fprintf(stderr, "libhybrid: %s\n", text.c_str());
}

void report_fatal(const std::string& text) { std::fprintf(stderr, "libhybrid: %s\n", text.c_str()); }

void set_full_disk_mark(const std::string& path) {
  if (path.size() < sizeof mark) std::memcpy(mark, path.c_str(), path.size() + 1);
}

void warn_of_full_disk() {
  warn_once_in_job(
      "the disk is full: the program continues, and is not recorded from here on\n"
      "  The report counts the loss. Free space, or set another directory with HYBRID_OUTPUT.");
}

void warn_once_in_job(const char* text) {
  if (warned.exchange(true, std::memory_order_relaxed)) return;
  if (mark[0] == '\0') return;
  // An empty file needs no space, in most file systems. If it cannot be created, every process prints.
  const int file = ::open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 && errno == EEXIST) return;
  if (file >= 0) ::close(file);
  if (!quiet()) std::fprintf(stderr, "libhybrid: %s\n", text);
}

}  // namespace hybrid::shim
