// Directory for the trace and the report of a job. It is always new.
#pragma once

#include <string>
#include <string_view>

namespace hybrid {

/// Makes a new directory with mode 0700 and returns its path: `output`, or if that is "", the first of
/// hybrid-APP-1, hybrid-APP-2, ... in the working directory that does not exist (APP: the last part of
/// `application`). Throws UserError if `output` exists or cannot be made, RunError if the disk is full.
std::string create_output_directory(const std::string& output, std::string_view application);

/// The directory of the journals until the trace is written: OUTPUT/recording.
std::string recording_directory(const std::string& output);

}  // namespace hybrid
