// Mapping of measured traffic onto a fixed topology (D 2.2.2): the assignment of nodes to positions, so that
// neighbours exchange most bytes, and the resulting content of the preloaded slots.
//
// Several placements are tried and the best one is taken: the identity (each node at the position of its
// number) and greedy placements. A greedy placement starts with the node that has most traffic. It continues
// with the pair of a node and a free position next to an occupied one that gains most bytes; among equal
// pairs it takes the pair with the most similar neighbourhoods, which finds a topology that the traffic
// matches exactly under other numbers. With up to 512 nodes, pairs of nodes are then exchanged as long as
// that gains bytes. The problem is NP-hard, so a better placement may exist.
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

/// Bytes of each connection; the source and the destination of a connection differ.
using TrafficMatrix = std::map<Connection, Bytes>;

/// Adds the option `preload-topology`, which sets `name` ("": none). `name` must outlive the table.
void add_topology_option(OptionTable& table, std::string& name);
/// Throws UserError for an unknown topology and for parameters without preloaded slots.
void check_topology(std::string_view name, const SwitchParameters& parameters);

/// Returns the node of each position. Deterministic.
std::vector<Port> place(const FixedTopology& topology, const TrafficMatrix& traffic);

struct TopologyPlan {
  std::vector<Port> node_at;         // by position
  std::vector<Configuration> slots;  // the requested number; the last ones may be empty
  std::uint32_t slots_needed = 0;    // for the whole topology
  Bytes all = 0;                     // bytes of the traffic
  Bytes on_topology = 0;             // part of `all` between neighbours
  Bytes covered = 0;                 // part of `on_topology` on connections in a slot
  double share() const { return all == 0 ? 1.0 : static_cast<double>(covered) / static_cast<double>(all); }
};

/// Places the nodes and distributes the connections of the topology over `slots` slots in descending order of
/// their bytes. A connection is omitted if all slots are occupied at its source or destination port.
TopologyPlan plan_topology(const FixedTopology& topology, const TrafficMatrix& traffic, std::uint32_t slots);

}  // namespace hybrid
