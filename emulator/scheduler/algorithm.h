// A scheduling algorithm, picked by name: one file each, one registry for crossbars and fat trees, for one
// slot and many. An algorithm offers what it can do; the rest stays a null pointer, and whoever asked names
// the algorithms that can.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/registry.h"
#include "emulator/scheduler/demand_scheduler.h"
#include "emulator/scheduler/scheduler.h"
#include "emulator/scheduler/slot_fitter.h"
#include "emulator/scheduler/tree_scheduler.h"

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
  /// One slot of a fat tree.
  virtual std::unique_ptr<TreeScheduler> fat_tree(const FatTreeShape& /*shape*/,
                                                  std::uint64_t /*seed*/) const {
    return nullptr;
  }
};

using SchedulerRegistration = Registration<SchedulingAlgorithm>;

/// The one-slot scheduler of that name; throws UserError for an unknown name and for an algorithm that cannot
/// run in the loop.
std::unique_ptr<Scheduler> make_one_slot_scheduler(std::string_view name, const SchedulerShape& shape);

/// An algorithm that is its one-slot scheduler.
template <class OneSlot>
class OneSlotAlgorithm final : public SchedulingAlgorithm {
 public:
  static std::unique_ptr<SchedulingAlgorithm> make() { return std::make_unique<OneSlotAlgorithm>(); }
  std::unique_ptr<Scheduler> one_slot(const SchedulerShape& shape) const override {
    return std::make_unique<OneSlot>(shape);
  }
};

}  // namespace hybrid
