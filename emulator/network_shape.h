// The network of an emulation (`--network`): one crossbar, or a fat tree of switches (docs/timing.md, "Fat
// tree").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hybrid {

struct SwitchParameters;

inline constexpr std::string_view kNetworkForms = "crossbar:N|fattree:L,W[,M]";

/// Sets `tree` and `nodes` from one of kNetworkForms. Throws UserError for other text.
void set_network(std::string_view text, SwitchParameters& parameters);
/// The network in one of kNetworkForms.
std::string network_text(const SwitchParameters& parameters);

/// Sets `nodes` for traffic between the ports 0 to ports - 1: the nodes of the tree; else `crossbar`; else,
/// if `crossbar` is 0, the number of ports, at least 2. Throws UserError if the network has fewer nodes than
/// ports.
void fit_nodes(std::uint32_t ports, SwitchParameters& parameters, std::uint32_t crossbar = 0);

/// Throws UserError if the network is a tree and the number of nodes is not the tree's, or if the technique
/// or the allocation does not run on fat trees.
void check_network(const SwitchParameters& parameters);
/// Throws the UserError for `given` nodes in a network of `nodes` nodes.
[[noreturn]] void refuse_nodes(const SwitchParameters& parameters, std::uint32_t given, std::uint32_t nodes);

}  // namespace hybrid
