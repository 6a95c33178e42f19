// The global definitions of an archive of ours (emulator/replay/trace_names.h says how they look).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/time.h"
#include "libhybrid/recording/recording.h"
#include "libhybrid/recording/trace_archive.h"

namespace hybrid {

struct TraceTimes {
  std::uint64_t epoch_ns = 0;  // wall-clock time of time stamp 0
  Time length{};               // last time stamp
};

using Facts = std::map<std::string, std::string, std::less<>>;

/// Facts as JobTrace::property gives them: properties that all processes agree on, and the sums of what they
/// counted. What differs (port, host, process id, ...) becomes a property of the location groups.
Facts job_facts(const Recording& recording);

/// Writes them all and the facts; the locations' events are written.
void write_definitions(TraceArchive& archive, const Recording& recording, const TraceTimes& times,
                       const Facts& facts);

}  // namespace hybrid
