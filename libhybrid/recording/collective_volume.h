// How much a collective moves, by OTF2's convention (that of Score-P, which its tools expect).
#pragma once

#include <cstdint>

#include "core/event.h"

namespace hybrid {

struct RecordedCollective {
  CollectiveOp op = CollectiveOp::barrier;
  std::uint64_t bytes = 0;  // as journalled
  bool is_root = false;
  std::uint32_t rank = 0, members = 1;  // of the communicator
  std::uint64_t counts_sent = 0,
                counts_received = 0;  // sums of the sizes per peer, where they were journalled
};

struct CollectiveVolume {
  std::uint64_t bytes = 0;               // by the convention of emulator/replay/operation.h
  std::uint64_t sent = 0, received = 0;  // by OTF2's
};

CollectiveVolume collective_volume(const RecordedCollective& call);

bool is_neighborhood(CollectiveOp op);

}  // namespace hybrid
