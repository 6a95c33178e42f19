// Output of a recorded job: its directory, and the work at its end: recording -> OTF2 trace -> emulation ->
// report as text, JSON and page. `hybrid run`, MPI_Finalize of a preloaded job and `hybrid recover` share it.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "libhybrid/options/job_options.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/repeats.h"

namespace hybrid {

/// Makes a new directory with mode 0700 and returns its path: `output`, or if that is "", the first of
/// hybrid-APP-1, hybrid-APP-2, ... in the working directory that does not exist (APP: the last part of
/// `application`). Throws UserError if `output` exists or cannot be made, RunError if the disk is full.
std::string create_output_directory(const std::string& output, std::string_view application);

/// The directory of the journals until the trace is written: OUTPUT/recording.
std::string recording_directory(const std::string& output);

struct FinishedJob {
  std::string warnings;  // such as lost events or ranks that died, one per line
  FailureText failures;  // techniques that did not reach the end of the job
  bool stopped = false;  // the emulations: there is no report
  std::optional<JobReport> report = {};
};

/// Writes trace, report.json, report.txt and report.html (page.h) into the existing directory options.output,
/// from the journals in `recording`. Prints the report to `out` and the progress to `progress` (both may be
/// null). Removes the journals unless options.keep_journals is set, a technique failed or an exception is
/// thrown. Throws UserError or RunError.
///
/// The emulations stop after options.report_limit of wall-clock time, or when `interrupted` (may be empty,
/// called often) returns true. Then the trace is complete, there is no report, and `out` (if it is null,
/// `progress`) gets the reason and the command that continues. `failure`: how the job ended if not well, for
/// the warnings of the report.
FinishedJob finish_job(const std::string& recording, const JobOptions& options, std::FILE* out,
                       std::FILE* progress, const std::function<bool()>& interrupted = {},
                       const std::string& failure = {});

/// Writes report.txt, report.json and report.html of several runs of a job, which are in directories inside
/// `directory`, with the `options` of their reports. Each file appears whole or not at all; an existing file
/// is never overwritten. Throws RunError.
void write_repeats(const std::string& directory, const RepeatedReport& report, const JobOptions& options,
                   std::FILE* progress);

}  // namespace hybrid
