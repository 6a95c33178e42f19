// Order of the receives of a rank with several threads.
//
// A trace does not show how the threads of a rank synchronise (joins, locks, OpenMP barriers). Threads that
// receive with one peer, tag and communicator would therefore take each other's messages in a replay, and two
// ranks could wait for each other where the job did not. Such receives get the messages in the order in which
// the job's threads completed them (Operation::order). A replay then cannot wait forever unless the trace
// lacks messages: let r be the k-th receive of its key, completed at T. The k receives completed up to T took
// messages whose sends began before T. If of all blocked operations r is the first by its recorded end, no
// other thread is blocked before T; so these sends have begun in the replay, too, and one of them is for r.
#pragma once

#include <memory>

#include "emulator/replay/operation.h"

namespace hybrid {

/// Whether a rank has several locations.
bool has_threads(const JobTrace& trace);

/// `trace`, with `order` set in the receives of each (rank, peer, tag, communicator) that several locations
/// of the rank receive from. `again`: the same trace, opened a second time; it is read to its end, for ranks
/// with several locations. Takes time in O(n log n) in the receives of such ranks, and 4 bytes for each.
std::unique_ptr<JobTrace> order_receives(std::unique_ptr<JobTrace> trace, JobTrace& again);

}  // namespace hybrid
