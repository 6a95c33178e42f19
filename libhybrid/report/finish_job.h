// The end of a recorded job, the same from `hybrid run`, from MPI_Finalize of a preloaded job and from
// `hybrid recover`: recording -> OTF2 trace -> emulation -> report in text and JSON.
#pragma once

#include <cstdio>
#include <string>

#include "libhybrid/options/job_options.h"

namespace hybrid {

/// `recording` holds the journals; trace, report.json and report.txt go into options.output (which exists).
/// Prints the report to `out` and progress to `progress` (either may be null). Journals are removed after
/// success unless options.keep_journals. Returns the text of warnings (lost events, ranks that died) for the
/// caller's summary.
std::string finish_job(const std::string& recording, const JobOptions& options, std::FILE* out,
                       std::FILE* progress);

}  // namespace hybrid
