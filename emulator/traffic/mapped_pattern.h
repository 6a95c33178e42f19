// A pattern whose traffic is mapped onto a fixed topology: the same sends, but what is known of them, and
// preloaded, is the topology's configurations, in use throughout.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "emulator/traffic/pattern.h"
#include "emulator/traffic/topology_map.h"

namespace hybrid {

/// The traffic that `pattern`, new, is going to send, messages of so many bytes (of none: as 1 byte); uses it
/// up.
inline TrafficMatrix measure_traffic(Pattern& pattern, std::uint32_t nodes, Bytes message) {
  TrafficMatrix traffic;
  for (Port source = 0; source < nodes; ++source)
    for (std::uint64_t left = pattern.messages(source); left > 0; --left) {
      const Pattern::Send send = pattern.next(source);
      traffic[{source, send.destination}] += (message == 0 ? 1 : message) * send.blocks;
    }
  return traffic;
}

class MappedPattern final : public Pattern {
 public:
  /// Refers to `pattern`.
  MappedPattern(Pattern& pattern, TopologyPlan plan) : pattern_(pattern), plan_(std::move(plan)) {}

  std::uint64_t messages(Port source) const override { return pattern_.messages(source); }
  Send next(Port source) override { return pattern_.next(source); }
  std::vector<std::string> phases() const override { return pattern_.phases(); }
  bool forwards() const override { return pattern_.forwards(); }
  bool ready(Port source) const override { return pattern_.ready(source); }
  void received(Port destination, std::uint64_t step) override { pattern_.received(destination, step); }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step >= plan_.slots.size() || plan_.slots[step].empty()) return {};
    return Known{plan_.slots[step], 0};
  }

 private:
  Pattern& pattern_;
  TopologyPlan plan_;
};

}  // namespace hybrid
