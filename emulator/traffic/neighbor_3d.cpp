// Neighbor 3D: nearest neighbours on a 3D torus, in fixed order. A number of nodes that makes no three
// dimensions gets the grid with fewer.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

const PatternRegistration kNeighbor3d{"neighbor-3d", "round the six neighbours of a 3D torus",
                                      [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                        return std::make_unique<Rounds<InOrder>>(
                                            shape, Grid::layered(shape.nodes, Grid::Edge::torus));
                                      }};

}  // namespace
}  // namespace hybrid
