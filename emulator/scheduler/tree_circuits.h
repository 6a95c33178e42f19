// Circuits through a fat tree, requested and released one at a time while others are held.
//
// Contract
// - A request is granted if and only if both its nodes are free and some path of links is free: all ports are
//   tried, the lowest first, without moving held circuits (`level-wise` alone tries one port per level). Of
//   several free paths the one of lowest P_0, then P_1, and so on is taken.
// - At any time no link carries two circuits; released links are free.
// - No allocation after construction. A request that fails visits about w^(turn-1) words, others few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "core/connection.h"
#include "emulator/scheduler/tree_links.h"
#include "emulator/scheduler/tree_route.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

class TreeCircuits {
 public:
  /// Throws UserError as FatTree does.
  explicit TreeCircuits(const FatTreeShape& shape);

  const FatTree& tree() const { return tree_; }

  /// Returns the circuit's path; `granted` if there is one now. A circuit that is already held is granted
  /// again, with its path unchanged.
  TreePath request(Connection c);
  /// The same with another search for paths, which may fail although a path is free.
  TreePath request(Connection c, TreeRoute& route);
  /// Whether the nodes of `c` and the links of `path` are free.
  bool fits(Connection c, const TreePath& path) const;
  /// Holds a path found elsewhere. Precondition: its nodes and links are free.
  void hold(Connection c, const TreePath& path);
  /// Returns false if the circuit was not held.
  bool release(Connection c);
  void clear();

  bool holds(Connection c) const { return destinations_[c.source] == c.destination; }
  /// The other end of the circuit of a node; kNoPort: there is none.
  Port destination_of(Port source) const { return destinations_[source]; }
  Port source_of(Port destination) const { return sources_[destination]; }
  /// The path of the circuit that `source` holds.
  const TreePath& path_of(Port source) const { return paths_[source]; }
  std::size_t size() const { return size_; }

 private:
  template <class Find>
  TreePath request_by(Connection c, Find&& find);

  FatTree tree_;
  std::variant<TreeLinks<1>, TreeLinks<0>> links_;
  std::vector<Port> destinations_;  // by source
  std::vector<Port> sources_;       // by destination
  std::vector<TreePath> paths_;
  std::size_t size_ = 0;
};

}  // namespace hybrid
