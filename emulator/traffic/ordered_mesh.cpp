// Ordered mesh (D 5.5.2.1): "an ordered nearest neighbor communication pattern" on a 2D mesh; four slots hold
// it (D 4.2.2).
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

const PatternRegistration kOrderedMesh{"ordered-mesh",
                                       "D 5.5.2.1: round the neighbours of a 2D mesh, in order",
                                       [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                         return std::make_unique<Rounds<InOrder>>(shape);
                                       }};

}  // namespace
}  // namespace hybrid
