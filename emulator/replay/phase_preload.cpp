#include "emulator/replay/phase_preload.h"

#include <algorithm>
#include <utility>

#include "emulator/tdm/preload_slots.h"

namespace hybrid {

void PhaseTraffic::add(const SentMessage& message) {
  if (message.phase != kNoPhase)
    phases_[message.phase][{message.source, message.destination}] += message.bytes;
}

PhasePreloads PhaseTraffic::plan(const JobTrace& trace, std::uint32_t ports, std::uint32_t slots) const {
  PhaseConnections by_name;
  for (const auto& [region, traffic] : phases_)
    for (const auto& [connection, bytes] : traffic) by_name[trace.region_name(region)][connection] += bytes;
  return fit_phases(by_name, ports, slots);
}

PhasePreloads fit_phases(const PhaseConnections& phases, std::uint32_t ports, std::uint32_t slots) {
  PhasePreloads plan;
  if (slots == 0) return plan;
  for (const auto& [name, traffic] : phases) {
    std::vector<std::pair<Connection, Bytes>> order(traffic.begin(), traffic.end());
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    PreloadSlots fitted(ports, slots);
    for (const auto& [connection, bytes] : order) fitted.add(connection);
    std::vector<Configuration>& content = plan[name];
    for (std::uint32_t s = 0; s < slots; ++s) content.push_back(fitted.slot(s));
  }
  return plan;
}

}  // namespace hybrid
