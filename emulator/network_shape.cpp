#include "emulator/network_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "core/registry.h"
#include "core/units.h"
#include "emulator/network/technique.h"
#include "emulator/parameters.h"
#include "emulator/tdm/allocation.h"

namespace hybrid {

namespace {

constexpr std::string_view kCrossbar = "crossbar:", kTree = "fattree:";
constexpr std::uint64_t kMostSwitchPorts = 1U << 20;

void check_runs_on_fat_trees(std::string_view kind, std::string_view name) {
  if (runs_on_fat_trees(kind, name)) return;
  std::vector<std::string_view> names = registered_names(kind);
  std::erase_if(names, [kind](std::string_view other) { return !runs_on_fat_trees(kind, other); });
  throw UserError(fmt::format("{}: '{}' cannot run on a fat tree yet", kind, name),
                  fmt::format("Give one of {}, or --network crossbar:N.", fmt::join(names, ", ")));
}

}  // namespace

void set_network(std::string_view text, SwitchParameters& p) {
  if (text.starts_with(kCrossbar)) {
    p.nodes = static_cast<std::uint32_t>(
        parse_count(text.substr(kCrossbar.size()), "network crossbar:N", kMostNodes));
    p.tree = {.turns_at_top = p.tree.turns_at_top};
  } else if (text.starts_with(kTree)) {
    FatTreeShape shape = parse_fat_tree(text);
    shape.turns_at_top = p.tree.turns_at_top;
    p.nodes = FatTree(shape).nodes();
    p.tree = shape;
  } else {
    throw UserError(
        "network: '" + std::string(text) + "' is not a network",
        "Give crossbar:N for N ports, or fattree:L,W[,M] for L levels of switches with W ports up and M "
        "(default: W) ports down.");
  }
}

std::string network_text(const SwitchParameters& p) {
  return p.is_tree() ? to_string(p.tree) : std::string(kCrossbar) + std::to_string(p.nodes);
}

void fit_nodes(std::uint32_t ports, SwitchParameters& p, std::uint32_t crossbar) {
  p.nodes = p.is_tree() ? FatTree(p.tree).nodes() : crossbar != 0 ? crossbar : std::max(ports, 2U);
  follow_scheduler_table(p);
  if (ports <= p.nodes) return;
  throw UserError(fmt::format("network: {} has {} nodes, but the job uses the ports 0 to {}", network_text(p),
                              p.nodes, ports - 1),
                  p.is_tree() ? "Give a larger tree, or a placement on fewer --ports."
                              : "Give more --nodes, leave --nodes out (as many as the job uses), or give a "
                                "placement on fewer --ports.");
}

void refuse_nodes(const SwitchParameters& p, std::uint32_t given, std::uint32_t nodes) {
  const std::string network =
      p.is_tree() ? to_string(p.tree) : std::string(kCrossbar) + std::to_string(nodes);
  throw UserError(fmt::format("nodes: {}, but {} has {} nodes", given, network, nodes),
                  "Leave --nodes out, or give another --network.");
}

void check_network(const SwitchParameters& p) {
  if (!p.is_tree()) return;
  const FatTree tree(p.tree);
  if (tree.nodes() < 2)
    throw UserError(fmt::format("network: {} has 1 node, but at least 2 are needed", to_string(p.tree)),
                    "Give at least 2 ports down: fattree:L,W,M has M^L nodes.");
  if (p.nodes != tree.nodes()) refuse_nodes(p, p.nodes, tree.nodes());
  if (std::uint64_t{tree.switches()} * (p.tree.up + p.tree.down) > kMostSwitchPorts)
    throw UserError(fmt::format("network: {} has {} switches of {} ports, more than can be emulated",
                                to_string(p.tree), tree.switches(), p.tree.up + p.tree.down),
                    "Give fewer levels or ports up.");
  check_runs_on_fat_trees(Technique::kKind, p.technique);
  check_runs_on_fat_trees(Allocation::kKind, p.allocation);
}

}  // namespace hybrid
