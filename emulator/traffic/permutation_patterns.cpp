// Patterns in which every node keeps one destination:
//
// - bit-complement: node i sends to node N - 1 - i, which for a power of two inverts every bit of i. The
// middle
//   node of an odd number does not send.
// - permutation: one random permutation without fixed points.
// - transpose: the nodes form the most nearly square matrix; element (x, y) goes to its place in the
// transposed
//   matrix, which on a square grid is (y, x). Nodes that stay in place do not send.
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.h"
#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

const PatternRegistration kBitComplement{
    "bit-complement", "node i to node N-1-i", [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      std::vector<Port> destination(shape.nodes);
      for (Port node = 0; node < shape.nodes; ++node) {
        const Port to = shape.nodes - 1 - node;
        destination[node] = to == node ? kNoPort : to;
      }
      return std::make_unique<FixedPattern>(shape, std::move(destination));
    }};

/// A random cyclic permutation (Sattolo): no node is its own destination.
std::vector<Port> random_cycle(std::uint32_t nodes, Random& random) {
  std::vector<Port> destination(nodes);
  std::iota(destination.begin(), destination.end(), Port{0});
  for (std::uint32_t i = nodes - 1; i > 0; --i) std::swap(destination[i], destination[random.below(i)]);
  return destination;
}

const PatternRegistration kPermutation{"permutation", "one random permutation for the whole run",
                                       [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                         Random random(shape.seed);
                                         return std::make_unique<FixedPattern>(
                                             shape, random_cycle(shape.nodes, random));
                                       }};

const PatternRegistration kTranspose{
    "transpose", "matrix transpose of the grid of nodes",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      const Grid grid(shape.nodes, Grid::Edge::mesh);
      if (grid.height() == 1)
        throw UserError("pattern transpose: " + std::to_string(shape.nodes) +
                            " nodes form a matrix of one row, which a transpose does not change",
                        "Give a number of nodes that is not prime, such as 16.");
      std::vector<Port> destination(shape.nodes);
      for (Port node = 0; node < shape.nodes; ++node) {
        const Port to = node % grid.width() * grid.height() + node / grid.width();
        destination[node] = to == node ? kNoPort : to;
      }
      return std::make_unique<FixedPattern>(shape, std::move(destination));
    }};

}  // namespace
}  // namespace hybrid
