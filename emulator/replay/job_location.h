// One location (a thread of a rank) of a job that is replayed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "emulator/replay/job_events.h"
#include "emulator/replay/operation.h"

namespace hybrid {

struct JobLocation {
  std::uint32_t rank = 0;
  Operation operation;           // the current one
  std::uint64_t operations = 0;  // fetched so far, the current one included
  Time now{};                    // when the current operation begins
  Time compute{};                // spent computing so far
  bool finished = false;
  // Progress of the current operation, where it is a one-sided synchronisation:
  std::uint32_t notices = 0;  // members of its group that it has waited for, or waits for now
  bool in_barrier = false;    // a fence whose accesses have arrived
};

/// Who performs an operation: the location, its rank, and the phase that its messages count for.
struct Caller {
  LocationHandle location;
  std::uint32_t rank = 0;
  std::uint32_t phase = 0;
};

/// Which location of a job that cannot continue waits for what, as a clause of an error message. Requires:
/// one has not finished.
std::string describe_stall(const std::vector<JobLocation>& locations);

/// What a location waits for in an operation: "receive from 3", "allreduce".
std::string wait_name(const Operation& operation);

}  // namespace hybrid
