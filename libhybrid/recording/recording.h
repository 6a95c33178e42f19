// What a recording's directory holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libhybrid/recording/job_definitions.h"

namespace hybrid {

struct Recording {
  struct Thread {
    std::uint32_t process = 0;  // index into definitions.processes
    std::uint32_t thread = 0;
    std::string journal;  // path
  };
  std::string directory;
  JobDefinitions definitions;
  std::vector<Thread> threads;         // ascending in rank and thread
  std::vector<std::uint32_t> missing;  // ranks without a journal
  std::vector<std::string> damaged;    // files that should be journals and are not: what is wrong with them
};

/// Whether `directory` holds definitions or journals with anything in them.
bool is_recording(const std::string& directory);

/// A journal whose process died before its header was written counts as none, and so does a damaged one.
/// Throws UserError when `directory` holds no recording, damaged definitions, or damaged journals alone.
Recording open_recording(const std::string& directory);

}  // namespace hybrid
