#include "emulator/traffic/grid.h"

namespace hybrid {

Grid::Grid(std::uint32_t nodes, Edge edge) : edge_(edge) {
  height_ = 1;
  for (std::uint32_t h = 2; std::uint64_t{h} * h <= nodes; ++h)
    if (nodes % h == 0) height_ = h;
  width_ = nodes / height_;
}

Grid Grid::layered(std::uint32_t nodes, Edge edge) {
  std::uint32_t depth = 1;
  for (std::uint32_t d = 2; std::uint64_t{d} * d * d <= nodes; ++d)
    if (nodes % d == 0) depth = d;
  Grid grid(nodes / depth, edge);
  grid.depth_ = depth;
  return grid;
}

Port Grid::step(Port node, std::uint32_t direction) const {
  static constexpr std::array<std::array<int, 3>, kDirections> kSteps{
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};
  const auto shift = [this](std::uint32_t at, int by, std::uint32_t size) {
    const std::int64_t to = std::int64_t{at} + by;
    if (to >= 0 && to < std::int64_t{size}) return static_cast<Port>(to);
    return edge_ == Edge::torus ? static_cast<Port>((to + size) % size) : kNoPort;
  };
  const Port x = shift(node % width_, kSteps[direction][0], width_);
  const Port y = shift(node / width_ % height_, kSteps[direction][1], height_);
  const Port z = shift(node / width_ / height_, kSteps[direction][2], depth_);
  if (x == kNoPort || y == kNoPort || z == kNoPort) return kNoPort;
  const Port to = (z * height_ + y) * width_ + x;
  return to == node ? kNoPort : to;
}

Port Grid::neighbor(Port node, std::uint32_t direction) const {
  const Port to = step(node, direction);
  for (std::uint32_t d = 0; d < direction; ++d)
    if (step(node, d) == to) return kNoPort;
  return to;
}

std::vector<Port> Grid::neighbors(Port node) const {
  std::vector<Port> all;
  for (std::uint32_t d = 0; d < kDirections; ++d)
    if (const Port to = neighbor(node, d); to != kNoPort) all.push_back(to);
  return all;
}

double Grid::neighbor_share() const {
  if (edge_ == Edge::torus) return 1;
  // Along an axis of n nodes, n - 1 nodes have a neighbour in each direction.
  double sum = 0;
  int axes = 0;
  for (const std::uint32_t size : {width_, height_, depth_}) {
    if (size < 2) continue;
    sum += static_cast<double>(size - 1) / size;
    ++axes;
  }
  return axes == 0 ? 0 : sum / axes;
}

Configuration Grid::configuration(std::uint32_t direction) const {
  Configuration configuration(std::size_t{width_} * height_ * depth_);
  for (Port node = 0; node < width_ * height_ * depth_; ++node)
    if (const Port to = neighbor(node, direction); to != kNoPort) configuration.add({node, to});
  return configuration;
}

}  // namespace hybrid
