// Where the calls of a recorded program are in its source.
#pragma once

#include <span>
#include <vector>

#include "emulator/replay/operation.h"
#include "libhybrid/recording/definitions.h"

namespace hybrid {

/// The place of each call, by the debug information of its object file, which libdw reads. The function is
/// the one of the symbol table, also where the line is in a function that was inlined there.
///
/// Without debug information the function alone; for a file that is no longer there, and without libdw, the
/// symbol that was recorded, or else the address ("0x1234 in libsolver.so").
std::vector<CallSite> find_source_places(std::span<const CallSiteAddress> calls);

}  // namespace hybrid
