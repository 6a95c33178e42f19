// Receives from any rank or of any tag of which MPI did not tell what they received (MPI_Isendrecv: MPICH
// leaves its status unset; requests freed before their end). What was sent and no other receive got is left
// for them: where only one sender and tag can be meant, it is.
#pragma once

#include <cstdint>
#include <vector>

#include "core/event.h"
#include "libhybrid/recording/recording.h"

namespace hybrid {

/// The receive took a message, and MPI did not say from whom or of what tag.
inline bool is_untold(const Event& event) {
  return (event.kind == EventKind::recv_complete || event.kind == EventKind::recv_freed) &&
         (event.peer == kAnyPeer || (event.peer != kNoPeer && event.tag == kAnyTag));
}

struct FoundMatch {
  std::int32_t source = kAnyPeer;  // world rank; kAnyPeer: not known
  std::int32_t tag = kAnyTag;
};

/// For each thread of the recording, its untold receives in the order of its journal; empty where no thread
/// has any. Only for a recording that lacks nothing: else what is left may be another's. Which of several
/// messages of one sender and tag a receive got follows from the order of posting.
std::vector<std::vector<FoundMatch>> find_untold_matches(const Recording& recording);

}  // namespace hybrid
