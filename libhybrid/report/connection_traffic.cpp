#include "libhybrid/report/connection_traffic.h"

#include <fmt/format.h>

#include <numeric>

#include "emulator/replay/collective.h"

namespace hybrid {

std::string_view operation_of(const SentMessage& message) {
  switch (message.purpose) {
    case SentMessage::Purpose::point_to_point:
      return "point-to-point";
    case SentMessage::Purpose::one_sided:
      return "one-sided";
    case SentMessage::Purpose::collective:
      break;
  }
  return name_of(message.collective);
}

ConnectionTraffic read_traffic(JobTrace& trace, ReplayOptions options) {
  // A port for each rank, so that no message stays inside a port.
  options.placement.resize(trace.ranks());
  std::iota(options.placement.begin(), options.placement.end(), 0);
  ConnectionTraffic traffic;
  for_each_sent(trace, options, [&](const SentMessage& message) {
    TrafficByOperation& operations = traffic[{message.source_rank, message.destination_rank}];
    const std::string_view name = operation_of(message);
    auto found = operations.find(name);
    if (found == operations.end()) found = operations.emplace(name, Volume{}).first;
    found->second.add({1, message.bytes});
  });
  return traffic;
}

TrafficByOperation total(const ConnectionTraffic& traffic) {
  TrafficByOperation sum;
  for (const auto& [connection, operations] : traffic)
    for (const auto& [name, volume] : operations) sum[name].add(volume);
  return sum;
}

Volume total(const TrafficByOperation& operations) {
  Volume sum;
  for (const auto& [name, volume] : operations) sum.add(volume);
  return sum;
}

std::string to_csv(const ConnectionTraffic& traffic) {
  std::string text = "source,destination,operation,messages,bytes\n";
  for (const auto& [connection, operations] : traffic)
    for (const auto& [name, volume] : operations)
      text += fmt::format("{},{},{},{},{}\n", connection.source, connection.destination, name,
                          volume.messages, volume.bytes);
  return text;
}

}  // namespace hybrid
