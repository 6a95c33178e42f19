#include "emulator/parameters.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/network/technique.h"

namespace hybrid {

SplitRates split_rates(const SwitchParameters& p) {
  const auto rate = static_cast<double>(p.link_rate);
  const auto circuits = static_cast<BitRate>(rate * p.circuit_share);
  return {std::max<BitRate>(1, p.link_rate - std::min(circuits, p.link_rate)),
          std::max<BitRate>(1, circuits / std::max(1u, p.circuit_channels))};
}

QueueSizes queue_sizes(const SwitchParameters& p) {
  QueueSizes sizes{p.buffer, p.buffer, p.buffer};
  if (!p.buffer_is_shared || p.buffer == kUnlimited) return sizes;
  const bool worms = uses_option(Technique::kKind, p.technique, "worm-limit");
  const bool circuits = uses_option(Technique::kKind, p.technique, "fabric");
  if (worms && circuits) sizes.worms = p.buffer / 2;
  if (circuits) sizes.destination = sizes.worms / std::max(1u, p.nodes - 1);
  if (worms && p.input_queues != "fifo") {
    const std::uint32_t ports =
        p.is_tree() ? p.tree.down + (p.tree.levels > 1 ? p.tree.up : 0) : p.nodes;  // of a switch
    sizes.input = p.buffer / std::max(1u, ports - 1);
  }
  return sizes;
}

namespace {

/// D 4.6. The text does not give the wire and the NIC; they are those of ch8 with the short cable. The K
/// slots hold the predictable part of the traffic, a mesh: four slots, preloaded (D 4.2.2).
void set_ch4(SwitchParameters& p) {
  p.nodes = 64;
  p.word_generation = nanoseconds(2);
  p.nic = {nanoseconds(10), 1};
  p.serialise = p.deserialise = Time{};
  p.cable = nanoseconds(10);
  p.scheduler = {nanoseconds(20), 1};
  p.digital_fabric = p.analog_fabric = {nanoseconds(10), 1};
  p.slots = p.preload = 4;
  p.slot_length = nanoseconds(200);
  p.buffer = 8192;
}

/// D 8.5: cable, scheduler and fabric at 100 MHz; a worm is header, ten flits, tail (D 8.4.1).
void set_ch8(SwitchParameters& p) {
  p.nodes = 32;
  p.word_generation = nanoseconds(2);
  p.nic = {nanoseconds(10), 1};
  p.serialise = p.deserialise = Time{};
  p.cable = nanoseconds(10);  // "10 foot"; "100 foot" is 100 ns
  p.scheduler = {nanoseconds(10), 2};
  p.digital_fabric = p.analog_fabric = {nanoseconds(10), 1};
  p.worm_limit = 80;
  p.worm_overhead_words = 2;
  p.buffer = 128;  // "small"; "large" is 240 KB
}

}  // namespace

void preload_every_destination(SwitchParameters& p) { p.slots = p.preload = p.nodes - 1; }

void apply_preset(std::string_view name, SwitchParameters& parameters, bool keep_nodes) {
  SwitchParameters p;  // the defaults are those of ch5, except the number of nodes
  if (name == "ch4")
    set_ch4(p);
  else if (name == "ch5")
    p.nodes = 128;
  else if (name == "ch8")
    set_ch8(p);
  else
    throw UserError("preset: unknown parameter set '" + std::string(name) +
                    "'; expected one of: ch4, ch5, ch8");
  p.technique = parameters.technique;
  p.seed = parameters.seed;
  if (keep_nodes) {
    p.nodes = parameters.nodes;
    p.tree = parameters.tree;
  }
  if (name == "ch8") preload_every_destination(p);
  parameters = p;
}

}  // namespace hybrid
