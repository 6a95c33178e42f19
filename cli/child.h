// A child process: started without a shell, awaited, signals forwarded.
#pragma once

#include <string>
#include <vector>

#include "cli/output_copy.h"

namespace hybrid {

/// How a child ended.
struct ChildEnd {
  int exit_code = 0;  // if it exited
  int signal = 0;     // that terminated it, else 0
  int forwarded = 0;  // the last signal that run_child() received and the child got, too
  bool good() const { return exit_code == 0 && signal == 0; }
};

/// Runs `words` (the first is the path of an executable) with the standard streams of this process and waits
/// for its end. SIGINT, SIGTERM and SIGHUP that reach this process meanwhile go to the child instead; those
/// that a terminal sends to the whole foreground group are not sent twice. With `stdout_to_stderr` the
/// child's standard output goes to our standard error. The output is copied through `filter`. Throws RunError
/// if it cannot be started.
ChildEnd run_child(const std::vector<std::string>& words, bool stdout_to_stderr, const LineFilter& filter);

/// Runs `words` with an empty standard input. Returns what it writes to standard output and error, at most 64
/// KiB; `end`: how it ended. Throws RunError if it cannot be started.
std::string output_of(const std::vector<std::string>& words, ChildEnd& end);

}  // namespace hybrid
