#include <string>

#include "core/error.h"
#include "emulator/traffic/fixed_topology.h"

namespace hybrid {
namespace {

class HypercubeTopology final : public FixedTopology {
 public:
  explicit HypercubeTopology(std::uint32_t nodes) : FixedTopology(nodes) {
    if ((nodes & (nodes - 1)) != 0)
      throw UserError(
          "preload-topology: a hypercube has a power of two of nodes, not " + std::to_string(nodes),
          "Give another topology, such as torus3d, or another number of nodes.");
  }
  std::vector<Port> neighbors(Port position) const override {
    std::vector<Port> all;
    for (std::uint32_t bit = 1; bit < nodes(); bit *= 2) all.push_back(position ^ bit);
    return all;
  }
};

const FixedTopologyRegistration kHypercube{"hypercube", "nodes whose numbers differ in one bit: log2 N slots",
                                           [](std::uint32_t nodes) -> std::unique_ptr<FixedTopology> {
                                             return std::make_unique<HypercubeTopology>(nodes);
                                           }};

}  // namespace
}  // namespace hybrid
