// Level by level as `level-wise`, but for a request without a common free port other connections are moved.
//
// At one level, requests are the edges of a bipartite multigraph, from the switch where the path climbs to
// the switch where it descends; the port is the edge's colour, and no switch may have a colour twice. If port
// a is free at one end and b at the other, the two colours can be swapped along the chain of connections that
// use a, b, a, b, ... from one end, and a (or b) becomes free at both ends (Konig). So, while a switch has no
// more than w connections at a level, every request can be granted; with m <= w a set in which every node
// sends and receives once (a permutation) is granted whole, since each port of level 0 leads to a tree of one
// level less with its share. Connections above a level have not chosen yet when the level is coloured, so
// that a move costs them nothing. Before a chain, a single move is tried: of a connection at either end that
// can leave a port that is free at the other end.
//
// Level 0 is coloured in the order of the requests, each other level in the order of the links below it. That
// is the order of `level-wise` if the requests are in the order of their sources.
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

  /// See TreeScheduler. Of requests that share a node the first is processed, the others are refused. `only`:
  /// for each request, whether to process it; empty: all.
  virtual std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths,
                               std::span<const std::uint8_t> only = {}) = 0;

  /// Number of connections moved in the last schedule.
  std::size_t moved() const { return moved_; }
  /// Whether the last schedule refused a request because its nodes were shared.
  bool nodes_were_shared() const { return nodes_were_shared_; }

 protected:
  std::size_t moved_ = 0;
  bool nodes_were_shared_ = false;
};

/// Makes a colouring that moves at most `most_moves` connections for one request at one level.
std::unique_ptr<TreeColouring> make_tree_colouring(const FatTree& tree, std::uint32_t most_moves);

}  // namespace hybrid
