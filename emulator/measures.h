// What a run of the emulator is judged by; the same for replayed jobs and synthetic traffic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/connection.h"
#include "core/time.h"
#include "core/units.h"
#include "emulator/network/message.h"

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

/// Payload through one port of the switch: of messages from it (out) and to it (in).
struct PortTraffic {
  Bytes out = 0, in = 0;
  bool operator==(const PortTraffic&) const = default;
};

/// Of all ports' utilisations.
struct PortSpread {
  double least = 0, mean = 0, largest = 0;
};

/// One phase's part of a run, over all its occurrences (emulator/measures.h). Over the phases of a run,
/// times, messages, bytes, hits and counted latencies add up to the run's own.
struct PhaseMeasures {
  std::string name;
  Time time{};  // in which the nodes (a job: the ranks) were in it, mean over them
  std::uint64_t messages = 0, hits = 0;
  Bytes bytes = 0;
  double utilisation = 0;  // payload bits / (time x nodes x link rate)
  LatencyHistogram latency;
  double hit_rate() const {
    return messages == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(messages);
  }
};

/// Where the fabric multicasts by itself: the copies that it brought to the ports, on links of its own
/// (emulator/network/collective_plane.h). No messages of the switch, as no link of it carried them; only
/// the latencies have theirs, too.
struct MulticastCopies {
  std::uint64_t messages = 0;
  Bytes bytes = 0;
  void count(Bytes payload) {
    ++messages;
    bytes += payload;
  }
  bool operator==(const MulticastCopies&) const = default;
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
  std::optional<MulticastCopies> multicast;  // where the fabric multicasts by itself
  double utilisation = 0;                    // payload bits / (time x nodes x link rate)
  /// Synthetic traffic: payload handed over and delivered while all senders send, after warm-up, as shares of
  /// their links' rate (emulator/traffic/simulate.h).
  std::optional<double> offered_load, accepted_load;
  /// Where a fixed topology is preloaded: the part of the bytes whose connections it holds
  /// (emulator/traffic/topology_map.h).
  std::optional<double> topology_share;
  /// From hand-over to the NIC to the last word at the destination PE.
  LatencyHistogram latency;
  double hit_rate = 0;  // hits / messages
  TechniqueStatistics statistics;
  std::vector<PortTraffic> ports;     // by port; all `out` together are `bytes`, and so are all `in`
  std::vector<PhaseMeasures> phases;  // none where phases are not told apart
  std::uint64_t seed = 0;

  /// Sets the utilisation, of the run and of each phase, from time, bytes and nodes.
  void set_utilisation(BitRate link_rate);
  /// Adds `payload` to both ports of a connection of the switch (of `nodes` ports, told at the first call).
  void count_ports(std::uint32_t of, Connection connection, Bytes payload) {
    if (ports.empty()) ports.resize(of);
    ports[connection.source].out += payload;
    ports[connection.destination].in += payload;
  }
  /// What a port's link carried, as a share of what it could: payload bits / (time x link rate).
  double port_utilisation(Bytes payload) const {
    return bytes == 0 ? 0.0
                      : utilisation * static_cast<double>(nodes) * static_cast<double>(payload) /
                            static_cast<double>(bytes);
  }
  PortSpread out_utilisation() const { return spread(&PortTraffic::out); }
  PortSpread in_utilisation() const { return spread(&PortTraffic::in); }

  /// Of the (slot, connection) pairs that were granted, in slots that began: with data sent, and without.
  /// Both 0 where there were none (techniques without slots).
  double slot_occupancy() const { return slot_share(statistics.slots_used); }
  double slot_waste() const { return slot_share(statistics.slots_wasted); }

 private:
  PortSpread spread(Bytes PortTraffic::* direction) const;
  double slot_share(std::uint64_t pairs) const {
    const std::uint64_t all = statistics.slots_used + statistics.slots_wasted;
    return all == 0 ? 0.0 : static_cast<double>(pairs) / static_cast<double>(all);
  }
};

class PhaseAccount {
 public:
  /// A phase more; returns its number: 0, 1, ...
  std::uint32_t add(std::string name);

  void message(std::uint32_t phase, Bytes payload) {
    ++phases_[phase].messages;
    phases_[phase].bytes += payload;
  }
  void hit(std::uint32_t phase) { ++phases_[phase].hits; }
  void latency(std::uint32_t phase, Time latency) { phases_[phase].latency.add(latency); }
  /// Somebody was in it for so long.
  void time(std::uint32_t phase, Time spent) { times_[phase] += static_cast<Sum>(spent.ps); }

  /// In order of number, times being means over `members`; those in which there was neither a message nor any
  /// time are left out. The means add up to the mean of the sum, to the picosecond. Utilisations are not set.
  std::vector<PhaseMeasures> finish(std::uint64_t members) const;

 private:
  __extension__ using Sum = __int128;  // a large job's times together do not fit into a Time
  std::vector<PhaseMeasures> phases_;
  std::vector<Sum> times_;
};

}  // namespace hybrid
