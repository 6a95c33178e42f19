// Where a job's trace and report go: a directory of its own, never one that was there before.
#pragma once

#include <string>
#include <string_view>

namespace hybrid {

/// Makes a new directory, mode 0700, and returns its path. `output` names it; where that is "", it is the
/// first of hybrid-APP-1, hybrid-APP-2, ... in the working directory that does not exist (APP: the last part
/// of `application`). Throws UserError when `output` exists or cannot be made, RunError when the
/// disk is full.
std::string create_output_directory(const std::string& output, std::string_view application);

/// Where a job leaves its journals until the trace is written: OUTPUT/recording.
std::string recording_directory(const std::string& output);

}  // namespace hybrid
