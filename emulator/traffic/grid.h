// The nodes as a 2D or 3D mesh or torus: node = (z * height + y) * width + x; in 2D there is one layer.
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

  /// The most nearly square grid with exactly `nodes` nodes, width >= height; a prime number is a line.
  Grid(std::uint32_t nodes, Edge edge);

  /// The most nearly cubic grid: as many layers as the cube root allows, each as above.
  static Grid layered(std::uint32_t nodes, Edge edge);

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  std::uint32_t depth() const { return depth_; }

  /// The neighbour in a direction; kNoPort where there is none, or where an earlier direction leads to the
  /// same node (a torus two nodes wide); directions without depth lead nowhere.
  Port neighbor(Port node, std::uint32_t direction) const;
  /// A node's neighbours in the order of the directions.
  std::vector<Port> neighbors(Port node) const;
  /// Of all nodes, each with all directions that lead anywhere, the share that has a neighbour: less than 1
  /// where the grid has edges.
  double neighbor_share() const;
  /// Every node to its neighbour in a direction: a configuration, disjoint from the other directions'.
  Configuration configuration(std::uint32_t direction) const;

 private:
  Port step(Port node, std::uint32_t direction) const;
  std::uint32_t width_ = 0, height_ = 0, depth_ = 1;
  Edge edge_;
};

}  // namespace hybrid
