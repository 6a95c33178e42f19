// One-sided communication of a replayed job.
//
// - Accesses (put, get, accumulate) return at once and have arrived by the end of their epoch. A get is a
//   request of no bytes and a reply with the data.
// - A fence waits for the rank's accesses to arrive, then for a barrier.
// - A post sends a notice (a message of no bytes) to each origin, and a start waits for those of its targets.
//   A complete waits for the rank's accesses to arrive, then sends a notice to each target, and a wait waits
//   for those of all origins.
// - The other synchronisations wait for the rank's accesses to arrive, but a lock, the creation of a window
//   and its end, which take no time.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/replay/collective_runs.h"
#include "emulator/replay/job_events.h"
#include "emulator/replay/job_location.h"
#include "emulator/replay/job_messages.h"
#include "emulator/replay/point_to_point.h"

namespace hybrid {

class OneSided {
 public:
  OneSided(std::uint32_t ranks, JobMessages& messages, PointToPoint& point_to_point,
           CollectiveRuns& collectives, JobEvents& events)
      : messages_(messages),
        point_to_point_(point_to_point),
        collectives_(collectives),
        events_(events),
        accesses_(ranks) {}

  /// Performs a put, get or accumulate.
  void access(const Caller& caller, const Operation& operation);
  /// A message was delivered. Does nothing for messages of other purposes.
  void deliver(MessageHandle handle);

  /// Performs the current operation of `location`, a synchronisation. True if it is complete; else the
  /// location continues when it may be: call this again then.
  bool synchronise(const Caller& caller, JobLocation& location);

 private:
  /// Of one rank to one window.
  struct Accesses {
    std::uint64_t outstanding = 0;
    std::vector<LocationHandle> waiters;
  };

  void end_access(std::uint32_t rank, std::uint32_t window);
  void send_notices(const Caller& caller, const Operation& operation);
  bool receive_notices(const Caller& caller, JobLocation& location);

  JobMessages& messages_;
  PointToPoint& point_to_point_;
  CollectiveRuns& collectives_;
  JobEvents& events_;
  std::vector<std::unordered_map<std::uint32_t, Accesses>> accesses_;  // by rank, then window
};

}  // namespace hybrid
