// Building blocks of patterns: random destinations, fixed destinations, rounds on a grid.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/traffic/grid.h"
#include "emulator/traffic/pattern.h"

namespace hybrid {

/// Pattern in which each node draws its destinations at random. `Draw` is Port(SmallRandom&, Port source).
template <class Draw>
class RandomPattern : public Pattern {
 public:
  RandomPattern(const PatternShape& shape, Draw draw)
      : messages_(shape.messages != 0 ? shape.messages : kDefaultMessages), draw_(std::move(draw)) {
    random_.reserve(shape.nodes);
    for (Port node = 0; node < shape.nodes; ++node) random_.push_back(node_random(shape.seed, node));
  }
  std::uint64_t messages(Port /*source*/) const override { return messages_; }
  Send next(Port source) override { return {draw_(random_[source], source), kNoStep}; }

 private:
  std::uint64_t messages_;
  Draw draw_;
  std::vector<SmallRandom> random_;
};

/// Pattern in which every node has one destination (kNoPort: it does not send): one configuration, in use
/// throughout.
class FixedPattern : public Pattern {
 public:
  FixedPattern(const PatternShape& shape, std::vector<Port> destination)
      : messages_(shape.messages != 0 ? shape.messages : kDefaultMessages),
        destination_(std::move(destination)) {}
  std::uint64_t messages(Port source) const override {
    return destination_[source] == kNoPort ? 0 : messages_;
  }
  Send next(Port source) override { return {destination_[source], kNoStep}; }
  std::optional<Known> known(std::uint64_t step) const override {
    if (step > 0) return {};
    Known known{Configuration(destination_.size()), 0};
    for (Port source = 0; source < destination_.size(); ++source)
      if (destination_[source] != kNoPort) known.configuration.add({source, destination_[source]});
    return known;
  }

 private:
  std::uint64_t messages_;
  std::vector<Port> destination_;
};

/// Directions of a grid that have neighbours. Each is a configuration, in use throughout (D 4.2.2: four slots
/// hold a 2D mesh).
class Directions {
 public:
  explicit Directions(const Grid& grid) : grid_(grid) {
    for (std::uint32_t d = 0; d < Grid::kDirections; ++d)
      if (!grid_.configuration(d).empty()) directions_.push_back(d);
  }
  std::uint64_t count() const { return directions_.size(); }
  /// The neighbour of `node` in direction `which`; kNoPort if `node` is at the edge.
  Port neighbor(Port node, std::uint64_t which) const { return grid_.neighbor(node, directions_[which]); }
  std::optional<Pattern::Known> known(std::uint64_t step) const {
    if (step >= directions_.size()) return {};
    return Pattern::Known{grid_.configuration(directions_[step]), 0};
  }

 private:
  Grid grid_;
  std::vector<std::uint32_t> directions_;
};

/// The grid of the dissertation's mesh patterns.
inline Grid mesh_of(const PatternShape& shape) {
  return {shape.nodes, shape.torus ? Grid::Edge::torus : Grid::Edge::mesh};
}

/// Pattern of rounds on a grid. In every round each node chooses a direction and sends to its neighbour
/// there; a node at the edge without a neighbour there sends nothing in that round. All nodes therefore use a
/// direction equally often, and a node in a corner sends fewer messages. The shape's `messages` is the number
/// of rounds.
///
/// `Node` is the state of one node, with a member Send draw(const Directions&, Port source) that makes the
/// choice for one round; the destination kNoPort sends nothing.
template <class Node>
class Rounds : public Pattern {
 public:
  Rounds(const PatternShape& shape, const Grid& grid, std::uint64_t rounds) : directions_(grid) {
    nodes_.reserve(shape.nodes);
    for (Port source = 0; source < shape.nodes; ++source) {
      nodes_.emplace_back(shape, source);
      Node rehearsal = nodes_.back();
      std::uint64_t& messages = messages_.emplace_back(0);
      for (std::uint64_t round = 0; round < rounds; ++round)
        messages += rehearsal.draw(directions_, source).destination != kNoPort ? 1 : 0;
    }
  }
  /// On the mesh of the shape.
  explicit Rounds(const PatternShape& shape) : Rounds(shape, mesh_of(shape)) {}
  Rounds(const PatternShape& shape, const Grid& grid)
      : Rounds(shape, grid, shape.messages != 0 ? shape.messages : kDefaultMessages) {}

  std::uint64_t messages(Port source) const override { return messages_[source]; }
  Send next(Port source) override {
    Send send;
    while (send.destination == kNoPort) send = nodes_[source].draw(directions_, source);
    return send;
  }
  std::optional<Known> known(std::uint64_t step) const override { return directions_.known(step); }

 private:
  Directions directions_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> messages_;
};

/// Returns the share of rounds that the mesh needs so that its messages are `shape.ratio` of all messages.
/// Some rounds of the mesh send nothing; every other round sends one message.
inline double mesh_share_of_rounds(const PatternShape& shape) {
  const double sent = mesh_of(shape).neighbor_share();
  return shape.ratio / (sent + (1 - sent) * shape.ratio);
}

/// State of a node that uses the directions one after the other.
class DirectionsInOrder {
 public:
  DirectionsInOrder(const PatternShape& /*shape*/, Port /*source*/) {}
  Pattern::Send draw(const Directions& directions, Port source) {
    return {directions.neighbor(source, round_++ % directions.count()), Pattern::kNoStep};
  }

 private:
  std::uint64_t round_ = 0;
};

/// State of a node that chooses a random direction in each round: each independently of the others, or all
/// directions in a random order before the next such order.
class RandomDirections {
 public:
  RandomDirections(const PatternShape& shape, Port source)
      : random_(node_random(shape.seed, source)), permuted_(shape.permuted_rounds) {}
  Pattern::Send draw(const Directions& directions, Port source) {
    if (!permuted_) return {directions.neighbor(source, random_.below(directions.count())), Pattern::kNoStep};
    if (left_ == 0)
      for (left_ = 0; left_ < directions.count(); ++left_) order_[left_] = static_cast<std::uint8_t>(left_);
    std::swap(order_[random_.below(left_)], order_[left_ - 1]);
    return {directions.neighbor(source, order_[--left_]), Pattern::kNoStep};
  }

 private:
  SmallRandom random_;
  bool permuted_;
  std::uint8_t left_ = 0;  // of the order that is drawn now
  std::array<std::uint8_t, Grid::kDirections> order_{};
};

/// The connections from every node n to node (n + r) mod N: the r-th of the N - 1 configurations of an
/// all-to-all.
inline Configuration rotation(std::uint32_t nodes, std::uint32_t r) {
  Configuration configuration(nodes);
  for (Port node = 0; node < nodes; ++node) configuration.add({node, (node + r) % nodes});
  return configuration;
}

}  // namespace hybrid
