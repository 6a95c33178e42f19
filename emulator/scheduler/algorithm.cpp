#include "emulator/scheduler/algorithm.h"

#include <string>

#include "core/error.h"

namespace hybrid {

std::unique_ptr<Scheduler> make_one_slot_scheduler(std::string_view name, const SchedulerShape& shape) {
  if (auto scheduler = SchedulerRegistration::make(name)->one_slot(shape)) return scheduler;
  std::string can;
  for (const std::string_view other : registered_names(SchedulingAlgorithm::kKind))
    if (SchedulerRegistration::make(other)->one_slot({2}))
      can += (can.empty() ? "" : ", ") + std::string(other);
  throw UserError(
      "scheduler: '" + std::string(name) + "' needs the whole set at once and cannot run in a switch",
      "Give one of " + can + ", or ask `hybrid schedule`.");
}

}  // namespace hybrid
