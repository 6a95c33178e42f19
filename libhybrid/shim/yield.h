// More ranks than cores: MPICH polls while it waits, and so keeps the core from the rank that it waits for.
// While the job is oversubscribed, a poll of UCX (ucp_worker_progress) that finds nothing gives up the core
// instead.
#pragma once

namespace hybrid::shim {

/// Whether empty polls yield from now on.
void set_yield(bool yes);
bool yields();

/// What the launcher's variables tell before MPI has started, where MPI_Init itself polls: more local ranks
/// than processing units.
bool launched_oversubscribed();

}  // namespace hybrid::shim
