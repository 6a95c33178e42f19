// Messages of the shim. They go to standard error, never to standard output. HYBRID_QUIET suppresses all of
// them but the reason for ending the job.
#pragma once

#include <string>

namespace hybrid::shim {

/// Prints "libhybrid: TEXT". Every rank that calls it prints: callers choose the rank.
void warn(const std::string& text);
/// Like warn, also under HYBRID_QUIET: the reason for ending the job.
void report_fatal(const std::string& text);
void set_quiet(bool quiet);
bool quiet();

/// Sets the file that limits the following warnings to one in the whole job: the rank that creates the file
/// prints. "" disables them.
void set_full_disk_mark(const std::string& path);
/// Warns once in the job that the disk is full. Does not allocate.
void warn_of_full_disk();
/// Warns once in the job, whichever ranks call it.
void warn_once_in_job(const char* text);

}  // namespace hybrid::shim
