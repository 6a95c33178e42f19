// The regions of paradigm MPI that calls in a trace are: the journal knows what a call did, not its name, so
// calls carry the name of their kind's commonest function ("MPI_Waitall" for several completions at once,
// whether they came from MPI_Waitall, MPI_Waitsome or MPI_Testall).
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "libhybrid/recording/journal_calls.h"

namespace hybrid {

struct MpiRegion {
  std::string_view name;
  OTF2_RegionRole role;
};

/// All of them; the index is the region's id in the archive.
std::span<const MpiRegion> mpi_regions();

/// The region that a call is, by what happened in it.
std::uint32_t mpi_region_of(const JournalStep& call);

/// OTF2's collective of ours; a neighbourhood form has none, so its closest whole-communicator form.
OTF2_CollectiveOp otf2_collective(CollectiveOp op);

}  // namespace hybrid
