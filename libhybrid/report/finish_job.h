// The end of a recorded job: recording -> OTF2 trace -> emulation -> report as text and JSON. `hybrid run`,
// MPI_Finalize of a preloaded job and `hybrid recover` share it.
#pragma once

#include <cstdio>
#include <string>

#include "libhybrid/options/job_options.h"
#include "libhybrid/report/failures.h"

namespace hybrid {

struct FinishedJob {
  std::string warnings;  // such as lost events or ranks that died, one per line
  FailureText failures;  // techniques that did not reach the end of the job
};

/// Writes trace, report.json and report.txt into the existing directory options.output, from the journals in
/// `recording`. Prints the report to `out` and the progress to `progress` (both may be null). Removes the
/// journals unless options.keep_journals is set, a technique failed or an exception is thrown. Throws
/// UserError or RunError.
FinishedJob finish_job(const std::string& recording, const JobOptions& options, std::FILE* out,
                       std::FILE* progress);

}  // namespace hybrid
