#include "cli/schedule_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/schedule_file.h"
#include "cli/schedule_runner.h"
#include "core/error.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/request_file.h"
#include "emulator/scheduler/request_sets.h"
#include "emulator/scheduler/schedule_check.h"

namespace hybrid {

namespace {

using Json = nlohmann::ordered_json;

bool is_able(const SchedulingAlgorithm& algorithm, const ScheduleOptions& options) {
  if (options.tree)
    return algorithm.schedules_fat_trees() || (options.slots_given && algorithm.fits_tree_slots());
  if (options.demand) return algorithm.demand() != nullptr;
  return algorithm.slot_fitter() != nullptr || algorithm.schedules_one_slot();
}

std::string kind_of_problem(const ScheduleOptions& options) {
  if (options.tree) return options.slots_given ? "slots of a fat tree" : "a fat tree";
  return options.demand ? "a demand" : "slots of a crossbar";
}

/// A link of a fat tree's node carries one connection.
void require_permutation(const RequestSet& set) {
  std::vector<unsigned char> sends(set.ports), receives(set.ports);
  for (const Request& r : set.requests) {
    const bool again = sends[r.connection.source]++ != 0;
    if (again || receives[r.connection.destination]++ != 0)
      throw UserError(
          fmt::format("requests: node {} {} twice, but a fat tree's node has one link each way",
                      again ? r.connection.source : r.connection.destination, again ? "sends" : "receives"),
          "Give each node one request at most in each direction, such as --pattern permutation, or "
          "--slots K (0: as few as needed).");
  }
}

/// Sets that are all equal are scheduled once, unless a named scheduler is random.
std::uint64_t repeats_of(const ScheduleOptions& options) {
  if (!options.requests.empty()) return 1;
  if (options.repeats != 0) return options.repeats;
  const RequestFamilyUse use = use_of_pattern(options);
  const bool draws =
      use.draws || (use.sizes && options.random_sizes) ||
      std::any_of(options.schedulers.begin(), options.schedulers.end(),
                  [](const std::string& name) { return SchedulerRegistration::make(name)->draws(); });
  if (!draws) return 1;
  return !options.output.empty() ? 1 : options.demand ? 10 : 100;
}

}  // namespace

std::string pattern_of(const ScheduleOptions& options) {
  if (!options.pattern.empty()) return options.pattern;
  return options.tree && !options.slots_given ? "permutation" : "random";
}

RequestFamilyUse use_of_pattern(const ScheduleOptions& options) {
  return RequestFamilyRegistration::make(pattern_of(options), RequestSetShape{2})->use();
}

bool uses_steps(const std::string& scheduler, const ScheduleOptions& options) {
  return !options.tree && !options.demand &&
         uses_option(SchedulingAlgorithm::kKind, scheduler, "scheduler-steps");
}

std::vector<HardwareCost> hardware_of(const std::string& scheduler, const ScheduleOptions& options,
                                      std::uint32_t ports) {
  if (options.tree || options.demand) return {};
  return SchedulerRegistration::make(scheduler)->hardware({ports, options.seed, options.steps});
}

std::vector<std::string> able_schedulers(const ScheduleOptions& options) {
  std::vector<std::string> able;
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind))
    if (!is_hardware(name) && is_able(*SchedulerRegistration::make(name), options)) able.emplace_back(name);
  return able;
}

ScheduleRun run_schedulers(const ScheduleOptions& options,
                           const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  if (options.tree && options.demand)
    throw UserError("demand: demands are drained through a crossbar",
                    "Leave --demand out, or give crossbar:N.");
  if (!options.preload.empty() && (options.tree || options.demand))
    throw UserError("preload: slots are those of a crossbar", "Leave --preload out.");
  const std::vector<std::string> able = able_schedulers(options);
  const std::vector<std::string> names = options.schedulers.empty() ? able : options.schedulers;
  if (names.empty())
    throw UserError("scheduler: none is registered for " + kind_of_problem(options),
                    "Give another --network.");
  for (const std::string& name : names)
    if (!is_able(*SchedulerRegistration::make(name), options))
      throw UserError(fmt::format("scheduler: '{}' cannot schedule {}", name, kind_of_problem(options)),
                      fmt::format("Those that can: {}.", fmt::join(able, ", ")));

  ScheduleRun run;
  run.repeats = repeats_of(options);
  if (!options.output.empty() && (names.size() != 1 || run.repeats != 1))
    throw UserError(fmt::format("output: it is of one schedule, but {} schedulers run on {} sets",
                                names.size(), run.repeats),
                    "Give one --scheduler, and --repeats 1.");

  std::vector<ScheduleRunner> runners;
  runners.reserve(names.size());
  for (const std::string& name : names) runners.emplace_back(name, options);
  std::unique_ptr<RequestFamily> family;
  if (options.requests.empty())
    family = RequestFamilyRegistration::make(
        pattern_of(options),
        {options.nodes, options.density, options.message, options.random_sizes, options.hotspot});
  std::vector<Configuration> fixed;
  Random random(options.seed);
  for (std::uint64_t repeat = 0; repeat < run.repeats; ++repeat) {
    RequestSet set = family ? family->draw(random)
                            : read_requests(options.requests, options.nodes_given ? options.nodes : 0);
    run.nodes = set.ports;
    count_unknown_as_one_byte(set);
    if (!options.tree && set.ports > kMostCrossbarPorts)
      throw UserError(fmt::format("requests: a crossbar of {} ports is too large", set.ports),
                      fmt::format("Give at most {} ports.", kMostCrossbarPorts));
    if (const std::string fault = fault_of(set); !fault.empty()) throw RunError("request set: " + fault);
    if (options.tree && !options.slots_given) require_permutation(set);
    if (!options.preload.empty() && fixed.empty()) fixed = read_slots(options.preload, set.ports);
    for (ScheduleRunner& runner : runners) {
      runner.run(set, fixed, repeat);
      progress(repeat, run.repeats);
    }
  }
  for (const ScheduleRunner& runner : runners) {
    run.scores.push_back(runner.score());
    run.scores.back().hardware = hardware_of(runner.score().scheduler, options, run.nodes);
  }
  if (!options.output.empty()) {
    Json whole{{"scheduler", names.front()},
               {"network", network_name(options, run.nodes)},
               {"seed", options.seed},
               {"checked", true}};
    whole.update(runners.front().schedule());
    run.schedule = whole.dump() + "\n";
  }
  return run;
}

}  // namespace hybrid
