// Results of an emulation: the same for replayed jobs and for synthetic traffic.
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

/// Histogram of latencies in constant space: buckets of 1/64 relative width; count, sum, minimum and maximum
/// are exact.
class LatencyHistogram {
 public:
  void add(Time latency);
  std::uint64_t count() const { return count_; }
  Time mean() const;  // 0 when empty
  Time maximum() const { return maximum_; }
  /// The smallest latency that at least `fraction` of the messages do not exceed: too large by at most 1/64,
  /// exact for the fractions 0 and 1. 0 when empty.
  Time quantile(double fraction) const;

 private:
  static constexpr std::size_t kBuckets = std::size_t{64} * 58;
  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  __extension__ unsigned __int128 sum_ = 0;
  Time minimum_ = Time::never();
  Time maximum_{};
};

/// Payload of the messages from (out) and to (in) one port of the switch.
struct PortTraffic {
  Bytes out = 0, in = 0;
  bool operator==(const PortTraffic&) const = default;
};

/// Least, mean and largest utilisation of all ports.
struct PortSpread {
  double least = 0, mean = 0, largest = 0;
};

/// One phase's part of a run, over all its occurrences. The sums of time, messages, bytes, hits and latency
/// counts over all phases are those of the run.
struct PhaseMeasures {
  std::string name;
  Time time{};  // spent in the phase, mean over the nodes (of a job: over the ranks)
  std::uint64_t messages = 0, hits = 0;
  Bytes bytes = 0;
  double utilisation = 0;  // payload bits / (time x nodes x link rate)
  LatencyHistogram latency;
  double hit_rate() const {
    return messages == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(messages);
  }
};

/// Copies that the fabric's multicast delivered to ports, over separate links
/// (emulator/network/collective_plane.h). They are not counted as messages of the switch, but their latencies
/// are part of the run's latencies.
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
  std::uint64_t local_messages = 0;  // between ranks at one port; the switch does not carry them
  Bytes local_bytes = 0;
  std::optional<MulticastCopies> multicast;  // if the fabric multicasts
  double utilisation = 0;                    // payload bits / (time x nodes x link rate)
  /// Synthetic traffic: payload offered and delivered while all senders send, after warm-up, as shares of the
  /// rate of their links (emulator/traffic/simulate.h).
  std::optional<double> offered_load, accepted_load;
  /// If a fixed topology is preloaded: the share of the bytes on connections that it holds
  /// (emulator/traffic/topology_map.h).
  std::optional<double> topology_share;
  /// From the send until the last word is at the destination PE.
  LatencyHistogram latency;
  double hit_rate = 0;  // hits / messages
  TechniqueStatistics statistics;
  std::vector<PortTraffic> ports;     // by port; the sum of all `out`, and of all `in`, is `bytes`
  std::vector<PhaseMeasures> phases;  // empty if phases are not distinguished
  std::uint64_t seed = 0;

  /// Computes the utilisation of the run and of each phase from time, bytes and nodes.
  void set_utilisation(BitRate link_rate);
  /// Adds `payload` to both ports of `connection`. The first call sets the number of ports.
  void count_ports(std::uint32_t number_of_ports, Connection connection, Bytes payload) {
    if (ports.empty()) ports.resize(number_of_ports);
    ports[connection.source].out += payload;
    ports[connection.destination].in += payload;
  }
  /// Utilisation of one port's link: payload bits / (time x link rate).
  double port_utilisation(Bytes payload) const {
    return bytes == 0 ? 0.0
                      : utilisation * static_cast<double>(nodes) * static_cast<double>(payload) /
                            static_cast<double>(bytes);
  }
  PortSpread out_utilisation() const { return spread(&PortTraffic::out); }
  PortSpread in_utilisation() const { return spread(&PortTraffic::in); }

  /// Shares of the (slot, connection) pairs granted in all slots that began: with data sent, and without.
  /// Both are 0 for techniques without slots.
  double slot_occupancy() const { return slot_share(statistics.slots_used); }
  double slot_waste() const { return slot_share(statistics.slots_wasted); }

 private:
  PortSpread spread(Bytes PortTraffic::* direction) const;
  double slot_share(std::uint64_t pairs) const {
    const std::uint64_t all = statistics.slots_used + statistics.slots_wasted;
    return all == 0 ? 0.0 : static_cast<double>(pairs) / static_cast<double>(all);
  }
};

/// Collects the measures of a run's phases. The caller knows the phase of each message and instant: a pattern
/// of synthetic traffic (emulator/traffic/phase_record.h), a replayed job (emulator/replay/job_phases.h).
class PhaseAccount {
 public:
  /// Adds a phase. Returns its number: 0, 1, ...
  std::uint32_t add(std::string name);

  void message(std::uint32_t phase, Bytes payload) {
    ++phases_[phase].messages;
    phases_[phase].bytes += payload;
  }
  void hit(std::uint32_t phase) { ++phases_[phase].hits; }
  void latency(std::uint32_t phase, Time latency) { phases_[phase].latency.add(latency); }
  /// A member (node or rank) spent this time in the phase.
  void time(std::uint32_t phase, Time spent) { times_[phase] += static_cast<Sum>(spent.ps); }

  /// The phases by number, without those that have neither messages nor time. Times are means over `members`
  /// and add up, to the picosecond, to the mean of the sum. Utilisations are not set.
  std::vector<PhaseMeasures> finish(std::uint64_t members) const;

 private:
  __extension__ using Sum = __int128;  // a large job's times together do not fit into a Time
  std::vector<PhaseMeasures> phases_;
  std::vector<Sum> times_;
};

}  // namespace hybrid
