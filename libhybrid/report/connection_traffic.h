// The messages of a recorded job by connection (a pair of ranks) and by the operation that sends them.
//
//   const ConnectionTraffic traffic = read_traffic(*open_trace("hybrid-app-1"), {});
//   for (const auto& [connection, operations] : traffic)
//     for (const auto& [operation, volume] : operations) ...
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/connection.h"
#include "emulator/replay/replay.h"

namespace hybrid {

struct Volume {
  std::uint64_t messages = 0;
  Bytes bytes = 0;
  void add(const Volume& other) {
    messages += other.messages;
    bytes += other.bytes;
  }
};

/// "point-to-point", "one-sided", or the name of the collective ("allreduce").
std::string_view operation_of(const SentMessage& message);

/// By operation.
using TrafficByOperation = std::map<std::string, Volume, std::less<>>;
/// By ranks, whatever the ports that they are on.
using ConnectionTraffic = std::map<Connection, TrafficByOperation>;

/// Reads a job's messages, collectives as the messages of their algorithms (`options.algorithms`; with
/// options.hardware_multicast without those that the fabric performs). options.placement is not used. Memory
/// grows with the number of connections.
ConnectionTraffic read_traffic(JobTrace& trace, ReplayOptions options);

/// The sum over all connections.
TrafficByOperation total(const ConnectionTraffic& traffic);
Volume total(const TrafficByOperation& operations);

/// A header line, then "source,destination,operation,messages,bytes" by source, destination, operation.
std::string to_csv(const ConnectionTraffic& traffic);

}  // namespace hybrid
