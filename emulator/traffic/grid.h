// 2D or 3D mesh or torus of nodes: node = (z * height + y) * width + x. A 2D grid has one layer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/configuration.h"
#include "core/connection.h"

namespace hybrid {

class Grid {
 public:
  enum class Edge { mesh, torus };
  static constexpr std::uint32_t kDirections = 6;  // east, west, south, north, down, up

  /// The most nearly square grid with exactly `nodes` nodes, width >= height; a prime number gives a line.
  Grid(std::uint32_t nodes, Edge edge);

  /// The most nearly cubic grid: the largest number of layers up to the cube root, each layer as above.
  static Grid layered(std::uint32_t nodes, Edge edge);

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  std::uint32_t depth() const { return depth_; }

  /// The neighbour in `direction`. kNoPort if there is none, or if an earlier direction leads to the same
  /// node (a torus two nodes wide).
  Port neighbor(Port node, std::uint32_t direction) const;
  /// The neighbours of `node` in the order of the directions.
  std::vector<Port> neighbors(Port node) const;
  /// The share of all (node, direction) pairs that have a neighbour, over the directions of axes longer than
  /// one node: less than 1 for a mesh.
  double neighbor_share() const;
  /// The connections of all nodes to their neighbours in `direction`, disjoint from those of other
  /// directions.
  Configuration configuration(std::uint32_t direction) const;

 private:
  Port step(Port node, std::uint32_t direction) const;
  std::uint32_t width_ = 0, height_ = 0, depth_ = 1;
  Edge edge_;
};

}  // namespace hybrid
