// Contents of a recording's directory.
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
  std::vector<std::string> damaged;    // journals that cannot be read, or not to their end, and why
};

/// True if `directory` contains definitions or journals that are not empty.
bool is_recording(const std::string& directory);

/// Opens a recording. Damaged journals, and those without a header (the process died before it was written),
/// are left out. Throws UserError if `directory` contains no recording, damaged definitions, or only damaged
/// journals; RunError if it is empty because the disk was full.
Recording open_recording(const std::string& directory);

}  // namespace hybrid
