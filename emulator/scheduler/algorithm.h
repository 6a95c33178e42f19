// A scheduling algorithm, selected by name (`--scheduler`). There is one registry for all of them: for
// crossbars and fat trees, for one slot and many.
//
// To add an algorithm, add one .cpp file to this folder that registers it; no other file changes:
//
//   class MyScheduler final : public Scheduler { ... };  // scheduler.h states the contract
//   const SchedulerRegistration kMine{"mine", "what `hybrid list` prints",
//   &OneSlotAlgorithm<MyScheduler>::make};
//
// An algorithm overrides the functions for what it supports. The others return nullptr; the callers then
// report the names of the algorithms that support it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/port_set.h"
#include "core/random.h"
#include "core/registry.h"
#include "emulator/scheduler/demand_scheduler.h"
#include "emulator/scheduler/hardware_cost.h"
#include "emulator/scheduler/scheduler.h"
#include "emulator/scheduler/slot_fitter.h"
#include "emulator/scheduler/tree_route.h"
#include "emulator/scheduler/tree_scheduler.h"

namespace hybrid {

class SchedulingAlgorithm {
 public:
  static constexpr std::string_view kKind = "scheduler";
  virtual ~SchedulingAlgorithm() = default;

  /// Schedules one slot of a crossbar, pass by pass. Such algorithms run in the loop, inside the emulated
  /// switch.
  virtual std::unique_ptr<Scheduler> one_slot(const SchedulerShape& /*shape*/) const { return nullptr; }
  /// Fits a working set into the slots of a crossbar.
  virtual std::unique_ptr<SlotFitter> slot_fitter() const { return nullptr; }
  /// Drains a demand matrix over a crossbar with a reconfiguration time.
  virtual std::unique_ptr<DemandScheduler> demand() const { return nullptr; }
  /// Schedules one slot of a fat tree. Throws UserError for a tree that is too large for the algorithm.
  virtual std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& /*shape*/,
                                                  std::uint64_t /*seed*/) const {
    return nullptr;
  }
  /// Finds the path of one circuit at a time through a slot of a fat tree. Such algorithms run in the loop
  /// there. Throws UserError for a tree or a number of slots that is too large for the algorithm.
  virtual std::unique_ptr<TreeRoute> tree_route(const FatTreeShape& /*shape*/, std::uint32_t /*slots*/,
                                                std::uint64_t /*seed*/) const {
    return nullptr;
  }
  /// Fits a working set into the slots of a fat tree. Every algorithm with fat_tree() can also do so slot by
  /// slot (fit_slot_by_slot() in tree_slots.h).
  virtual std::unique_ptr<TreeSlotFitter> tree_slot_fitter(const FatTreeShape& /*shape*/) const {
    return nullptr;
  }

  // Properties, known without building the tables of a whole tree.

  /// Whether one_slot() returns a scheduler.
  virtual bool schedules_one_slot() const { return one_slot({2}) != nullptr; }
  /// Whether fat_tree() returns a scheduler.
  virtual bool schedules_fat_trees() const { return false; }
  /// Whether tree_slot_fitter() returns a fitter.
  virtual bool fits_tree_slots() const { return false; }
  /// Whether the schedules depend on the seed.
  virtual bool draws() const { return false; }
  /// The hardware designs that the papers give for the algorithm, at this size.
  virtual std::vector<HardwareCost> hardware(const SchedulerShape& /*shape*/) const { return {}; }
};

/// The seed of a scheduler, derived from the `seed` of its request set: the two must not share random numbers
/// (the output function of SplitMix64).
constexpr std::uint64_t scheduler_seed(std::uint64_t seed) {
  std::uint64_t z = seed + 0x9e37'79b9'7f4a'7c15;
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
  return z ^ (z >> 31);
}

/// A registration states "scheduler-steps" if the algorithm uses SchedulerShape::steps.
using SchedulerRegistration = Registration<SchedulingAlgorithm>;

/// Makes the one-slot scheduler `name`. Throws UserError for an unknown name and for an algorithm that cannot
/// run in the loop.
std::unique_ptr<Scheduler> make_one_slot_scheduler(std::string_view name, const SchedulerShape& shape);

/// Makes the route finder `name` for the slots of a fat tree. Throws UserError as make_one_slot_scheduler()
/// does.
std::unique_ptr<TreeRoute> make_tree_route(std::string_view name, const FatTreeShape& shape,
                                           std::uint32_t slots, std::uint64_t seed);

/// Whether the scheduler `name` is RTL or a device instead of a C++ model: "rtl:greedy",
/// "serial:/dev/ttyUSB0".
constexpr bool is_hardware(std::string_view name) { return name.find(':') != std::string_view::npos; }

/// Names of the algorithms that can run in the loop, of a crossbar or of a fat tree, sorted; without
/// hardware.
std::vector<std::string_view> names_in_the_loop(bool of_trees);

/// Algorithm that consists of a one-slot scheduler.
template <class OneSlot, bool kDraws = false>
class OneSlotAlgorithm : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<OneSlotAlgorithm>(); }
  std::unique_ptr<Scheduler> one_slot(const SchedulerShape& shape) const override {
    return std::make_unique<OneSlot>(shape);
  }
  bool draws() const override { return kDraws; }
};

/// Algorithm that consists of a function that drains a demand matrix. Its argument has passed check_demand().
template <std::vector<TimedConfiguration> (*kDrain)(const DemandProblem& problem)>
class DemandAlgorithm final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<DemandAlgorithm>(); }
  std::unique_ptr<DemandScheduler> demand() const override { return std::make_unique<Drainer>(); }

 private:
  class Drainer final : public DemandScheduler {
   public:
    std::vector<TimedConfiguration> drain(const DemandProblem& problem) override {
      check_demand(problem);
      return kDrain(problem);
    }
  };
};

/// Algorithm that consists of a fat-tree scheduler. `OnTree<k>` is a TreeScheduler for switches whose ports
/// up fit into k words (0: any number), constructed from a FatTree and a seed. `Rule` finds one circuit's
/// path in the loop; it is constructed from a Random if `kDraws`. `Rule` void: the algorithm does not run in
/// the loop.
template <template <std::size_t> class OnTree, bool kDraws = false, class Rule = void>
class TreeAlgorithm : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<TreeAlgorithm>(); }
  std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& shape, std::uint64_t seed) const override {
    const FatTree tree(shape);
    if (shape.up <= kWordBits) return std::make_unique<OnTree<1>>(tree, seed);
    return std::make_unique<OnTree<0>>(tree, seed);
  }
  std::unique_ptr<TreeRoute> tree_route(const FatTreeShape& /*shape*/, std::uint32_t /*slots*/,
                                        [[maybe_unused]] std::uint64_t seed) const override {
    if constexpr (std::is_void_v<Rule>)
      return nullptr;
    else if constexpr (kDraws)
      return tree_route_by(Rule{Random(seed)});
    else
      return tree_route_by(Rule{});
  }
  bool schedules_fat_trees() const override { return true; }
  bool draws() const override { return kDraws; }
};

}  // namespace hybrid
