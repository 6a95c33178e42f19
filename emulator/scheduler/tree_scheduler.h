// Grants connections through a fat tree FT(l, m, w), each with its path (L 4; D 7.4).
//
// Contract
// - Every request's source and destination is a node of the tree. Requests may share them: a node sends on
//   one link and receives on one, so that of those that share at most one is granted. A request from a node
//   to itself takes the node's two links and no other.
// - No link carries two connections; nothing is granted that was not asked; a request that fails holds
//   nothing afterwards, unless the algorithm's own file says that it keeps partial paths.
// - The same tree, requests, order and seed give the same result, call after call. No allocation after
//   construction.
#pragma once

#include <cstddef>
#include <span>

#include "core/connection.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

class TreeScheduler {
 public:
  virtual ~TreeScheduler() = default;
  /// Grants of `requests` on an empty tree: paths[i] is request i's, with `granted` false where it failed
  /// (the rest of that path says nothing). Both have the same size. Returns how many were granted.
  virtual std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) = 0;
};

}  // namespace hybrid
