// Global definitions of an archive, in the form that emulator/replay/trace_names.h describes, and the ids
// that definitions and events share.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <string>

#include "core/time.h"
#include "libhybrid/recording/mpi_regions.h"
#include "libhybrid/recording/recording.h"
#include "libhybrid/recording/trace_archive.h"

namespace hybrid::trace_ids {

// Attributes and parameters of emulator/replay/trace_names.h.
enum Attribute : OTF2_AttributeRef {
  send_mode,
  compute,
  collective,
  bytes,
  communicator,
  root,
  rma_sync,
  peer,
  number,
  call_site,
};
enum Parameter : OTF2_ParameterRef {
  count_sent,
  count_received,
  flush,
  predict_request,
  predict_release,
  hint
};

/// The numbering of Score-P, which its tools expect: the rank in the low half, the thread in the high half.
inline OTF2_LocationRef location(std::uint32_t rank, std::uint32_t thread) {
  return OTF2_LocationRef{thread} << 32 | rank;
}

// Regions: mpi_regions(), JobDefinitions::mpi_functions, the application, then the phases in the order of
// JobDefinitions::regions.
inline OTF2_RegionRef application_region(const JobDefinitions& job) {
  return static_cast<OTF2_RegionRef>(mpi_regions().size() + job.mpi_functions.size());
}
inline OTF2_RegionRef phase_region(const JobDefinitions& job, std::uint32_t index) {
  return application_region(job) + 1 + index;
}

// After them the functions that contain call sites. Calling context i is call site i of
// JobDefinitions::call_sites.
inline OTF2_RegionRef function_region(const JobDefinitions& job, std::uint32_t index) {
  return phase_region(job, static_cast<std::uint32_t>(job.regions.size())) + index;
}

// Groups: the main locations of the processes, the special group of MPI_COMM_SELF, then
// JobDefinitions::groups, then TraceArchive::groups.
inline constexpr OTF2_GroupRef kLocationsGroup = 0, kSelfGroup = 1;
inline OTF2_GroupRef group(std::uint32_t index) { return index + 2; }

}  // namespace hybrid::trace_ids

namespace hybrid {

/// Time span of a trace.
struct TraceTimes {
  std::uint64_t epoch_ns = 0;  // wall-clock time of time stamp 0
  Time length{};               // last time stamp
};

/// Facts of a job, by name.
using Facts = std::map<std::string, std::string, std::less<>>;

/// Facts of the job for JobTrace::property: the properties that are equal for all processes, and the sums of
/// their counts. Other properties (port, host, process id, ...) become properties of the location groups.
Facts job_facts(const Recording& recording);

/// Writes all definitions and the facts. Requires: all locations of the archive are closed.
void write_definitions(TraceArchive& archive, const Recording& recording, const TraceTimes& times,
                       const Facts& facts);

}  // namespace hybrid
