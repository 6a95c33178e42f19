// Permutation: one random permutation without fixed points, kept throughout.
#include <memory>
#include <numeric>
#include <utility>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

/// A random cyclic permutation (Sattolo): no node is its own destination.
std::vector<Port> random_cycle(std::uint32_t nodes, Random& random) {
  std::vector<Port> destination(nodes);
  std::iota(destination.begin(), destination.end(), Port{0});
  for (std::uint32_t i = nodes - 1; i > 0; --i) std::swap(destination[i], destination[random.below(i)]);
  return destination;
}

const PatternRegistration kPermutation{"permutation", "one random permutation, kept throughout",
                                       [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                         Random random(shape.seed);
                                         return std::make_unique<FixedPattern>(
                                             shape, random_cycle(shape.nodes, random));
                                       }};

}  // namespace
}  // namespace hybrid
