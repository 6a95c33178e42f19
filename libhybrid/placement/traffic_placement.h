// Placements of a job's ranks on the ports that they use, of which one may suit the job better than the given
// one. They are candidates: an emulation has to decide.
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
  std::string name;  // "consecutive ranks", "round robin", "by traffic"
  std::vector<Port> port_of_rank;
};

/// Placements with as many ranks on each port as `given` has, without `given` itself and without equal ones;
/// none if all are equal. `tree_down`: ports of a switch of the lowest level, and switches below a switch of
/// each other level; 0: one switch. `bytes`: between each pair of ranks. Placement by traffic is a greedy
/// clustering, level by level: each group starts with the most traffic that is left and grows by the rank (or
/// group) with the most traffic to it, of equals the first. O(ranks^2 + pairs) for each level.
std::vector<RankPlacement> placements_to_try(const std::vector<Port>& given, std::uint32_t tree_down,
                                             const std::map<Connection, Bytes>& bytes);

}  // namespace hybrid
