// Checks the result of a scheduling algorithm, independently of the algorithm: no two connections share a
// port or a link in a slot, only requested connections are granted, nothing is lost. Each function returns a
// description of the first fault found, or "".
#pragma once

#include <span>
#include <string>

#include "core/connection.h"
#include "emulator/scheduler/demand_scheduler.h"
#include "emulator/scheduler/slot_fitter.h"
#include "emulator/scheduler/tree_scheduler.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

/// Checks a request set: a port out of range, a request from a port to itself, a duplicate.
std::string fault_of(const RequestSet& set);

/// Checks the contract of SlotFitter: the limit, the fixed slots, slots that are partial permutations, the
/// number of used slots; without a limit, everything granted.
std::string fault_of(const SlotProblem& problem, const SlotFit& fit);

/// Checks a demand schedule: connections outside the demand, times below 0, and undrained bytes.
std::string fault_of(const DemandProblem& problem, std::span<const TimedConfiguration> schedule);

/// Checks the grants of one slot of a fat tree: ports of the tree, each used once; a turn high enough to
/// reach the destination; upward ports that exist; no link with two connections in one direction. By L 3, a
/// connection from s to d that goes up by P_0 .. P_(t-1) crosses, between levels h and h+1, the upward link
/// of source side (s / m^(h+1); P_0 .. P_h) and the downward link of destination side (d / m^(h+1); P_0 ..
/// P_h). A path with t = l goes across the top by port P_(l-1) of its top switch, and descends as if that
/// port had been P_0 (FatTree::across).
std::string fault_of(const FatTreeShape& tree, std::span<const Connection> requests,
                     std::span<const TreePath> paths);

/// Checks the contract of TreeSlotFitter: the limit, each slot as one of a fat tree, no slot empty; without a
/// limit (`slots` 0), everything granted.
std::string fault_of(const FatTreeShape& tree, const RequestSet& set, std::uint32_t slots,
                     const TreeSlotFit& fit);

}  // namespace hybrid
