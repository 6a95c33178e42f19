// The shim's settings, from HYBRID_* variables and the TOML file that HYBRID_CONFIG names.
#pragma once

#include "libhybrid/options/job_options.h"

namespace hybrid::shim {

/// The whole number in an environment variable; `otherwise` where it is not set or holds none.
int number_in(const char* variable, int otherwise);

/// Rank of this process as its launcher says, before MPI has started; 0 when it does not say.
int launcher_rank();

/// Reads the settings; names unknown variables once (rank 0). Throws UserError.
JobOptions read_options();

}  // namespace hybrid::shim
