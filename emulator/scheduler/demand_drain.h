// How long a schedule takes to drain its demand: a replay that knows nothing of how the schedule was made.
//
// Each connection is followed through the configurations by itself; times are exact to the picosecond. What
// the fabric leaves goes over the packet network, from time 0 on, which drains it in the time of its busiest
// port: packets may be divided at will, and a demand whose rows and columns sum to L at most can be sent in
// time L / rate (Birkhoff).
#pragma once

#include <cstdint>
#include <span>

#include "emulator/scheduler/demand_scheduler.h"

namespace hybrid {

struct Drain {
  Time time{};      // when the last byte is carried; Time::never() where some never are
  Time circuits{};  // when the fabric carries its last byte
  Time packets{};   // when the packet network does
  Bytes by_circuits = 0, by_packets = 0;
  Bytes undrained = 0;                 // left by the fabric where there is no packet network
  std::uint64_t reconfigurations = 0;  // of the fabric
};

Drain drain_time(const DemandProblem& problem, std::span<const TimedConfiguration> schedule);

}  // namespace hybrid
