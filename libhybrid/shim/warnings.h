// What the shim says: on standard error, never on standard output, and nothing at all under HYBRID_QUIET,
// except why it ends the job.
#pragma once

#include <string>

namespace hybrid::shim {

/// Prints "libhybrid: TEXT". Every rank that calls prints: callers choose the rank.
void warn(const std::string& text);
/// So does this, even under HYBRID_QUIET: for whoever is about to end the job.
void say_last_words(const std::string& text);
void be_quiet(bool quiet);
bool quiet();

/// One warning in all where the disk is full or a journal cannot be made, whichever ranks notice: the rank
/// that takes the job's token away prints it. `path` is the token, a file of the recording; "" gives it up.
void set_full_disk_token(const std::string& path);
void warn_of_full_disk();
void warn_once_in_job(const char* text);

}  // namespace hybrid::shim
