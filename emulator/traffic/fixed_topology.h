// Fixed topology: circuits that stay for a whole job. HFAST's idea is "to configure the circuit switch as a
// simple topology, such as a 3D torus" (D 2.2.2). emulator/traffic/topology_map.h assigns the nodes to
// positions according to the traffic. The wormhole slot carries all other connections. A topology registers
// itself under a name; see fixed_topologies.cpp.
//
// Positions are 0 ... N - 1, one per node. The neighbour relation is symmetric: if b is a neighbour of a,
// then a is a neighbour of b, and both (a, b) and (b, a) are connections. The topology therefore needs
// exactly as many configurations as the largest number of neighbours of a position (Konig).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/connection.h"
#include "core/registry.h"

namespace hybrid {

class FixedTopology {
 public:
  static constexpr std::string_view kKind = "topology-map";

  explicit FixedTopology(std::uint32_t nodes) : nodes_(nodes) {}
  virtual ~FixedTopology() = default;

  std::uint32_t nodes() const { return nodes_; }
  /// The neighbours of `position`, each once, without `position`.
  virtual std::vector<Port> neighbors(Port position) const = 0;
  /// Number of configurations that hold the whole topology.
  std::uint32_t slots_needed() const {
    std::size_t most = 0;
    for (Port p = 0; p < nodes_; ++p) most = std::max(most, neighbors(p).size());
    return static_cast<std::uint32_t>(most);
  }

 private:
  std::uint32_t nodes_;
};

/// Factories take the number of nodes, at least 2, and throw UserError for a number that the topology does
/// not support.
using FixedTopologyRegistration = Registration<FixedTopology, std::uint32_t>;

}  // namespace hybrid
