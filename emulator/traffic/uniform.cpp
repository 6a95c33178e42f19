// Uniform: every message goes to any other node, all alike. Nothing is known beforehand.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

const PatternRegistration kUniform{
    "uniform", "each message to a random node", [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      const auto draw = [nodes = shape.nodes](SmallRandom& random, Port source) {
        return other_node(random, nodes, source);
      };
      return std::make_unique<RandomPattern<decltype(draw)>>(shape, draw);
    }};

}  // namespace
}  // namespace hybrid
