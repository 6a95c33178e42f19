// The slots of a fat tree behind the scheduler port: which circuits each of the K slots holds, with their
// paths. The model itself (edges, sweeps, requests, preloading) is that of emulator/scheduler/model_port.h.
//
// Slots. Each is a tree of its own: no link carries two circuits of one slot.
// Pass. As `greedy` (D 5.3.2) over the slot: rows and columns in the order of the rotating priority, a cell
// that is to be released frees its nodes and links for the cells behind it, one that is requested is
// established where both nodes are free and the scheduler finds a path of links
// (emulator/scheduler/tree_route.h; nothing that is held moves). `greedy` tries all paths, so that a tree of
// one level is the crossbar, grant for grant; the papers' own (`level-wise`, `local-greedy`, ...) may find
// none where there is one. Preload. A slot that is preloaded has its paths chosen together, by the scheduler
// itself, or for `greedy` by `optimal`: every configuration of a tree with w >= m then fits. What does not
// fit is as if it had not been given.
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
  /// Of `tree`; `nodes` are its nodes. Throws UserError for a scheduler that cannot run on trees.
  explicit TreeSlotNetwork(const SwitchParameters& parameters);

  std::span<const Connection> pass(std::uint32_t slot, const SchedulingPass& in) override;
  const Configuration* load(std::uint32_t slot, const Configuration& wanted) override;
  void lost(std::uint32_t slot, Connection c) override { slots_[slot].release(c); }
  /// Along the path of the ports that TreeRoute::port_to_free names.
  void find_blocking(std::uint32_t slot, Connection c, std::vector<Connection>& found) const override;

  const TreeCircuits& slot(std::uint32_t s) const { return slots_[s]; }

 private:
  bool establish(std::uint32_t slot, const SchedulingPass& in, Port input, Port begin, Port end);

  std::vector<TreeCircuits> slots_;
  std::unique_ptr<TreeRoute> route_;
  std::unique_ptr<TreeScheduler> whole_;  // paths of a configuration together
  Configuration loaded_;
  std::vector<Connection> wanted_, toggles_;
  std::vector<TreePath> paths_;
};

}  // namespace hybrid
