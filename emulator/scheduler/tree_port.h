// The slots of a fat tree behind the scheduler port: which circuits each of the K slots holds, with their
// paths. The model (edges, sweeps, requests, preloading) is that of emulator/scheduler/model_port.h.
//
// Slots. Each slot is a separate tree: no link carries two circuits of one slot.
//
// Pass. As `greedy` (D 5.3.2) over the slot: rows and columns in the order of the rotating priority. A cell
// to be released frees its nodes and links for later cells; a requested cell is established if both nodes are
// free and the scheduler finds a path of links (emulator/scheduler/tree_route.h; held circuits do not move).
// `greedy` tries all paths, so that a tree of one level gives the same grants as the crossbar; the papers'
// schedulers (`level-wise`, `local-greedy`, ...) may find no path although one is free.
//
// Preload. The paths of a preloaded slot are chosen together, by the scheduler itself, or for `greedy` by
// `optimal`: every configuration of a tree with w >= m then fits. Connections that do not fit are ignored.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulator/parameters.h"
#include "emulator/scheduler/model_port.h"
#include "emulator/scheduler/tree_circuits.h"
#include "emulator/scheduler/tree_scheduler.h"

namespace hybrid {

class TreeSlotNetwork final : public SlotNetwork {
 public:
  /// The slots of `parameters.tree`; `nodes` must be its number of nodes. Throws UserError for a scheduler
  /// that cannot run on trees.
  explicit TreeSlotNetwork(const SwitchParameters& parameters);

  std::span<const Connection> pass(std::uint32_t slot, const SchedulingPass& in) override;
  const Configuration* load_slot(std::uint32_t slot, const Configuration& wanted) override;
  void remove(std::uint32_t slot, Connection c) override { release(slot, c); }
  /// Along the path whose ports TreeRoute::port_to_free() returns.
  void find_blocking(std::uint32_t slot, Connection c, std::vector<Connection>& found) const override;

  const TreeCircuits& slot(std::uint32_t s) const { return slots_[s]; }

 private:
  void release(std::uint32_t slot, Connection c);
  bool establish(std::uint32_t slot, const SchedulingPass& in, Port input, Port begin, Port end);

  std::vector<TreeCircuits> slots_;
  std::unique_ptr<TreeRoute> route_;
  std::unique_ptr<TreeScheduler> preload_scheduler_;  // chooses the paths of a configuration together
  Configuration loaded_;
  std::vector<Connection> wanted_, toggles_;
  std::vector<TreePath> paths_;
};

}  // namespace hybrid
