// Placements of a job's ranks on the ports that they use, of which one may suit the job better than the given
// one. They are candidates, to be compared by emulation.
//
// Where ranks share a port, messages between them do not use the switch. In a fat tree, messages between
// ports of one switch use no link to a higher one. On one switch with a rank on each port, all placements are
// equal.
//
//   for (const RankPlacement& p : placements_to_try(given, 4, bytes)) emulate(p.port_of_rank);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/connection.h"
#include "core/units.h"

namespace hybrid {

struct RankPlacement {
  std::string name;  // "by traffic", "consecutive ranks", "round robin"
  std::vector<Port> port_of_rank;
};

/// Whether all placements with as many ranks on each port as `given` has take the same time, but for the
/// order in which schedulers serve ports. `tree_down`: ports of a switch of the lowest level, and switches
/// below a switch of each other level; 0: one switch.
bool placements_are_equal(const std::vector<Port>& given, std::uint32_t tree_down);

/// Placements with as many ranks on each port as `given` has, without `given` itself and duplicates; none if
/// all are equal. `bytes`: between each pair of ranks. Placement by traffic is greedy, from the top switches
/// down to the ports: each group of ports, that with most ranks first, gets the rank with the most traffic
/// that is left, then one by one the rank with the most traffic to those that it has; of equals the first.
/// O(ranks^2 + pairs) for each level.
std::vector<RankPlacement> placements_to_try(const std::vector<Port>& given, std::uint32_t tree_down,
                                             const std::map<Connection, Bytes>& bytes);

}  // namespace hybrid
