// The two exceptions for errors that a user sees. Their text names the object, the place in it, what was
// expected, and the fix:
//
//   throw UserError("trace.otf2: ends within its definitions", "Record the job again.");
//
// The `hybrid` command maps them to its exit codes (0 done, 1 failed, 2 bad usage or input). A violated
// precondition is a std::logic_error instead.
#pragma once

#include <cctype>
#include <cstring>
#include <stdexcept>
#include <string>

namespace hybrid {

/// Bad usage or bad input. Exit code 2.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& problem, const std::string& fix = {})
      : std::runtime_error(fix.empty() ? problem : problem + "\n  " + fix) {}
};

/// The input was valid, but the program or the run failed. Exit code 1.
class RunError : public std::runtime_error {
 public:
  explicit RunError(const std::string& problem, const std::string& fix = {})
      : std::runtime_error(fix.empty() ? problem : problem + "\n  " + fix) {}
};

/// That a file or directory which a user named cannot be read, with the reason of the system:
/// unreadable("a.toml", ENOENT) is "a.toml: no such file or directory".
inline std::string unreadable(const std::string& path, int error) {
  std::string reason = std::strerror(error);
  reason.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(reason.front())));
  return path + ": " + reason;
}

}  // namespace hybrid
