// Bit complement: node i to node N - 1 - i, which for a power of two inverts every bit of i. The middle one
// of an odd number of nodes does not send.
#include <memory>

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

}  // namespace
}  // namespace hybrid
