// Transpose: the nodes as a matrix, the most nearly square one; element (x, y) goes to its place in the
// transposed matrix. On a square grid that is (y, x). Nodes that stay in place do not send.
#include <memory>
#include <string>

#include "core/error.h"
#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

const PatternRegistration kTranspose{
    "transpose", "matrix transpose of the grid of nodes",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      const Grid grid(shape.nodes, Grid::Edge::mesh);
      if (grid.height() == 1)
        throw UserError("pattern transpose: " + std::to_string(shape.nodes) +
                            " nodes are a matrix of one row, whose transpose moves nothing",
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
