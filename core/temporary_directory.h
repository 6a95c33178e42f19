// Temporary directories.
#pragma once

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX's

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace hybrid {

/// A new directory in the system's temporary directory, removed with the object.
class TemporaryDirectory {
 public:
  /// Throws std::runtime_error if the directory cannot be created.
  TemporaryDirectory() : path_((std::filesystem::temp_directory_path() / "hybrid-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make the directory " + path_);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// The same as the current working directory. The destructor restores the previous one.
class TemporaryWorkingDirectory {
 public:
  TemporaryWorkingDirectory() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(directory_.path());
  }
  ~TemporaryWorkingDirectory() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
  }
  TemporaryWorkingDirectory(const TemporaryWorkingDirectory&) = delete;
  TemporaryWorkingDirectory& operator=(const TemporaryWorkingDirectory&) = delete;

  const std::string& path() const { return directory_.path(); }
  std::string operator/(const std::string& name) const { return directory_ / name; }

 private:
  TemporaryDirectory directory_;
  std::filesystem::path before_;
};

}  // namespace hybrid
