// Patterns on a grid of nodes: in every round each node sends to one of its neighbours.
//
// - ordered-mesh (D 5.5.2.1): "an ordered nearest neighbor communication pattern" on a 2D mesh. Four slots
// hold
//   it (D 4.2.2).
// - random-mesh (D 5.5.2.1): "nearest neighbor communications in a 2D mesh but without any predictability".
// The
//   neighbours are known, their order is not.
// - neighbor, neighbor-3d: the neighbours on a 2D or 3D torus, in fixed order, as in the halo exchange of a
//   periodic domain. A number of nodes without three factors gives a grid of fewer dimensions.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

const PatternRegistration kOrderedMesh{"ordered-mesh",
                                       "D 5.5.2.1: the neighbours on a 2D mesh, in order",
                                       [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                         return std::make_unique<Rounds<DirectionsInOrder>>(shape);
                                       },
                                       {.options = {"mesh-edge"}}};

const PatternRegistration kRandomMesh{"random-mesh",
                                      "D 5.5.2.1: random neighbours on a 2D mesh",
                                      [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                        return std::make_unique<Rounds<RandomDirections>>(shape);
                                      },
                                      {.options = {"mesh-edge", "mesh-draw"}}};

const PatternRegistration kNeighbor{"neighbor", "the four neighbours on a 2D torus, in order",
                                    [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                      return std::make_unique<Rounds<DirectionsInOrder>>(
                                          shape, Grid(shape.nodes, Grid::Edge::torus));
                                    }};

const PatternRegistration kNeighbor3d{"neighbor-3d", "the six neighbours on a 3D torus, in order",
                                      [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                        return std::make_unique<Rounds<DirectionsInOrder>>(
                                            shape, Grid::layered(shape.nodes, Grid::Edge::torus));
                                      }};

}  // namespace
}  // namespace hybrid
