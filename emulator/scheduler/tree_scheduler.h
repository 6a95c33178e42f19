// Schedulers of a fat tree FT(l, m, w): connections with their paths, in one slot or in several (L 4; D 7.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"
#include "emulator/scheduler/request.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

/// Grants connections in one slot.
///
/// Contract
/// - Sources and destinations are nodes of the tree. Requests may share nodes: a node sends on one link and
///   receives on one link, so that at most one request of each source, and one of each destination, is
///   granted. A request from a node to itself takes the two links of the node and no other.
/// - No link carries two connections; only requested connections are granted. A request that fails holds no
///   link afterwards, unless the algorithm's file states that it keeps partial paths.
/// - The same tree, requests, order and seed give the same result in every call. No allocation after
///   construction.
class TreeScheduler {
 public:
  virtual ~TreeScheduler() = default;
  /// Schedules `requests` on an empty tree. paths[i] becomes the path of request i; if its `granted` is
  /// false, the rest of that path is not specified. Both spans have the same size. Returns the number of
  /// granted requests.
  virtual std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) = 0;
};

struct TreeSlotFit {
  std::uint32_t slots = 0;             // used
  std::vector<std::uint32_t> slot_of;  // of each request; kNoSlot: left out
  std::vector<TreePath> path_of;       // in that slot
};

/// Fits a working set into slots and paths together: each slot is a separate tree, in which no link carries
/// two connections.
///
/// Contract
/// - slots > 0: at most that many slots are used; requests that do not fit are left out. slots == 0: every
///   request is granted, in as few slots as the algorithm finds. No slot below `TreeSlotFit::slots` is empty.
/// - The same set gives the same result.
class TreeSlotFitter {
 public:
  virtual ~TreeSlotFitter() = default;
  /// Throws UserError for a set with a port that is not a node of the tree.
  virtual TreeSlotFit fit(const RequestSet& set, std::uint32_t slots) = 0;
};

}  // namespace hybrid
