// A rank's side of the live scheduler: what it asks, and what it knows to be established. All calls are
// wait-free: loads and stores in shared memory, no lock, no allocation, no system call.
//
// One service per host (libhybrid/live/service.h) owns the scheduler port or forwards to the host that does.
#pragma once

#include <cstdint>

#include "core/connection.h"

namespace hybrid {

struct LiveRegion;  // the shared memory of one host

class LiveClient {
 public:
  LiveClient() = default;
  LiveClient(LiveRegion* region, std::uint32_t local_rank) : region_(region), local_rank_(local_rank) {}

  bool active() const { return region_ != nullptr; }
  /// Whether the circuit from this rank's port to `destination` is established now.
  bool established(Port destination) const;
  /// Asks; a full queue drops the request and counts it (LiveCounters::dropped).
  void request(Port destination);
  void release(Port destination);
  void flush();

 private:
  LiveRegion* region_ = nullptr;
  std::uint32_t local_rank_ = 0;
};

}  // namespace hybrid
