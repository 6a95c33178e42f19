// Neighbor: nearest neighbours on a 2D torus, in fixed order: the halo exchange of a periodic domain.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

const PatternRegistration kNeighbor{"neighbor", "round the four neighbours of a 2D torus",
                                    [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                      return std::make_unique<Rounds<InOrder>>(shape, Grid::Edge::torus);
                                    }};

}  // namespace
}  // namespace hybrid
