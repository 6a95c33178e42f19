// TDM over a fat tree: connections into slots and paths together. A slot is a tree of its own (the links
// carry each slot's circuits in its time), a connection is in one slot, with its path there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/scheduler/request.h"
#include "emulator/scheduler/slot_fitter.h"
#include "emulator/scheduler/tree_circuits.h"
#include "emulator/scheduler/tree_slot_fitter.h"

namespace hybrid {

/// K slots of one tree; connections come and go one at a time. No allocation after construction.
class TreeSlots {
 public:
  struct Place {
    std::uint32_t slot = 0;
    TreePath path;
  };

  /// Throws UserError as FatTree does. slots > 0.
  TreeSlots(const FatTreeShape& shape, std::uint32_t slots) : slots_(slots, TreeCircuits(shape)) {}

  std::uint32_t slots() const { return static_cast<std::uint32_t>(slots_.size()); }
  const TreeCircuits& slot(std::uint32_t s) const { return slots_[s]; }
  void add_slot() { slots_.emplace_back(slots_.front().tree().shape()); }

  /// Where the connection is; nothing where it is in no slot.
  std::optional<Place> find(Connection c) const;
  /// First fit: the first slot in which a path is free (TreeCircuits::request), or where it already is.
  /// Nothing where there is none.
  std::optional<Place> request(Connection c);
  /// False: it was in no slot.
  bool release(Connection c);

 private:
  std::vector<TreeCircuits> slots_;
};

/// Slots x nodes of a fit: each slot of so many nodes has a tree's tables.
inline constexpr std::uint64_t kMostTreeSlotCells = std::uint64_t{1} << 26;
/// Throws UserError for more.
void check_tree_slots(std::uint64_t slots, std::uint32_t nodes);

/// A working set into at most `slots` slots (0: as many as it needs), first fit in the order given. Throws
/// UserError for a tree that cannot be, for a set with a port that the tree has not, and for more slots than
/// check_tree_slots allows.
TreeSlotFit fit_tree_slots(const FatTreeShape& shape, const RequestSet& set, std::uint32_t slots);

/// No fit has fewer: what the busiest link of a node, and the links of the busiest subtree, need.
std::uint32_t least_tree_slots(const FatTreeShape& shape, const RequestSet& set);

}  // namespace hybrid
