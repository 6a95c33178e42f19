// Circuits through a fat tree that come and go one at a time while others are held.
//
// Contract
// - A request is granted if and only if both its nodes are free and some path of links is: all ports are
//   tried, the lowest first, without moving what is held (`level-wise` alone tries one port a level). Among
//   free paths it is the one of lowest P_0, then P_1, and so on.
// - At any time no link carries two circuits, and what was released is free.
// - No allocation after construction; about w^(turn-1) words looked at where a request fails, few otherwise.
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

  /// The circuit's path, `granted` where there is one now. A circuit that is held is granted again, as it is.
  TreePath request(Connection c);
  /// The same by another way of finding paths, which may fail where there is one.
  TreePath request(Connection c, TreeRoute& route);
  /// Takes a path found elsewhere, whose nodes and links are all free.
  void hold(Connection c, const TreePath& path);
  /// False: it was not held.
  bool release(Connection c);
  void clear();

  bool holds(Connection c) const { return destinations_[c.source] == c.destination; }
  /// kNoPort: none.
  Port destination_of(Port source) const { return destinations_[source]; }
  Port source_of(Port destination) const { return sources_[destination]; }
  /// Of the circuit that `source` holds.
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
