// Maps measured traffic onto a fixed topology (D 2.2.2): which node takes which position, so that most bytes
// go between neighbours, and what the preloaded slots then hold.
//
// The best of several placements: each node at the position of its number, and greedy ones. A greedy one
// begins with the node that has most traffic and goes on with the node and the free position next to a taken
// one that together gain most bytes; of equals, with those whose surroundings are most alike (a topology that
// the traffic has exactly, under other numbers, is found so). Up to 512 nodes, nodes are then exchanged while
// that gains anything. To find the best placement is NP-hard: there may be a better one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/configuration.h"
#include "core/connection.h"
#include "core/option.h"
#include "core/units.h"
#include "emulator/parameters.h"
#include "emulator/traffic/fixed_topology.h"

namespace hybrid {

/// The bytes of each connection; sources and destinations differ.
using TrafficMatrix = std::map<Connection, Bytes>;

/// Adds the option `preload-topology`, stored into `name`, which must outlive the table; "": none.
void add_topology_option(OptionTable& table, std::string& name);
/// Refuses an unknown topology, and parameters that preload no slot.
void check_topology(std::string_view name, const SwitchParameters& parameters);

/// By position: the node that takes it. Deterministic.
std::vector<Port> place(const FixedTopology& topology, const TrafficMatrix& traffic);

struct TopologyPlan {
  std::vector<Port> node_at;         // by position
  std::vector<Configuration> slots;  // as many as asked for; later ones may be empty
  std::uint32_t slots_needed = 0;    // for all of the topology
  Bytes all = 0;                     // of the traffic
  Bytes on_topology = 0;             // of which between neighbours
  Bytes covered = 0;                 // of which in a slot
  double share() const { return all == 0 ? 1.0 : static_cast<double>(covered) / static_cast<double>(all); }
};

/// The topology with nodes placed, in so many slots. The connections with most bytes come first, those
/// without any last; one that finds all slots taken at a port of its own is left out.
TopologyPlan plan_topology(const FixedTopology& topology, const TrafficMatrix& traffic, std::uint32_t slots);

}  // namespace hybrid
