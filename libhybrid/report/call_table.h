// The calls of MPI in the program's source, as a table of the text report.
#pragma once

#include <cstddef>
#include <string>

#include "libhybrid/report/job_report.h"

namespace hybrid {

/// Title and table after an empty line: the calls that wait or send at least 1 % (at most ten), with what
/// they send, the mean wait of a rank with wormhole and with the fastest technique, and the part of it for
/// other ranks. "" if there is none, as for a trace without call sites.
std::string call_table(const JobReport& report, std::size_t width);

}  // namespace hybrid
