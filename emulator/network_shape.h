// The network of an emulation, `--network`: one crossbar, or a fat tree of switches (docs/timing.md, "Fat
// tree"), and what can run on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hybrid {

struct SwitchParameters;

inline constexpr std::string_view kNetworkForms = "crossbar:N|fattree:L,W[,M]";

/// Sets `tree` and `nodes` from one of the two forms. Throws UserError for anything else.
void set_network(std::string_view text, SwitchParameters& parameters);
/// The network in the form in which it is given.
std::string network_text(const SwitchParameters& parameters);

/// Sets `nodes` for traffic between the ports 0 .. ports-1: to the tree's, or to `crossbar`, or where that is
/// 0 to the number of ports, 2 at least. Throws UserError where the network has fewer.
void fit_nodes(std::uint32_t ports, SwitchParameters& parameters, std::uint32_t crossbar = 0);

/// Refuses, where the network is a tree, a number of nodes that is not the tree's, and what cannot run on
/// one: techniques, schedulers, allocations.
void check_network(const SwitchParameters& parameters);
/// Says that so many nodes were given, where the network has `nodes`.
[[noreturn]] void refuse_nodes(const SwitchParameters& parameters, std::uint32_t given, std::uint32_t nodes);
/// Whether a technique of that name runs on fat trees.
bool runs_on_trees(std::string_view technique);

}  // namespace hybrid
