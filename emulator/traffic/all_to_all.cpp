// All-to-all (D 8.5): every node to every other, in the steps of an exchange, each of which is a permutation
// and has its turn; round after round. The linear one is D 8.5's rotated order.
#include <memory>
#include <set>
#include <vector>

#include "emulator/traffic/exchange.h"
#include "emulator/traffic/pattern.h"

namespace hybrid {
namespace {

class AllToAll final : public Pattern {
 public:
  explicit AllToAll(const PatternShape& shape)
      : exchange_(
            ExchangeRegistration::make(shape.exchange.empty() ? "linear" : shape.exchange, shape.nodes)),
        messages_(shape.messages != 0 ? shape.messages : exchange_->steps()),
        nodes_(shape.nodes) {}
  std::uint64_t messages(Port /*source*/) const override { return messages_; }
  Send next(Port source) override {
    const std::uint64_t step = nodes_[source].next++;
    return {exchange_->partner(source, in_round(step)), step, exchange_->blocks()};
  }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step >= messages_) return {};
    return Known{exchange_->configuration(in_round(step)), nodes_.size()};
  }

  bool forwards() const override { return exchange_->forwards(); }
  /// All that earlier steps bring is there.
  bool ready(Port source) const override {
    return !exchange_->forwards() || nodes_[source].received >= nodes_[source].next;
  }
  /// Of each step a node receives one message; a later step's may come first, from a node that is ahead.
  void received(Port destination, std::uint64_t step) override {
    Node& node = nodes_[destination];
    node.early.insert(step);
    while (node.early.erase(node.received) != 0) ++node.received;
  }

 private:
  struct Node {
    std::uint64_t next = 0;         // step to send
    std::uint64_t received = 0;     // steps, without a gap
    std::set<std::uint64_t> early;  // after a gap
  };
  std::uint32_t in_round(std::uint64_t step) const {
    return static_cast<std::uint32_t>(step % exchange_->steps());
  }

  std::unique_ptr<Exchange> exchange_;
  std::uint64_t messages_;
  std::vector<Node> nodes_;
};

const PatternRegistration kAllToAll{
    "all-to-all", "D 8.5: every node to every other, in the steps of --exchange",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> { return std::make_unique<AllToAll>(shape); }};

}  // namespace
}  // namespace hybrid
