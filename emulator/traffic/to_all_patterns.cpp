// Patterns that reach every other node:
//
// - scatter (D 5.5.2.1): "a unique message from a single processor to all". Node 0 sends to every other node
// in
//   turn, round after round. Each destination has its turn.
// - all-to-all (D 8.5): every node sends to every other in the steps of an exchange
// (emulator/traffic/exchange.h),
//   round after round. Each step is a permutation and has its turn. The linear exchange is D 8.5's rotated
//   order.
// - random-to-all (D 1.1.3, 8.5): every node sends to every other in random order, a new order each round.
// Known
//   are all destinations but not their order: N - 1 configurations, in use throughout (D 8.5).
// - two-phase (D 5.5.2.1): "one 128-processor all-to-all communication followed by 16 random nearest neighbor
//   communications". The permutations of the all-to-all have their turns; the directions of the mesh follow
//   and stay in use. If the number of messages is given, the second phase has the rounds that remain after
//   the first.
#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "emulator/traffic/exchange.h"
#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

class Scatter final : public Pattern {
 public:
  explicit Scatter(const PatternShape& shape)
      : nodes_(shape.nodes), messages_(shape.messages != 0 ? shape.messages : shape.nodes - 1) {}
  std::uint64_t messages(Port source) const override { return source == kRoot ? messages_ : 0; }
  Send next(Port /*source*/) override {
    const std::uint64_t step = next_++;
    return {destination(step), step};
  }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step >= messages_) return {};
    Known known{Configuration(nodes_), 1};
    known.configuration.add({kRoot, destination(step)});
    return known;
  }

 private:
  static constexpr Port kRoot = 0;
  Port destination(std::uint64_t step) const { return static_cast<Port>(1 + step % (nodes_ - 1)); }
  std::uint32_t nodes_;
  std::uint64_t messages_;
  std::uint64_t next_ = 0;
};

const PatternRegistration kScatter{
    "scatter", "D 5.5.2.1: node 0 to every other node in turn",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> { return std::make_unique<Scatter>(shape); }};

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

  bool waits() const override { return exchange_->forwards(); }
  /// Whether `source` has received the messages of all earlier steps.
  bool ready(Port source) const override {
    return !exchange_->forwards() || nodes_[source].received >= nodes_[source].next;
  }
  /// A node receives one message per step. The message of a later step may arrive first, from a node that is
  /// ahead.
  bool received(Port destination, std::uint64_t step) override {
    Node& node = nodes_[destination];
    node.early.insert(step);
    while (node.early.erase(node.received) != 0) ++node.received;
    return false;
  }

 private:
  struct Node {
    std::uint64_t next = 0;         // step to send next
    std::uint64_t received = 0;     // steps 0 ... received - 1 are complete
    std::set<std::uint64_t> early;  // received steps after the first missing one
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

class TwoPhase final : public Pattern {
 public:
  static constexpr std::uint64_t kLocalRounds = 16;

  explicit TwoPhase(const PatternShape& shape)
      : nodes_(shape.nodes),
        rounds_(shape.messages != 0 ? shape.messages : shape.nodes - 1 + kLocalRounds),
        all_to_all_(std::min<std::uint64_t>(rounds_, nodes_ - 1)),
        neighbors_(shape, mesh_of(shape), rounds_ - all_to_all_),
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
  Rounds<RandomDirections> neighbors_;
  std::vector<std::uint64_t> next_;
};

const PatternRegistration kTwoPhase{
    "two-phase",
    "D 5.5.2.1: an all-to-all, then 16 rounds of random neighbours on a 2D mesh",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> { return std::make_unique<TwoPhase>(shape); },
    {.options = {"mesh-edge", "mesh-draw", "phase-barrier"}}};

}  // namespace
}  // namespace hybrid
