// Receives from any rank or of any tag for which MPI did not report the message that they received
// (MPI_Isendrecv, for which MPICH leaves the status unset, and requests that are freed before they complete).
// They are resolved from the messages that were sent and that no other receive got, if these leave a single
// sender and tag.
#pragma once

#include <cstdint>
#include <vector>

#include "core/event.h"
#include "libhybrid/recording/recording.h"

namespace hybrid {

/// True if the event is the end of a receive whose sender or tag MPI did not report.
inline bool is_unresolved(const Event& event) {
  return (event.kind == EventKind::recv_complete || event.kind == EventKind::recv_freed) &&
         (event.peer == kAnyPeer || (event.peer != kNoPeer && event.tag == kAnyTag));
}

/// The message that an unresolved receive got.
struct ResolvedReceive {
  std::int32_t source = kAnyPeer;  // world rank; kAnyPeer: not known
  std::int32_t tag = kAnyTag;
};

/// Resolves the unresolved receives of each thread, in the order of its journal. Empty if no thread has any.
/// Which of several messages with the same sender and tag a receive got follows from the order of posting.
///
/// Requires: a complete recording. If events are missing, the remaining messages may belong to other
/// receives.
std::vector<std::vector<ResolvedReceive>> resolve_receives(const Recording& recording);

}  // namespace hybrid
