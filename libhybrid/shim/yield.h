// Yielding in empty polls. MPICH polls while it waits; with more ranks than cores it occupies the core that
// the awaited rank needs. While the job is oversubscribed, a poll of UCX (ucp_worker_progress) that finds
// nothing therefore yields the core.
#pragma once

namespace hybrid::shim {

/// Sets whether empty polls yield from now on.
void set_yield(bool yes);
bool yields();

}  // namespace hybrid::shim
