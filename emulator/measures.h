// What a run of the emulator is judged by; the same for replayed jobs and synthetic traffic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/time.h"
#include "core/units.h"
#include "emulator/switching/technique.h"

namespace hybrid {

/// Latencies in constant space: buckets of 1/64 relative width, exact count, sum, minimum and maximum.
class LatencyHistogram {
 public:
  void add(Time latency);
  std::uint64_t count() const { return count_; }
  Time mean() const;  // 0 when empty
  Time maximum() const { return maximum_; }
  /// The smallest latency that at least `fraction` of the messages did not exceed, within 1/64; exact at 0
  /// and 1.
  Time quantile(double fraction) const;

 private:
  static constexpr std::size_t kBuckets = std::size_t{64} * 58;
  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  __extension__ unsigned __int128 sum_ = 0;
  Time minimum_ = Time::never();
  Time maximum_{};
};

struct Measures {
  std::string technique;
  std::uint32_t nodes = 0;
  std::uint32_t slots = 0;
  Time time{};                 // from the first action to the last delivery (a job: to the last rank's end)
  Time communication_time{};   // jobs: time in communication, mean over ranks
  Time compute_time{};         // jobs: time computing, mean over ranks
  std::uint64_t messages = 0;  // through the switch
  Bytes bytes = 0;             // payload through the switch
  std::uint64_t local_messages = 0;  // between ranks of one port: never reach the switch
  Bytes local_bytes = 0;
  double utilisation = 0;  // payload bits / (time x nodes x link rate)
  /// Synthetic traffic: payload handed over and delivered while all senders send, after warm-up, as shares of
  /// their links' rate (emulator/traffic/simulate.h).
  double offered_load = 0, accepted_load = 0;
  /// Where a fixed topology is preloaded: the part of the bytes whose connections it holds
  /// (emulator/traffic/topology_map.h).
  std::optional<double> topology_share;
  LatencyHistogram latency;  // from hand-over to the NIC to the last word at the destination PE
  double hit_rate = 0;       // hits / messages
  TechniqueStatistics statistics;
  std::uint64_t seed = 0;
};

}  // namespace hybrid
