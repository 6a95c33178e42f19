// What most patterns share: every node sends the same number of messages.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/traffic/grid.h"
#include "emulator/traffic/pattern.h"

namespace hybrid {

/// Destinations drawn at random by each node. `Draw` is Port(Random&, Port source).
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
  std::vector<Random> random_;
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

/// Every node goes round its neighbours of a grid, all in the order of the directions: each direction is a
/// configuration, in use throughout.
class RoundOfNeighbors : public Pattern {
 public:
  RoundOfNeighbors(const PatternShape& shape, Grid::Edge edge)
      : RoundOfNeighbors(shape, Grid(shape.nodes, edge)) {}
  RoundOfNeighbors(const PatternShape& shape, const Grid& grid)
      : grid_(grid), messages_(shape.messages != 0 ? shape.messages : kOwnMessages), next_(shape.nodes, 0) {
    for (Port node = 0; node < shape.nodes; ++node) neighbors_.push_back(grid_.neighbors(node));
  }
  std::uint64_t messages(Port /*source*/) const override { return messages_; }
  Send next(Port source) override {
    const std::vector<Port>& all = neighbors_[source];
    return {all[next_[source]++ % all.size()], kNoStep};
  }
  std::optional<Known> known(std::uint64_t step) const override { return known_direction(grid_, step); }

  /// The step-th direction of the grid that leads anywhere.
  static std::optional<Known> known_direction(const Grid& grid, std::uint64_t step) {
    for (std::uint32_t d = 0; d < Grid::kDirections; ++d) {
      Known known{grid.configuration(d), 0};
      if (!known.configuration.empty() && step-- == 0) return known;
    }
    return {};
  }

 private:
  Grid grid_;
  std::uint64_t messages_;
  std::vector<std::uint64_t> next_;
  std::vector<std::vector<Port>> neighbors_;
};

/// Every node r further on, round and round: the r-th of the N - 1 configurations of an all-to-all.
inline Configuration rotation(std::uint32_t nodes, std::uint32_t r) {
  Configuration configuration(nodes);
  for (Port node = 0; node < nodes; ++node) configuration.add({node, (node + r) % nodes});
  return configuration;
}

}  // namespace hybrid
