// The two ways in which work ends early. Both carry text for people: the thing, the place in it, what was
// expected, how to mend it. The command turns them into its exit codes (0 done, 1 failed, 2 bad usage or
// input).
#pragma once

#include <stdexcept>
#include <string>

namespace hybrid {

/// Bad usage or bad input: something the user gave cannot be used. Exit code 2.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& problem, const std::string& mend = {})
      : std::runtime_error(mend.empty() ? problem : problem + "\n  " + mend) {}
};

/// The user's input was good, but the program or the run failed. Exit code 1.
class RunError : public std::runtime_error {
 public:
  explicit RunError(const std::string& problem, const std::string& mend = {})
      : std::runtime_error(mend.empty() ? problem : problem + "\n  " + mend) {}
};

}  // namespace hybrid
