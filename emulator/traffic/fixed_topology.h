// Fixed topologies that circuits can be set to, once, for a whole job: HFAST's idea is "to configure the
// circuit switch as a simple topology, such as a 3D torus" (D 2.2.2). Which node takes which position is
// chosen from the traffic (emulator/traffic/topology_map.h); what no connection of the topology carries, the
// wormhole slot does. One file a topology, picked by name.
//
// Positions are 0 ... N - 1, as many as nodes. Neighbours are mutual: if b is one of a, then a is one of b,
// and both (a, b) and (b, a) are connections. So the topology fits into as many configurations as a position
// has neighbours at most (Konig), and no fewer hold it.
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
  /// Of one position, each once, without itself.
  virtual std::vector<Port> neighbors(Port position) const = 0;
  /// Configurations that hold all of it.
  std::uint32_t slots_needed() const {
    std::size_t most = 0;
    for (Port p = 0; p < nodes_; ++p) most = std::max(most, neighbors(p).size());
    return static_cast<std::uint32_t>(most);
  }

 private:
  std::uint32_t nodes_;
};

/// Factories take the number of nodes, at least 2, and throw UserError for one that the topology cannot have.
using FixedTopologyRegistration = Registration<FixedTopology, std::uint32_t>;

}  // namespace hybrid
