// The fixed topologies: ring, tree, hypercube, meshes and tori (emulator/traffic/fixed_topology.h).
#include <string>

#include "core/error.h"
#include "emulator/traffic/fixed_topology.h"
#include "emulator/traffic/grid.h"

namespace hybrid {
namespace {

class RingTopology final : public FixedTopology {
 public:
  using FixedTopology::FixedTopology;
  std::vector<Port> neighbors(Port position) const override {
    const Port next = (position + 1) % nodes(), before = (position + nodes() - 1) % nodes();
    return next == before ? std::vector<Port>{next} : std::vector<Port>{next, before};
  }
};

const FixedTopologyRegistration kRing{"ring", "each node and the next, in both directions: 2 slots",
                                      [](std::uint32_t nodes) -> std::unique_ptr<FixedTopology> {
                                        return std::make_unique<RingTopology>(nodes);
                                      }};

/// Position 0 is the root; the children of position i are 2i + 1 and 2i + 2.
class TreeTopology final : public FixedTopology {
 public:
  using FixedTopology::FixedTopology;
  std::vector<Port> neighbors(Port position) const override {
    std::vector<Port> all;
    if (position > 0) all.push_back((position - 1) / 2);
    for (const Port child : {2 * position + 1, 2 * position + 2})
      if (child < nodes()) all.push_back(child);
    return all;
  }
};

const FixedTopologyRegistration kTreeTopology{"tree", "a balanced binary tree: 3 slots",
                                              [](std::uint32_t nodes) -> std::unique_ptr<FixedTopology> {
                                                return std::make_unique<TreeTopology>(nodes);
                                              }};

class HypercubeTopology final : public FixedTopology {
 public:
  explicit HypercubeTopology(std::uint32_t nodes) : FixedTopology(nodes) {
    if ((nodes & (nodes - 1)) != 0)
      throw UserError(
          "preload-topology: a hypercube needs a power of two of nodes, not " + std::to_string(nodes),
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

/// Meshes and tori of two and three dimensions, as nearly square and cubic as the number of nodes allows.
class GridTopology final : public FixedTopology {
 public:
  GridTopology(std::uint32_t nodes, const Grid& grid) : FixedTopology(nodes), grid_(grid) {}
  std::vector<Port> neighbors(Port position) const override { return grid_.neighbors(position); }

 private:
  Grid grid_;
};

const FixedTopologyRegistration kMesh2d{
    "mesh2d", "a 2D mesh: 4 slots", [](std::uint32_t nodes) -> std::unique_ptr<FixedTopology> {
      return std::make_unique<GridTopology>(nodes, Grid(nodes, Grid::Edge::mesh));
    }};
const FixedTopologyRegistration kMesh3d{
    "mesh3d", "a 3D mesh: 6 slots", [](std::uint32_t nodes) -> std::unique_ptr<FixedTopology> {
      return std::make_unique<GridTopology>(nodes, Grid::layered(nodes, Grid::Edge::mesh));
    }};
const FixedTopologyRegistration kTorus2d{
    "torus2d", "a 2D torus: 4 slots", [](std::uint32_t nodes) -> std::unique_ptr<FixedTopology> {
      return std::make_unique<GridTopology>(nodes, Grid(nodes, Grid::Edge::torus));
    }};
const FixedTopologyRegistration kTorus3d{"torus3d", "a 3D torus, HFAST's example (D 2.2.2): 6 slots",
                                         [](std::uint32_t nodes) -> std::unique_ptr<FixedTopology> {
                                           return std::make_unique<GridTopology>(
                                               nodes, Grid::layered(nodes, Grid::Edge::torus));
                                         }};

}  // namespace
}  // namespace hybrid
