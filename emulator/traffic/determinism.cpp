// Determinism (D 5.5.2.3): "a percentage of the communications are to specific processors and the remaining
// are randomly sent to any processor". Each node has two such processors (the next one and the one half way
// round), alike; all nodes together: two configurations, so that one or two of them can be preloaded.
#include <memory>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class Determinism final : public Pattern {
 public:
  explicit Determinism(const PatternShape& shape)
      : nodes_(shape.nodes),
        messages_(shape.messages != 0 ? shape.messages : kOwnMessages),
        ratio_(shape.ratio),
        specific_(nodes_ < 4 ? 1 : 2) {
    for (Port node = 0; node < nodes_; ++node) random_.push_back(node_random(shape.seed, node));
  }
  std::uint64_t messages(Port /*source*/) const override { return messages_; }
  Send next(Port source) override {
    SmallRandom& random = random_[source];
    if (random.fraction() >= ratio_) return {other_node(random, nodes_, source), kNoStep};
    return {(source + distance(random.below(specific_))) % nodes_, kNoStep};
  }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step >= specific_) return {};
    return Known{rotation(nodes_, distance(step)), 0};
  }

 private:
  std::uint32_t distance(std::uint64_t which) const { return which == 0 ? 1 : nodes_ / 2; }

  std::uint32_t nodes_;
  std::uint64_t messages_;
  double ratio_;
  std::uint64_t specific_;  // of fewer than 4 nodes both would be the same
  std::vector<SmallRandom> random_;
};

const PatternRegistration kDeterminism{
    "determinism", "D 5.5.2.3: to two specific nodes, --ratio of the messages, others to any node",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      return std::make_unique<Determinism>(shape);
    }};

}  // namespace
}  // namespace hybrid
