// All-to-all (D 8.5): every node to every other, in rotated order, so that the r-th messages of all nodes
// form a permutation; round after round. Each of the N - 1 permutations has its turn.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class AllToAll final : public Pattern {
 public:
  explicit AllToAll(const PatternShape& shape)
      : nodes_(shape.nodes),
        messages_(shape.messages != 0 ? shape.messages : shape.nodes - 1),
        next_(shape.nodes, 0) {}
  std::uint64_t messages(Port /*source*/) const override { return messages_; }
  Send next(Port source) override {
    const std::uint64_t step = next_[source]++;
    return {(source + shift(step)) % nodes_, step};
  }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step >= messages_) return {};
    return Known{rotation(nodes_, shift(step)), nodes_};
  }

 private:
  std::uint32_t shift(std::uint64_t step) const {
    return static_cast<std::uint32_t>(1 + step % (nodes_ - 1));
  }
  std::uint32_t nodes_;
  std::uint64_t messages_;
  std::vector<std::uint64_t> next_;
};

const PatternRegistration kAllToAll{
    "all-to-all", "D 8.5: every node to every other, in rotated order",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> { return std::make_unique<AllToAll>(shape); }};

}  // namespace
}  // namespace hybrid
