// Random mesh (D 5.5.2.1): "nearest neighbor communications in a 2D mesh but without any predictability": the
// neighbours are known, their order is not.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class RandomMesh final : public Pattern {
 public:
  explicit RandomMesh(const PatternShape& shape)
      : grid_(shape.nodes, Grid::Edge::mesh), messages_(shape.messages != 0 ? shape.messages : kOwnMessages) {
    for (Port node = 0; node < shape.nodes; ++node) {
      neighbors_.push_back(grid_.neighbors(node));
      random_.push_back(node_random(shape.seed, node));
    }
  }
  std::uint64_t messages(Port /*source*/) const override { return messages_; }
  Send next(Port source) override {
    const std::vector<Port>& all = neighbors_[source];
    return {all[random_[source].below(all.size())], kNoStep};
  }
  std::optional<Known> known(std::uint64_t step) const override {
    return RoundOfNeighbors::known_direction(grid_, step);
  }

 private:
  Grid grid_;
  std::uint64_t messages_;
  std::vector<std::vector<Port>> neighbors_;
  std::vector<Random> random_;
};

const PatternRegistration kRandomMesh{"random-mesh", "D 5.5.2.1: random neighbours of a 2D mesh",
                                      [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                        return std::make_unique<RandomMesh>(shape);
                                      }};

}  // namespace
}  // namespace hybrid
