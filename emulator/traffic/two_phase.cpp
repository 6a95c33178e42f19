// Two phase (D 5.5.2.1): "one 128-processor all-to-all communication followed by 16 random nearest neighbor
// communications". The permutations of the all-to-all have their turns; then come the mesh's directions, in
// use to the end. Where the number of messages is given, the second phase has what the first leaves.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class TwoPhase final : public Pattern {
 public:
  static constexpr std::uint64_t kLocalMessages = 16;

  explicit TwoPhase(const PatternShape& shape)
      : nodes_(shape.nodes),
        messages_(shape.messages != 0 ? shape.messages : shape.nodes - 1 + kLocalMessages),
        grid_(shape.nodes, Grid::Edge::mesh),
        next_(shape.nodes, 0) {
    for (Port node = 0; node < nodes_; ++node) {
      neighbors_.push_back(grid_.neighbors(node));
      random_.push_back(node_random(shape.seed, node));
    }
  }
  std::uint64_t messages(Port /*source*/) const override { return messages_; }
  Send next(Port source) override {
    const std::uint64_t step = next_[source]++;
    if (step < nodes_ - 1) return {static_cast<Port>((source + step + 1) % nodes_), step};
    const std::vector<Port>& all = neighbors_[source];
    return {all[random_[source].below(all.size())], kNoStep};
  }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step >= messages_) return {};
    if (step < nodes_ - 1) return Known{rotation(nodes_, static_cast<std::uint32_t>(step) + 1), nodes_};
    return RoundOfNeighbors::known_direction(grid_, step - (nodes_ - 1));
  }

 private:
  std::uint32_t nodes_;
  std::uint64_t messages_;
  Grid grid_;
  std::vector<std::uint64_t> next_;
  std::vector<std::vector<Port>> neighbors_;
  std::vector<Random> random_;
};

const PatternRegistration kTwoPhase{
    "two-phase", "D 5.5.2.1: an all-to-all, then 16 random neighbours of a 2D mesh",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> { return std::make_unique<TwoPhase>(shape); }};

}  // namespace
}  // namespace hybrid
