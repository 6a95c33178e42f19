// Mixed traffic (D 4.6.1): random traffic mixed with ordered-mesh traffic; the predictable traffic ratio is
// the share of the mesh's messages. What is known are the mesh's directions.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class Mixed final : public RoundOfNeighbors {
 public:
  explicit Mixed(const PatternShape& shape)
      : RoundOfNeighbors(shape, Grid::Edge::mesh), nodes_(shape.nodes), ratio_(shape.ratio) {
    for (Port node = 0; node < nodes_; ++node) random_.push_back(node_random(shape.seed, node));
  }
  Send next(Port source) override {
    Random& random = random_[source];
    if (random.fraction() < ratio_) return RoundOfNeighbors::next(source);
    return {other_node(random, nodes_, source), kNoStep};
  }

 private:
  std::uint32_t nodes_;
  double ratio_;
  std::vector<Random> random_;
};

const PatternRegistration kMixed{
    "mixed", "D 4.6.1: ordered-mesh messages among random ones, --ratio of them",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> { return std::make_unique<Mixed>(shape); }};

}  // namespace
}  // namespace hybrid
