// Level by level as `level-wise`, but a request without a common free port has others moved for it.
//
// At one level, requests are the edges of a bipartite multigraph: from the switch they climb from to the one
// they come down to; the port is the edge's colour, and no switch may see a colour twice. Where port a is
// free at the one end and b at the other, the chain of connections that use a, b, a, b, ... from an end can
// swap the two, and a (or b) becomes free at both (Konig). So, while a switch has no more than w connections
// at a level, every request can be granted, and with m <= w a set in which every node sends and receives once
// (a permutation) is granted whole: each port of level 0 leads to a tree of one level less with its share.
// Connections above a level have not chosen yet when the level is coloured: a move costs them nothing.
// Before a chain, one move is tried: of a connection of either end that can leave a port free at the other.
//
// Level 0 is coloured in the order of the requests, each other in the order of the links below it, which is
// the order of `level-wise` where the requests come in the order of their sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "core/connection.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

inline constexpr std::uint32_t kAnyMoves = std::numeric_limits<std::uint32_t>::max();

class TreeColouring {
 public:
  virtual ~TreeColouring() = default;

  /// See TreeScheduler. Of requests that share a node the first is looked at, the others are refused. `only`:
  /// by request, whether to look at it; empty: all.
  virtual std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths,
                               std::span<const std::uint8_t> only = {}) = 0;

  /// Connections moved in the last schedule.
  std::size_t moved() const { return moved_; }
  /// Whether in the last schedule some request was refused for its nodes.
  bool nodes_were_shared() const { return nodes_were_shared_; }

 protected:
  std::size_t moved_ = 0;
  bool nodes_were_shared_ = false;
};

/// For one request at one level at most `most_moves` others are moved.
std::unique_ptr<TreeColouring> make_tree_colouring(const FatTree& tree, std::uint32_t most_moves);

}  // namespace hybrid
