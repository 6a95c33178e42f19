// Patterns that draw each destination at random:
//
// - uniform: every message goes to any other node with equal probability. No connection is known beforehand.
// - hotspot: every node sends a share of its messages (--hotspot) to node 0 and the rest to random nodes.
//   Node 0 sends all its messages to random nodes.
// - determinism (D 5.5.2.3): "a percentage of the communications are to specific processors and the
//   remaining are randomly sent to any processor". Each node has two specific destinations with equal or
//   other shares, the next node and the node half of the nodes further on. These connections form two
//   configurations, so that one or two of them can be preloaded. With `specific_turns` there are more of
//   them, which have turns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/error.h"
#include "emulator/traffic/stream.h"

namespace hybrid {
namespace {

const PatternRegistration kUniform{
    "uniform", "each message to a random node", [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      const auto draw = [nodes = shape.nodes](SmallRandom& random, Port source) {
        return other_node(random, nodes, source);
      };
      return std::make_unique<RandomPattern<decltype(draw)>>(shape, draw);
    }};

constexpr Port kHot = 0;
constexpr std::uint64_t kWhole = std::uint64_t{1} << 32;

const PatternRegistration kHotspot{
    "hotspot",
    "a share of the messages (--hotspot) to node 0, the rest to random nodes",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      const auto share = static_cast<std::uint64_t>(shape.hotspot * static_cast<double>(kWhole));
      const auto draw = [nodes = shape.nodes, share](SmallRandom& random, Port source) {
        const bool hot = random.below(kWhole) < share;
        return hot && source != kHot ? kHot : other_node(random, nodes, source);
      };
      return std::make_unique<RandomPattern<decltype(draw)>>(shape, draw);
    },
    {.options = {"hotspot"}}};

class Determinism final : public Pattern {
 public:
  explicit Determinism(const PatternShape& shape)
      : nodes_(shape.nodes),
        messages_(shape.messages != 0 ? shape.messages : kDefaultMessages),
        ratio_(shape.ratio),
        first_share_(shape.first_share),
        specific_(nodes_ < 4 ? 1 : 2) {
    for (Port node = 0; node < nodes_; ++node) random_.push_back(node_random(shape.seed, node));
  }
  std::uint64_t messages(Port /*source*/) const override { return messages_; }
  Send next(Port source) override {
    SmallRandom& random = random_[source];
    if (random.fraction() >= ratio_) return {other_node(random, nodes_, source), kNoStep};
    const std::uint64_t which = first_share_ == 0.5 || specific_ == 1 ? random.below(specific_)
                                : random.fraction() < first_share_    ? 0
                                                                      : 1;
    return {(source + distance(which)) % nodes_, kNoStep};
  }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step >= specific_) return {};
    return Known{rotation(nodes_, distance(step)), 0};
  }

 private:
  std::uint32_t distance(std::uint64_t which) const { return which == 0 ? 1 : nodes_ / 2; }

  std::uint32_t nodes_;
  std::uint64_t messages_;
  double ratio_, first_share_;
  std::uint64_t specific_;  // destinations; with fewer than 4 nodes both would be the same
  std::vector<SmallRandom> random_;
};

// The specific messages of a node are a part `ratio` of its messages, exactly, at random places.
class DeterminismInTurns final : public Pattern {
 public:
  explicit DeterminismInTurns(const PatternShape& shape)
      : nodes_(shape.nodes),
        turns_(shape.specific_turns),
        messages_(shape.messages != 0 ? shape.messages : kDefaultMessages),
        specific_(static_cast<std::uint64_t>(std::llround(shape.ratio * static_cast<double>(messages_)))) {
    if (turns_.destinations >= nodes_)
      throw UserError(
          fmt::format("specific-turns: {} destinations of each of {} nodes", turns_.destinations, nodes_),
          fmt::format("Give at most {} destinations.", nodes_ - 1));
    for (Port node = 0; node < nodes_; ++node) states_.push_back({node_random(shape.seed, node)});
  }
  std::uint64_t messages(Port /*source*/) const override { return messages_; }
  Send next(Port source) override {
    State& state = states_[source];
    const std::uint64_t left = messages_ - state.sent++;
    if (state.random.below(left) >= specific_ - state.specific)
      return {other_node(state.random, nodes_, source), kNoStep};
    const std::uint64_t step = state.specific++ / turns_.messages;
    return {(source + distance(step)) % nodes_, step};
  }
  std::optional<Known> known(std::uint64_t step) const override {
    if (specific_ == 0 || step > (specific_ - 1) / turns_.messages) return {};
    const std::uint64_t in_turn = std::min(turns_.messages, specific_ - step * turns_.messages);
    return Known{rotation(nodes_, distance(step)), in_turn * nodes_};
  }

 private:
  struct State {
    SmallRandom random;
    std::uint64_t sent = 0, specific = 0;
  };
  std::uint32_t distance(std::uint64_t step) const {
    return 1 + static_cast<std::uint32_t>(step % turns_.destinations) * ((nodes_ - 1) / turns_.destinations);
  }

  std::uint32_t nodes_;
  SpecificTurns turns_;
  std::uint64_t messages_, specific_;  // of a node
  std::vector<State> states_;
};

const PatternRegistration kDeterminism{
    "determinism",
    "D 5.5.2.3: --ratio of the messages to specific nodes, the rest to random nodes",
    [](const PatternShape& shape) -> std::unique_ptr<Pattern> {
      if (shape.specific_turns.destinations != 0) return std::make_unique<DeterminismInTurns>(shape);
      return std::make_unique<Determinism>(shape);
    },
    {.options = {"ratio", "specific-shares", "specific-turns"}}};

}  // namespace
}  // namespace hybrid
