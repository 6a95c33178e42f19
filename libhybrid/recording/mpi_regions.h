// Regions of paradigm MPI for the calls in a trace. The journal has the operations of a call, not its name,
// so a call gets the name of the most common function with these operations ("MPI_Waitall" for several
// completions, also if they come from MPI_Waitsome or MPI_Testall).
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "libhybrid/recording/journal_steps.h"

namespace hybrid {

struct MpiRegion {
  std::string_view name;
  OTF2_RegionRole role;
};

/// All regions, by their id in the archive.
std::span<const MpiRegion> mpi_regions();

/// The region of a call, by its operations.
std::uint32_t mpi_region_of(const JournalStep& call);

/// The collective of OTF2. Neighbourhood collectives, which OTF2 lacks, map to the form over the whole
/// communicator.
OTF2_CollectiveOp otf2_collective(CollectiveOp op);

}  // namespace hybrid
