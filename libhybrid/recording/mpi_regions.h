// Regions of paradigm MPI for the calls in a trace. The journal has the operations of a call, not its name.
// They state the function of sends, collectives and synchronisations of windows. Of other calls the
// definition of the call site has the name (CallSiteAddress::function); if it is not known, the call gets the
// name of the most common function with these operations ("MPI_Waitall" for several completions, also if they
// come from MPI_Waitsome or MPI_Testall).
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <optional>
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

/// The region with this name, if there is one. O(number of regions).
std::optional<std::uint32_t> find_mpi_region(std::string_view name);
/// The role of a function that is not in mpi_regions().
OTF2_RegionRole mpi_role(std::string_view name);

/// The region of a call: by its operations, or `called`, the region of the function that the call site calls,
/// if other functions have the same operations.
std::uint32_t mpi_region_of(const JournalStep& call, std::optional<std::uint32_t> called);

/// The collective of OTF2. Neighbourhood collectives, which OTF2 lacks, map to the form over the whole
/// communicator.
OTF2_CollectiveOp otf2_collective(CollectiveOp op);

}  // namespace hybrid
