// A scheduling algorithm, picked by name: one file each, one registry for crossbars and fat trees, for one
// slot and many. An algorithm offers what it can do; the rest stays a null pointer, and whoever asked names
// the algorithms that can.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/registry.h"
#include "emulator/scheduler/demand_scheduler.h"
#include "emulator/scheduler/hardware_cost.h"
#include "emulator/scheduler/scheduler.h"
#include "emulator/scheduler/slot_fitter.h"
#include "emulator/scheduler/tree_route.h"
#include "emulator/scheduler/tree_scheduler.h"
#include "emulator/scheduler/tree_slot_fitter.h"

namespace hybrid {

class SchedulingAlgorithm {
 public:
  static constexpr std::string_view kKind = "scheduler";
  virtual ~SchedulingAlgorithm() = default;

  /// One slot of a crossbar, pass by pass: what can run in the loop (`--scheduler`).
  virtual std::unique_ptr<Scheduler> one_slot(const SchedulerShape& /*shape*/) const { return nullptr; }
  /// A working set into the slots of a crossbar.
  virtual std::unique_ptr<SlotFitter> slot_fitter() const { return nullptr; }
  /// A demand matrix over a crossbar that takes time to reconfigure.
  virtual std::unique_ptr<DemandScheduler> demand() const { return nullptr; }
  /// One slot of a fat tree. Throws UserError for a tree that is too large for it.
  virtual std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& /*shape*/,
                                                  std::uint64_t /*seed*/) const {
    return nullptr;
  }
  /// One circuit at a time through a slot of a fat tree: what can run in the loop there.
  virtual std::unique_ptr<TreeRoute> tree_route(std::uint64_t /*seed*/) const { return nullptr; }
  /// A working set into the slots of a fat tree. Whatever schedules one slot can do so slot by slot
  /// (tree_slot_by_slot.h) too.
  virtual std::unique_ptr<TreeSlotFitter> tree_slot_fitter(const FatTreeShape& /*shape*/) const {
    return nullptr;
  }

  // What it can do, without the tables of a whole tree.

  virtual bool schedules_fat_trees() const { return false; }
  virtual bool fits_tree_slots() const { return false; }
  /// Whether its schedules depend on the seed.
  virtual bool draws() const { return false; }
  /// Whether SchedulerShape::steps means something to it.
  virtual bool has_steps() const { return false; }
  /// The designs that the papers give for it, at this size.
  virtual std::vector<HardwareCost> hardware(const SchedulerShape& /*shape*/) const { return {}; }
};

/// The seed of a scheduler that draws, where its request set is drawn from `seed`: the two must not share
/// their random numbers (SplitMix64's finish).
constexpr std::uint64_t scheduler_seed(std::uint64_t seed) {
  std::uint64_t z = seed + 0x9e37'79b9'7f4a'7c15;
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
  return z ^ (z >> 31);
}

using SchedulerRegistration = Registration<SchedulingAlgorithm>;

/// The one-slot scheduler of that name; throws UserError for an unknown name and for an algorithm that cannot
/// run in the loop.
std::unique_ptr<Scheduler> make_one_slot_scheduler(std::string_view name, const SchedulerShape& shape);

/// The same of a fat tree's slots.
std::unique_ptr<TreeRoute> make_tree_route(std::string_view name, std::uint64_t seed);

/// Those that can run in the loop, of a crossbar or of a fat tree, in order of name.
std::vector<std::string_view> names_in_the_loop(bool of_trees);

/// An algorithm that is its one-slot scheduler.
template <class OneSlot, bool kDraws = false, bool kHasSteps = false>
class OneSlotAlgorithm : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<OneSlotAlgorithm>(); }
  std::unique_ptr<Scheduler> one_slot(const SchedulerShape& shape) const override {
    return std::make_unique<OneSlot>(shape);
  }
  bool draws() const override { return kDraws; }
  bool has_steps() const override { return kHasSteps; }
};

}  // namespace hybrid
