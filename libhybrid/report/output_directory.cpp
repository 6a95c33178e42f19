#include "libhybrid/report/output_directory.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/error.h"

namespace hybrid {

namespace {

// A part of a file name that needs no quoting anywhere.
std::string plain_name(std::string_view application) {
  std::string name(application.substr(application.rfind('/') + 1));
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-' || c == '+';
    if (!plain) c = '_';
  }
  return name.empty() ? "job" : name;
}

[[noreturn]] void fail(const std::string& path, const std::string& mend) {
  const int reason = errno;
  const std::string problem = "output: cannot make the directory '" + path + "': " + std::strerror(reason);
  // Not what the user gave is wrong: a program that is to be recorded runs all the same.
  if (reason == ENOSPC || reason == EDQUOT) throw RunError(problem, "Free space, or name another place.");
  throw UserError(problem, mend);
}

}  // namespace

std::string create_output_directory(const std::string& output, std::string_view application) {
  if (!output.empty()) {
    if (::mkdir(output.c_str(), 0700) == 0) return output;
    if (errno == EEXIST)
      throw UserError("output: '" + output + "' exists already",
                      "Name a new directory; nothing is ever overwritten.");
    fail(output, "Name a new directory below one that exists and that you may write to.");
  }
  const std::string stem = "hybrid-" + plain_name(application) + "-";
  for (std::uint64_t n = 1;; ++n) {
    const std::string path = stem + std::to_string(n);
    if (::mkdir(path.c_str(), 0700) == 0) return path;
    if (errno != EEXIST) fail(path, "Name one with --output where you may write.");
  }
}

std::string recording_directory(const std::string& output) { return output + "/recording"; }

}  // namespace hybrid
