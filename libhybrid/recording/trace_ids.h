// The ids that the archive's definitions and events share.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>

#include "libhybrid/recording/mpi_regions.h"

namespace hybrid::trace_ids {

// The attributes and parameters of emulator/replay/trace_names.h.
enum Attribute : OTF2_AttributeRef {
  send_mode,
  compute,
  collective,
  bytes,
  communicator,
  root,
  rma_sync,
  peer,
};
enum Parameter : OTF2_ParameterRef {
  count_sent,
  count_received,
  flush,
  predict_request,
  predict_release,
  hint
};

/// Score-P's numbering, which its tools rely on: the rank in the low half, the thread in the high one.
inline OTF2_LocationRef location(std::uint32_t rank, std::uint32_t thread) {
  return OTF2_LocationRef{thread} << 32 | rank;
}

// Regions: those of MPI, then the application itself, then the phases in the order of
// JobDefinitions::regions.
inline OTF2_RegionRef application_region() { return static_cast<OTF2_RegionRef>(mpi_regions().size()); }
inline OTF2_RegionRef phase_region(std::uint32_t index) { return application_region() + 1 + index; }

// Groups: the processes' main locations, MPI_COMM_SELF's special group, then JobDefinitions::groups,
// then TraceArchive::groups.
inline constexpr OTF2_GroupRef kLocationsGroup = 0, kSelfGroup = 1;
inline OTF2_GroupRef group(std::uint32_t index) { return index + 2; }

}  // namespace hybrid::trace_ids
