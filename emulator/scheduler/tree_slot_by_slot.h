// A scheduler of one slot of a fat tree as one of many slots: it fills a slot, what it refused is what the
// next slot is asked for. Requests may share nodes.
#pragma once

#include <cstdint>

#include "emulator/scheduler/tree_scheduler.h"
#include "emulator/scheduler/tree_slot_fitter.h"

namespace hybrid {

/// As TreeSlotFitter::fit, over nodes of the scheduler's tree. Throws std::logic_error when the scheduler
/// grants nothing on an empty tree.
TreeSlotFit fit_slot_by_slot(TreeScheduler& scheduler, const RequestSet& set, std::uint32_t slots);

/// Refuses (UserError) requests past the last node.
void check_tree_requests(const RequestSet& set, std::uint32_t nodes);

}  // namespace hybrid
