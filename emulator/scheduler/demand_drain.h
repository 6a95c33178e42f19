// Time in which a schedule drains its demand, and a lower bound of it.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/scheduler/demand_scheduler.h"

namespace hybrid {

struct Drain {
  Time time{};      // when the last byte is carried; Time::never() if some bytes are never carried
  Time circuits{};  // when the fabric carries its last byte
  Time packets{};   // when the packet network carries its last byte
  Bytes by_circuits = 0, by_packets = 0;
  Bytes undrained = 0;                 // left by the fabric if there is no packet network
  std::uint64_t reconfigurations = 0;  // of the fabric
};

/// Replays a schedule, independently of the algorithm that made it.
///
/// Each connection is followed through the configurations separately; times are exact to the picosecond. What
/// the fabric leaves is carried by the packet network from time 0 on, in the time of its busiest port:
/// packets may be divided arbitrarily, and a demand whose row and column sums are at most L can be sent in
/// time L / rate (Birkhoff).
Drain drain_time(const DemandProblem& problem, std::span<const TimedConfiguration> schedule);

/// A time below which no schedule drains the demand, whatever the algorithm. Exact for a single port's
/// demand.
///
/// A port that uses k connections of the fabric waits for at least k reconfigurations. The packet network
/// carries its share p of the link rate all the time. So in time T
///
///   bytes of the port  <=  (T - k reconfigurations) x rate  +  T x p x rate,
///
/// where k is large enough that the packet network alone can carry the other requests of the port, the
/// smallest ones. If all ports wait together (not `partial`), every port waits for as many reconfigurations
/// as the port that needs the most configurations. Returns the smallest T that satisfies this at every port.
Time drain_bound(const DemandProblem& problem);

}  // namespace hybrid
