// Mixed traffic (D 4.6.1): random traffic mixed with ordered-mesh traffic; the predictable traffic ratio is
// the mesh's share of the data. What is known are the mesh's directions.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class MixedNode {
 public:
  MixedNode(const PatternShape& shape, Port source)
      : nodes_(shape.nodes),
        mesh_share_(mesh_share_of_rounds(shape)),
        random_(node_random(shape.seed, source)),
        mesh_(shape, source) {}
  Pattern::Send draw(const Directions& directions, Port source) {
    if (random_.fraction() < mesh_share_) return mesh_.draw(directions, source);
    return {other_node(random_, nodes_, source), Pattern::kNoStep};
  }

 private:
  std::uint32_t nodes_;
  double mesh_share_;  // of the rounds
  SmallRandom random_;
  InOrder mesh_;
};

const PatternRegistration kMixed{"mixed", "D 4.6.1: ordered-mesh messages among random ones, --ratio of them",
                                 [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                   return std::make_unique<Rounds<MixedNode>>(shape);
                                 }};

}  // namespace
}  // namespace hybrid
