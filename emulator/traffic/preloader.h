// Preloading of the configurations that a pattern knows in advance (D 4.2.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/time.h"
#include "emulator/network/technique.h"
#include "emulator/traffic/pattern.h"
#include "emulator/traffic/topology_map.h"

namespace hybrid {

/// Keeps the preloaded slots of a technique filled with the known configurations of a pattern: the first ones
/// at the start, and, if configurations have turns, the next one when the configuration of a slot has served
/// all its messages. A configuration that occurs again while a slot still holds it stays in that slot.
class Preloader {
 public:
  /// Fills slots 0 ... slots - 1 of `technique`.
  Preloader(Technique& technique, const Pattern& pattern, std::uint32_t slots)
      : technique_(technique), pattern_(pattern), slots_(slots) {}

  void start(Time at);
  /// Reports that a message of `step` has been delivered.
  void delivered(Time at, std::uint64_t step);

 private:
  static constexpr std::uint32_t kNotLoaded = ~std::uint32_t{0};
  struct Turn {
    std::uint64_t served = 0;
    std::uint64_t messages = 0;  // valid once loaded
    std::uint32_t slot = kNotLoaded;
  };
  bool fill(Time at, std::uint32_t slot);
  std::uint32_t find_slot(const Configuration& configuration) const;

  Technique& technique_;
  const Pattern& pattern_;
  std::uint32_t slots_;
  std::uint64_t next_ = 0;                         // step to load next
  std::vector<Configuration> loaded_;              // by slot
  std::unordered_map<std::uint64_t, Turn> turns_;  // turns in progress, by step; never iterated
};

/// Pattern with the sends of another pattern, whose known configurations are those of a fixed topology, in
/// use throughout.
class MappedPattern final : public Pattern {
 public:
  /// Keeps a reference to `pattern`.
  MappedPattern(Pattern& pattern, TopologyPlan plan) : pattern_(pattern), plan_(std::move(plan)) {}

  std::uint64_t messages(Port source) const override { return pattern_.messages(source); }
  Send next(Port source) override { return pattern_.next(source); }
  std::vector<std::string> phases() const override { return pattern_.phases(); }
  bool waits() const override { return pattern_.waits(); }
  bool ready(Port source) const override { return pattern_.ready(source); }
  bool received(Port destination, std::uint64_t step) override {
    return pattern_.received(destination, step);
  }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step >= plan_.slots.size() || plan_.slots[step].empty()) return {};
    return Known{plan_.slots[step], 0};
  }

 private:
  Pattern& pattern_;
  TopologyPlan plan_;
};

/// Returns the bytes of each connection that `pattern` will send with messages of `message` bytes (0 counts
/// as 1). `pattern` must be new; the call consumes all its sends.
TrafficMatrix measure_traffic(Pattern& pattern, std::uint32_t nodes, Bytes message);

}  // namespace hybrid
