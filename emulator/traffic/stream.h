// What most patterns share: every node sends the same number of messages.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/traffic/grid.h"
#include "emulator/traffic/pattern.h"

namespace hybrid {

/// Destinations drawn at random by each node. `Draw` is Port(SmallRandom&, Port source).
template <class Draw>
class RandomPattern : public Pattern {
 public:
  RandomPattern(const PatternShape& shape, Draw draw)
      : messages_(shape.messages != 0 ? shape.messages : kOwnMessages), draw_(std::move(draw)) {
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

/// Every node keeps to one destination (kNoPort: it does not send): one configuration, in use throughout.
class FixedPattern : public Pattern {
 public:
  FixedPattern(const PatternShape& shape, std::vector<Port> destination)
      : messages_(shape.messages != 0 ? shape.messages : kOwnMessages),
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

/// The directions of a grid that lead anywhere: each is a configuration, in use throughout (D 4.2.2: four
/// slots hold a 2D mesh).
class Directions {
 public:
  explicit Directions(const Grid& grid) : grid_(grid) {
    for (std::uint32_t d = 0; d < Grid::kDirections; ++d)
      if (!grid_.configuration(d).empty()) directions_.push_back(d);
  }
  std::uint64_t count() const { return directions_.size(); }
  /// kNoPort where `node` lies at the edge.
  Port neighbor(Port node, std::uint64_t which) const { return grid_.neighbor(node, directions_[which]); }
  std::optional<Pattern::Known> known(std::uint64_t step) const {
    if (step >= directions_.size()) return {};
    return Pattern::Known{grid_.configuration(directions_[step]), 0};
  }

 private:
  Grid grid_;
  std::vector<std::uint32_t> directions_;
};

/// Rounds on a grid: in every round each node turns to one direction and sends to its neighbour there; a node
/// at the edge may have none and sends nothing in that round. (So a direction carries as much from every
/// node, and a node in a corner sends less.) `messages` of the shape are the rounds. `Node` is what a node
/// needs to decide, and decides: Send draw(const Directions&, Port source), whose destination may be kNoPort.
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
  explicit Rounds(const PatternShape& shape, Grid::Edge edge = Grid::Edge::mesh)
      : Rounds(shape, Grid(shape.nodes, edge), shape.messages != 0 ? shape.messages : kOwnMessages) {}
  Rounds(const PatternShape& shape, const Grid& grid)
      : Rounds(shape, grid, shape.messages != 0 ? shape.messages : kOwnMessages) {}

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

/// Of the rounds, the share to be given to a mesh so that its messages are `shape.ratio` of all: some of the
/// mesh's rounds send nothing, and each of the others sends one message.
inline double mesh_share_of_rounds(const PatternShape& shape) {
  const double sent = Grid(shape.nodes, Grid::Edge::mesh).neighbor_share();
  return shape.ratio / (sent + (1 - sent) * shape.ratio);
}

/// All nodes turn to one direction after the other.
class InOrder {
 public:
  InOrder(const PatternShape& /*shape*/, Port /*source*/) {}
  Pattern::Send draw(const Directions& directions, Port source) {
    return {directions.neighbor(source, round_++ % directions.count()), Pattern::kNoStep};
  }

 private:
  std::uint64_t round_ = 0;
};

/// Each node turns to any direction.
class AnyDirection {
 public:
  AnyDirection(const PatternShape& shape, Port source) : random_(node_random(shape.seed, source)) {}
  Pattern::Send draw(const Directions& directions, Port source) {
    return {directions.neighbor(source, random_.below(directions.count())), Pattern::kNoStep};
  }

 private:
  SmallRandom random_;
};

/// Every node r further on, round and round: the r-th of the N - 1 configurations of an all-to-all.
inline Configuration rotation(std::uint32_t nodes, std::uint32_t r) {
  Configuration configuration(nodes);
  for (Port node = 0; node < nodes; ++node) configuration.add({node, (node + r) % nodes});
  return configuration;
}

}  // namespace hybrid
