// Configurations of the preloaded slots, for connections that are added and removed one at a time: of a
// running job as ranks reach their hints, of a replayed job for a whole phase.
//
// P slots hold any working set with at most P connections at each port (Konig). The class maintains an edge
// colouring of a bipartite graph by alternating paths, so that one more connection moves only those on one
// path.
#pragma once

#include <cstdint>
#include <vector>

#include "core/configuration.h"
#include "core/connection.h"

namespace hybrid {

class PreloadSlots {
 public:
  PreloadSlots(std::uint32_t ports, std::uint32_t slots);

  /// Adds `c`. Returns false, without a change, if all slots are taken at one of its ports; true if it is
  /// held already.
  bool add(Connection c);
  /// Removes `c`. Returns false if it is not held.
  bool remove(Connection c);
  bool holds(Connection c) const { return slot_of(c) < slots_.size(); }

  std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }
  const Configuration& slot(std::uint32_t s) const { return slots_[s]; }

  /// Whether the slot has changed since the last settle().
  bool changed(std::uint32_t s) const { return changed_[s]; }
  bool changed() const;
  void settle() { changed_.assign(changed_.size(), false); }

 private:
  std::uint32_t slot_of(Connection c) const;

  std::vector<Configuration> slots_;
  std::vector<bool> changed_;
  std::vector<Connection> path_[2];
};

}  // namespace hybrid
