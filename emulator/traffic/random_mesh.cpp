// Random mesh (D 5.5.2.1): "nearest neighbor communications in a 2D mesh but without any predictability": the
// neighbours are known, their order is not.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

const PatternRegistration kRandomMesh{"random-mesh", "D 5.5.2.1: random neighbours of a 2D mesh",
                                      [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                        return std::make_unique<Rounds<AnyDirection>>(shape);
                                      }};

}  // namespace
}  // namespace hybrid
