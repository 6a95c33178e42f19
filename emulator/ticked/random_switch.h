// Random small switches with delays of a few picoseconds, and random traffic for them, on which two models of
// a switch are compared (claim C17 and tests). The same seed gives the same switch and traffic.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "emulator/tdm/allocation.h"
#include "emulator/ticked/script.h"

namespace hybrid {

inline SwitchParameters random_parameters(Random& random, const std::string& technique) {
  const auto time = [&](std::uint64_t low, std::uint64_t high) {
    return picoseconds(static_cast<std::int64_t>(low + random.below(high - low + 1)));
  };
  SwitchParameters p;
  p.technique = technique;
  p.nodes = static_cast<std::uint32_t>(2 + random.below(5));
  p.word_generation = time(1, 5);
  p.nic = {time(1, 3), static_cast<std::uint32_t>(random.below(3))};
  p.serialise = time(0, 4);
  p.cable = time(1, 6);
  p.deserialise = time(0, 4);
  p.link_rate = 8'000'000'000'000 * p.word / (1 + random.below(4));
  p.scheduler = {time(1, 8), static_cast<std::uint32_t>(random.below(3))};
  p.digital_fabric = {time(1, 4), static_cast<std::uint32_t>(random.below(3))};
  p.analog_fabric = {time(1, 4), static_cast<std::uint32_t>(random.below(2))};
  p.reconfiguration = random.below(2) == 0 ? Time{} : time(0, 4);
  p.flit = p.word * (1 + random.below(2));
  p.worm_limit = p.flit * (1 + random.below(4));
  p.worm_overhead_words = static_cast<std::uint32_t>(random.below(3));
  p.buffer = random.below(3) == 0 ? kUnlimited : p.flit * (1 + random.below(random.below(2) == 0 ? 2 : 12));
  if (technique == "packet") p.buffer = std::max(p.buffer, p.worm_limit + p.worm_overhead_words * p.word);
  if (technique == "wave" || technique == "coll" || technique == "chen-liu") {
    static constexpr double kShares[] = {0.125, 0.5, 0.8};
    p.circuit_share = kShares[random.below(3)];
    p.circuit_channels = static_cast<std::uint32_t>(1 + random.below(3));
    p.split_size = random.below(4) == 0 ? 0 : p.word * (1 + random.below(12));
  }
  p.slots = static_cast<std::uint32_t>(1 + random.below(4));
  p.guard = random.below(2) == 0 ? Time{} : time(0, 3);
  // One random number per statement: the order of evaluation within an expression depends on the compiler.
  const Time words = p.word_time() * static_cast<std::int64_t>(1 + random.below(6));
  p.slot_length = p.guard + p.reconfiguration + words + time(0, 3);
  auto allocations = registered_names("allocation");
  std::erase_if(allocations, [&](std::string_view name) {  // draw_policies() selects those
    return AllocationRegistration::make(name, p)->keeps_circuits();
  });
  p.allocation = allocations[random.below(allocations.size())];
  if (random.below(2) == 0)
    p.wormhole_slot_length = p.slot_length * static_cast<std::int64_t>(1 + random.below(3));
  static const char* const kPredictors[] = {"timeout", "counter", "none", "tagging"};
  p.predictor = kPredictors[random.below(4)];
  p.predictor_timeout = time(1, 400);
  p.predictor_threshold = static_cast<std::uint32_t>(1 + random.below(4));
  p.predictor_pause = random.below(2) == 0 ? Time{} : time(1, 100);
  p.sla_shares_time = p.predictor_timeout.ps % 2 == 0;  // no draw: a seed keeps its script
  return p;
}

/// Draws the policies of the hybrid switch that are not the dissertation's, each for some of the switches.
/// They are not part of random_parameters(), so that a seed gives the same switch with and without them.
inline void draw_policies(Random& random, SwitchParameters& p) {
  p.misses_use_worms = random.below(2) == 0;
  p.evicts_at_once = random.below(2) == 0;
  static constexpr double kShares[] = {0, 0, 0.1, 0.25, 0.5, 1};
  p.packet_plane = kShares[random.below(6)];
  // Worms may be so slow through the plane's fabric that a circuit must wait not to overtake them.
  if (p.packet_plane > 0 && random.below(3) == 0)
    p.digital_fabric.latency = static_cast<std::uint32_t>(random.below(40));
  static const char* const kPredictors[] = {"tournament", "markov", "timeout", "none"};
  if (random.below(2) == 0) p.predictor = kPredictors[random.below(4)];
  if (random.below(2) == 0) return;
  p.allocation = "held";
  // Circuits are kept for more than a slot, so that a change may take longer than one.
  if (random.below(2) == 0) p.reconfiguration = picoseconds(static_cast<std::int64_t>(random.below(80)));
}

inline std::vector<Action> random_script(Random& random, const SwitchParameters& p) {
  std::vector<Action> script;
  Time now{};
  const std::uint64_t count = 1 + random.below(30);
  const std::uint64_t gap = 1 + random.below(60);
  for (std::uint64_t id = 0; id < count; ++id) {
    if (random.below(3) != 0) now += picoseconds(static_cast<std::int64_t>(random.below(gap)));
    if (random.below(40) == 0) now += picoseconds(static_cast<std::int64_t>(random.below(3000)));
    if (random.below(15) == 0) {
      Action preload{Action::What::preload,  now,    {}, static_cast<std::uint32_t>(random.below(p.slots)),
                     Configuration(p.nodes), kNoPort};
      for (Port source = 0; source < p.nodes; ++source) {
        const Connection c{source, static_cast<Port>(random.below(p.nodes))};
        if (random.below(3) != 0 && c.source != c.destination && preload.configuration.fits(c))
          preload.configuration.add(c);
      }
      script.push_back(preload);
    }
    if (random.below(15) == 0)
      script.push_back({Action::What::flush,
                        now,
                        {},
                        0,
                        {},
                        random.below(3) == 0 ? kNoPort : static_cast<Port>(random.below(p.nodes))});
    const auto source = static_cast<Port>(random.below(p.nodes));
    const auto destination =
        static_cast<Port>((source + 1 + random.below(random.below(2) == 0 ? 1 : p.nodes - 1)) % p.nodes);
    const Bytes bytes = random.below(6) == 0 ? random.below(600) : random.below(80);
    const std::uint64_t site = bytes % 3;
    script.push_back({Action::What::send, now, {id, {source, destination}, bytes, site}, 0, {}, kNoPort});
  }
  return script;
}

}  // namespace hybrid
