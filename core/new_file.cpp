#include "core/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace hybrid {

namespace {

std::string name_of_open(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Whether `path` does not exist and could be created; if not, sets errno.
bool is_free(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return errno == ENOENT;
  errno = EEXIST;
  return false;
}

}  // namespace

NewFile::~NewFile() {
  if (stream_ == nullptr) return;
  std::fclose(stream_);
  if (!part_.empty()) ::unlink(part_.c_str());
}

bool NewFile::begin() { return is_free(path_) && (begin_unnamed() || begin_named()); }

bool NewFile::begin_unnamed() {
  const int file = ::open(folder_of(path_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return false;
  // Without /proc the file could not get its name in publish().
  if (::access(name_of_open(file).c_str(), F_OK) == 0) stream_ = ::fdopen(file, "w");
  if (stream_ == nullptr) ::close(file);
  return stream_ != nullptr;
}

bool NewFile::begin_named() {
  part_ = path_ + ".part-" + std::to_string(::getpid());
  stream_ = std::fopen(part_.c_str(), "wxe");
  return stream_ != nullptr;
}

bool NewFile::publish() const {
  if (part_.empty())
    return ::linkat(AT_FDCWD, name_of_open(::fileno(stream_)).c_str(), AT_FDCWD, path_.c_str(),
                    AT_SYMLINK_FOLLOW) == 0;
  if (::renameat2(AT_FDCWD, part_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;  // else: not supported by the file system
  return is_free(path_) && std::rename(part_.c_str(), path_.c_str()) == 0;
}

bool NewFile::finish() {
  // The errno of an earlier failed write is lost.
  if (std::ferror(stream_) != 0) errno = EIO;
  const bool written = std::ferror(stream_) == 0 && std::fflush(stream_) == 0;
  const bool whole = written && publish();
  const int reason = errno;
  std::fclose(stream_);
  stream_ = nullptr;
  if (!whole && !part_.empty()) ::unlink(part_.c_str());
  errno = reason;
  return whole;
}

}  // namespace hybrid
