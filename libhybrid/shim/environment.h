// What the environment states before MPI has started: the launcher's variables, and the shim's settings from
// HYBRID_* variables and the TOML file that HYBRID_CONFIG names.
#pragma once

#include "libhybrid/options/job_options.h"

namespace hybrid::shim {

/// Returns the whole number in an environment variable; `otherwise` when it is not set or holds none.
int number_in(const char* variable, int otherwise);

/// Returns the rank of this process according to its launcher; 0 when it is unknown.
int launcher_rank();

/// Whether the launcher started more local ranks than there are processing units for them. Needed before MPI
/// has started, because MPI_Init itself polls.
bool launched_oversubscribed();

/// Reads the settings. Rank 0 reports unknown variables once. Throws UserError.
JobOptions read_options();

}  // namespace hybrid::shim
