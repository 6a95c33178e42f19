// Meshes and tori of two and three dimensions, as nearly square and cubic as the number of nodes allows.
#include "emulator/traffic/fixed_topology.h"
#include "emulator/traffic/grid.h"

namespace hybrid {
namespace {

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
