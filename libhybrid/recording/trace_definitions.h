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

/// Facts as JobTrace::property gives them: those that all processes agree on. The others (port, host, process
/// id, ...) become properties of their location groups.
std::map<std::string, std::string> common_facts(const Recording& recording);

/// Writes them all and the facts; the locations' events are written.
void write_definitions(TraceArchive& archive, const Recording& recording, const TraceTimes& times,
                       const std::map<std::string, std::string>& facts);

}  // namespace hybrid
