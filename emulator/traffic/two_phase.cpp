// Two phase (D 5.5.2.1): "one 128-processor all-to-all communication followed by 16 random nearest neighbor
// communications". The permutations of the all-to-all have their turns; then come the mesh's directions, in
// use to the end. Where the number of messages is given, the second phase has the rounds that the first
// leaves.
#include <algorithm>
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class TwoPhase final : public Pattern {
 public:
  static constexpr std::uint64_t kLocalRounds = 16;

  explicit TwoPhase(const PatternShape& shape)
      : nodes_(shape.nodes),
        rounds_(shape.messages != 0 ? shape.messages : shape.nodes - 1 + kLocalRounds),
        all_to_all_(std::min<std::uint64_t>(rounds_, nodes_ - 1)),
        neighbors_(shape, Grid(shape.nodes, Grid::Edge::mesh), rounds_ - all_to_all_),
        next_(shape.nodes, 0) {}
  std::uint64_t messages(Port source) const override { return all_to_all_ + neighbors_.messages(source); }
  Send next(Port source) override {
    const std::uint64_t step = next_[source]++;
    if (step < all_to_all_) return {static_cast<Port>((source + step + 1) % nodes_), step};
    Send send = neighbors_.next(source);
    send.phase = 1;
    return send;
  }
  std::vector<std::string> phases() const override { return {"all-to-all", "mesh"}; }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step < all_to_all_) return Known{rotation(nodes_, static_cast<std::uint32_t>(step) + 1), nodes_};
    if (rounds_ == all_to_all_) return {};
    return neighbors_.known(step - all_to_all_);
  }

 private:
  std::uint32_t nodes_;
  std::uint64_t rounds_, all_to_all_;
  Rounds<AnyDirection> neighbors_;
  std::vector<std::uint64_t> next_;
};

const PatternRegistration kTwoPhase{
    "two-phase", "D 5.5.2.1: an all-to-all, then 16 random neighbours of a 2D mesh",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> { return std::make_unique<TwoPhase>(shape); }};

}  // namespace
}  // namespace hybrid
