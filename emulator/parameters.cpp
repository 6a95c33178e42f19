#include "emulator/parameters.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/registry.h"
#include "emulator/network/technique.h"
#include "emulator/presets/preset.h"
#include "emulator/scheduler/hardware_cost.h"

namespace hybrid {

SplitRates split_rates(const SwitchParameters& p) {
  const auto rate = static_cast<double>(p.link_rate);
  const auto circuits = static_cast<BitRate>(rate * p.circuit_share);
  return {std::max<BitRate>(1, p.link_rate - std::min(circuits, p.link_rate)),
          std::max<BitRate>(1, circuits / std::max(1u, p.circuit_channels))};
}

void follow_scheduler_table(SwitchParameters& p) {
  if (p.scheduler_table_divisor == 0) return;
  p.scheduler = {Time{greedy_scheduler_latency(p.nodes).ps / p.scheduler_table_divisor}, 1};
}

QueueSizes queue_sizes(const SwitchParameters& p) {
  QueueSizes sizes{p.buffer, p.buffer, p.buffer, false};
  if (p.buffer_is_shared && p.buffer != kUnlimited) {
    const bool worms = uses_option(Technique::kKind, p.technique, "worm-limit");
    const bool circuits = uses_option(Technique::kKind, p.technique, "fabric");
    sizes.shares_places = circuits && !uses_option(Technique::kKind, p.technique, "circuit-share");
    if (worms && circuits) sizes.worms = sizes.destination = p.buffer / 2;
    if (circuits && !sizes.shares_places) sizes.destination /= std::max(1u, p.nodes - 1);
    if (worms && p.input_queues != "fifo") {
      const std::uint32_t ports =
          p.is_tree() ? p.tree.down + (p.tree.levels > 1 ? p.tree.up : 0) : p.nodes;  // of a switch
      sizes.input = p.buffer / std::max(1u, ports - 1);
    }
  }
  if (p.input_buffer != 0 && p.buffer != kUnlimited) sizes.input = p.input_buffer;
  return sizes;
}

void use_our_policy(SwitchParameters& p) {
  p.allocation = "held";
  p.predictor = "tournament";
  p.misses_use_worms = false;
  p.evicts_at_once = true;
}

void use_model(bool dissertation, SwitchParameters& p) {
  p.dissertation = dissertation;
  p.preload_is_direct = dissertation;  // D 3.4.1, 4.2.2
  p.tree.turns_at_top = dissertation;  // L 5
  p.nic_makes_headers = dissertation;  // D 8.4.1
  p.sla_shares_time = dissertation;    // D 4.4, figure 4.7
  if (dissertation && p.converter > Time{}) p.serialise = p.deserialise = p.converter;
}

void preload_every_destination(SwitchParameters& p) { p.slots = p.preload = p.nodes - 1; }

void apply_preset(std::string_view name, SwitchParameters& parameters, bool keep_nodes) {
  const auto preset = PresetRegistration::make(name);
  SwitchParameters& p = preset->parameters;
  p.technique = parameters.technique;
  p.seed = parameters.seed;
  if (keep_nodes) {
    p.nodes = parameters.nodes;
    p.tree = parameters.tree;
    if (p.is_tree() && !runs_on_fat_trees("allocation", p.allocation)) p.allocation = "ses";
  }
  if (preset->slot_per_destination) preload_every_destination(p);
  if (parameters.dissertation) use_model(true, p);
  parameters = p;
}

}  // namespace hybrid
