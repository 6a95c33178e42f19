// Fits a working set into slots and paths of a fat tree together: each slot is a tree of its own, in which no
// link carries two connections.
//
// Contract
// - slots > 0: at most so many; what does not fit is left out. slots == 0: everything is granted, in as few
//   slots as the algorithm finds. No slot below `TreeSlotFit::slots` is empty.
// - The same set gives the same result.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/scheduler/request.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

struct TreeSlotFit {
  std::uint32_t slots = 0;             // used
  std::vector<std::uint32_t> slot_of;  // of each request; kNoSlot: left out
  std::vector<TreePath> path_of;       // in that slot
};

class TreeSlotFitter {
 public:
  virtual ~TreeSlotFitter() = default;
  /// Throws UserError for a set with a port that the tree has not.
  virtual TreeSlotFit fit(const RequestSet& set, std::uint32_t slots) = 0;
};

}  // namespace hybrid
