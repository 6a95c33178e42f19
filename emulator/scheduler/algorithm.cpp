#include "emulator/scheduler/algorithm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "core/error.h"

namespace hybrid {

namespace {

[[noreturn]] void refuse_in_the_loop(std::string_view name, bool of_trees) {
  throw UserError(
      fmt::format("scheduler: '{}' cannot run in {}: it needs the whole request set at once, or another "
                  "network",
                  name, of_trees ? "the switches of a fat tree" : "a crossbar"),
      fmt::format("Give one of {}, or run `hybrid schedule`.", fmt::join(names_in_the_loop(of_trees), ", ")));
}

}  // namespace

std::vector<std::string_view> names_in_the_loop(bool of_trees) {
  std::vector<std::string_view> names;
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind)) {
    const auto algorithm = SchedulerRegistration::make(name);
    if (is_hardware(name)) continue;
    if (of_trees ? algorithm->tree_route({2, 2, 2}, 1, 1) != nullptr : algorithm->schedules_one_slot())
      names.push_back(name);
  }
  return names;
}

std::unique_ptr<Scheduler> make_one_slot_scheduler(std::string_view name, const SchedulerShape& shape) {
  SchedulerShape with_device = shape;
  with_device.device = argument_in(SchedulingAlgorithm::kKind, name);
  if (auto scheduler = SchedulerRegistration::make(name)->one_slot(with_device)) return scheduler;
  refuse_in_the_loop(name, false);
}

std::unique_ptr<TreeRoute> make_tree_route(std::string_view name, const FatTreeShape& shape,
                                           std::uint32_t slots, std::uint64_t seed) {
  if (auto route = SchedulerRegistration::make(name)->tree_route(shape, slots, seed)) return route;
  refuse_in_the_loop(name, true);
}

}  // namespace hybrid
