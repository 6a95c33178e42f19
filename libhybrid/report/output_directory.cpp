#include "libhybrid/report/output_directory.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/error.h"

namespace hybrid {

namespace {

// The last part of the path, with all characters replaced that a shell would need quotes for.
std::string plain_name(std::string_view application) {
  std::string name(application.substr(application.rfind('/') + 1));
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-' || c == '+';
    if (!plain) c = '_';
  }
  return name.empty() ? "job" : name;
}

[[noreturn]] void fail(const std::string& path, const std::string& fix) {
  const int reason = errno;
  const std::string problem = "output: cannot make the directory '" + path + "': " + std::strerror(reason);
  // A full disk is no error of the user: the program runs without being recorded.
  if (reason == ENOSPC || reason == EDQUOT) throw RunError(problem, "Free space, or name another place.");
  throw UserError(problem, fix);
}

}  // namespace

std::string create_output_directory(const std::string& output, std::string_view application) {
  if (!output.empty()) {
    if (::mkdir(output.c_str(), 0700) == 0) return output;
    if (errno == EEXIST)
      throw UserError("output: '" + output + "' exists already",
                      "Name a new directory; nothing is ever overwritten.");
    fail(output, "Name a new directory in an existing one for which you have write permission.");
  }
  const std::string stem = "hybrid-" + plain_name(application) + "-";
  for (std::uint64_t n = 1;; ++n) {
    const std::string path = stem + std::to_string(n);
    if (::mkdir(path.c_str(), 0700) == 0) return path;
    if (errno != EEXIST) fail(path, "Name a directory with --output for which you have write permission.");
  }
}

std::string recording_directory(const std::string& output) { return output + "/recording"; }

}  // namespace hybrid
