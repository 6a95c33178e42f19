// Whether what a scheduling algorithm returned is a schedule at all, found without its help: no two
// connections share a port or a link in a slot, nothing is granted that was not asked, nothing is lost. Each
// function returns what is wrong, in words for people, or "" where nothing is.
#pragma once

#include <span>
#include <string>

#include "core/connection.h"
#include "emulator/scheduler/demand_scheduler.h"
#include "emulator/scheduler/slot_fitter.h"
#include "emulator/scheduler/tree_slot_fitter.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

/// Of a set given to a scheduler: a port out of range, a self-request, a duplicate.
std::string fault_of(const RequestSet& set);

/// Against the contract of SlotFitter: the limit, the fixed slots, slots that are partial permutations, the
/// number said to be used; without a limit, everything granted.
std::string fault_of(const SlotProblem& problem, const SlotFit& fit);

/// Connections outside the demand, times below 0, and whatever is left undrained.
std::string fault_of(const DemandProblem& problem, std::span<const TimedConfiguration> schedule);

/// Grants of one slot of a fat tree: ports of the tree, each used once; a turn high enough to reach the
/// destination; upward ports that exist; no link in either direction with two connections. By L 3, a
/// connection from s to d that goes up by P_0 .. P_(t-1) crosses, between levels h and h+1, the upward link
/// of source side (s / m^(h+1); P_0 .. P_h) and the downward link of destination side (d / m^(h+1); P_0 ..
/// P_h). A path with t = l goes across the top by port P_(l-1) of its top switch, and comes down as if that
/// had been P_0 (FatTree::across).
std::string fault_of(const FatTreeShape& tree, std::span<const Connection> requests,
                     std::span<const TreePath> paths);

/// Against the contract of TreeSlotFitter: the limit, each slot as one of a fat tree, none of them empty;
/// without a limit (`slots` 0), everything granted.
std::string fault_of(const FatTreeShape& tree, const RequestSet& set, std::uint32_t slots,
                     const TreeSlotFit& fit);

}  // namespace hybrid
