// What the generated wrappers need: all handlers, and the descriptions that functions.def names.
#pragma once

#include <mpi.h>

#include "libhybrid/shim/collectives.h"
#include "libhybrid/shim/communicators.h"
#include "libhybrid/shim/completion.h"
#include "libhybrid/shim/datatypes.h"
#include "libhybrid/shim/lifecycle.h"
#include "libhybrid/shim/next_function.h"
#include "libhybrid/shim/one_sided.h"
#include "libhybrid/shim/outermost_call.h"
#include "libhybrid/shim/point_to_point.h"
#include "libhybrid/shim/started_requests.h"

#define HYBRID_SHIM_EXPORT __attribute__((visibility("default")))
