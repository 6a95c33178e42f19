// The end of a recorded job, the same from `hybrid run`, from MPI_Finalize of a preloaded job and from
// `hybrid recover`: recording -> OTF2 trace -> emulation -> report in text and JSON.
#pragma once

#include <cstdio>
#include <string>

#include "libhybrid/options/job_options.h"
#include "libhybrid/report/failures.h"

namespace hybrid {

struct FinishedJob {
  std::string warnings;  // lost events, ranks that died: for the caller's summary
  FailureText failures;  // techniques that did not come to the job's end
};

/// `recording` holds the journals; trace, report.json and report.txt go into options.output (which exists).
/// Prints the report to `out` and progress to `progress` (either may be null). Journals are removed after
/// success unless options.keep_journals; where a technique failed they stay.
FinishedJob finish_job(const std::string& recording, const JobOptions& options, std::FILE* out,
                       std::FILE* progress);

}  // namespace hybrid
