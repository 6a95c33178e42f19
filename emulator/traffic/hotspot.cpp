// Hotspot: every node sends one message in four to node 0, the rest to random nodes.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

constexpr Port kHot = 0;

const PatternRegistration kHotspot{"hotspot", "one message in four to node 0, the others to random nodes",
                                   [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                     const auto draw = [nodes = shape.nodes](Random& random, Port source) {
                                       const bool hot = random.below(4) == 0;
                                       return hot && source != kHot ? kHot
                                                                    : other_node(random, nodes, source);
                                     };
                                     return std::make_unique<RandomPattern<decltype(draw)>>(shape, draw);
                                   }};

}  // namespace
}  // namespace hybrid
