// Hotspot: every node sends a share of its messages (a quarter, unless given) to node 0, the rest to random
// nodes. Node 0 sends all its own to random nodes.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

constexpr Port kHot = 0;
constexpr std::uint64_t kWhole = std::uint64_t{1} << 32;

const PatternRegistration kHotspot{
    "hotspot", "a share of the messages (--hotspot) to node 0, the others to random nodes",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      const auto share = static_cast<std::uint64_t>(shape.hotspot * static_cast<double>(kWhole));
      const auto draw = [nodes = shape.nodes, share](SmallRandom& random, Port source) {
        const bool hot = random.below(kWhole) < share;
        return hot && source != kHot ? kHot : other_node(random, nodes, source);
      };
      return std::make_unique<RandomPattern<decltype(draw)>>(shape, draw);
    }};

}  // namespace
}  // namespace hybrid
