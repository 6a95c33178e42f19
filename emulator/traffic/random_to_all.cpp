// Random-to-all (D 1.1.3, 8.5): every node to every other in random order, a new order each round. That all
// destinations come is all there is to know: N - 1 configurations, in use throughout (D 8.5).
#include <memory>
#include <utility>

#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class RandomToAll final : public Pattern {
 public:
  explicit RandomToAll(const PatternShape& shape)
      : nodes_(shape.nodes), messages_(shape.messages != 0 ? shape.messages : shape.nodes - 1) {
    for (Port node = 0; node < nodes_; ++node) streams_.push_back({node_random(shape.seed, node), {}, 0});
  }
  std::uint64_t messages(Port /*source*/) const override { return messages_; }
  Send next(Port source) override {
    Stream& s = streams_[source];
    if (s.next == s.order.size()) start_round(s, source);
    return {s.order[s.next++], kNoStep};
  }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step >= nodes_ - 1) return {};
    return Known{rotation(nodes_, static_cast<std::uint32_t>(step) + 1), 0};
  }

 private:
  struct Stream {
    SmallRandom random;
    std::vector<Port> order;
    std::size_t next;
  };
  void start_round(Stream& s, Port source) const {
    s.order.clear();
    for (Port node = 0; node < nodes_; ++node)
      if (node != source) s.order.push_back(node);
    for (std::size_t i = s.order.size() - 1; i > 0; --i)
      std::swap(s.order[i], s.order[s.random.below(i + 1)]);
    s.next = 0;
  }

  std::uint32_t nodes_;
  std::uint64_t messages_;
  std::vector<Stream> streams_;
};

const PatternRegistration kRandomToAll{"random-to-all", "D 8.5: every node to every other, in random order",
                                       [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
                                         return std::make_unique<RandomToAll>(shape);
                                       }};

}  // namespace
}  // namespace hybrid
