// TDM over a fat tree: connections are assigned to slots and paths together. Each slot is a separate tree
// (the links carry the circuits of each slot in its time); a connection is in one slot, with its path there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/scheduler/request.h"
#include "emulator/scheduler/slot_fitter.h"
#include "emulator/scheduler/tree_circuits.h"
#include "emulator/scheduler/tree_scheduler.h"

namespace hybrid {

/// K slots of one tree; connections are requested and released one at a time. Allocates only in the
/// constructor and in add_slot().
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

  /// Returns the place of the connection; nullopt if it is in no slot.
  std::optional<Place> find(Connection c) const;
  /// First fit: grants the connection in the first slot in which a path is free (TreeCircuits::request), or
  /// returns its present place. Returns nullopt if there is no path.
  std::optional<Place> request(Connection c);
  /// Returns false if the connection was in no slot.
  bool release(Connection c);

 private:
  std::vector<TreeCircuits> slots_;
};

/// Limit of slots x nodes of a fit: each slot has the tables of a tree.
inline constexpr std::uint64_t kMostTreeSlotCells = std::uint64_t{1} << 26;
/// Throws UserError for a fit beyond kMostTreeSlotCells.
void check_tree_slots(std::uint64_t slots, std::uint32_t nodes);

/// Fits a working set into at most `slots` slots (0: as many as it needs), first fit in the given order.
/// Throws UserError for an invalid tree, for a set with a port that is not a node of the tree, and for more
/// slots than check_tree_slots() allows.
TreeSlotFit fit_tree_slots(const FatTreeShape& shape, const RequestSet& set, std::uint32_t slots);

/// Returns a lower bound on the slots of any fit: what the busiest link of a node, and the links of the
/// busiest subtree, need.
std::uint32_t least_tree_slots(const FatTreeShape& shape, const RequestSet& set);

/// TreeSlotFitter::fit() by a scheduler of one slot: it fills a slot; the requests that it refused are the
/// requests of the next slot. Requests may share nodes, which must be nodes of the scheduler's tree. Throws
/// std::logic_error if the scheduler grants nothing on an empty tree.
TreeSlotFit fit_slot_by_slot(TreeScheduler& scheduler, const RequestSet& set, std::uint32_t slots);

/// Throws UserError for requests beyond the last node.
void check_tree_requests(const RequestSet& set, std::uint32_t nodes);

}  // namespace hybrid
