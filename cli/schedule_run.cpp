#include "cli/schedule_run.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/schedule_file.h"
#include "core/error.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/demand_bound.h"
#include "emulator/scheduler/demand_drain.h"
#include "emulator/scheduler/edge_colouring.h"
#include "emulator/scheduler/request_file.h"
#include "emulator/scheduler/request_sets.h"
#include "emulator/scheduler/schedule_check.h"
#include "emulator/scheduler/slot_by_slot.h"
#include "emulator/scheduler/tree_slot_by_slot.h"
#include "emulator/scheduler/tree_slots.h"

namespace hybrid {

namespace {

using Json = nlohmann::ordered_json;

/// Wall-clock time of `work` in nanoseconds.
template <class Work>
double timed(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

bool is_able(const SchedulingAlgorithm& algorithm, const ScheduleOptions& options) {
  if (options.tree)
    return algorithm.schedules_fat_trees() || (options.slots_given && algorithm.fits_tree_slots());
  if (options.demand) return algorithm.demand() != nullptr;
  return algorithm.slot_fitter() != nullptr ||
         algorithm.one_slot({2, options.seed, options.steps}) != nullptr;
}

std::string kind_of_problem(const ScheduleOptions& options) {
  if (options.tree) return options.slots_given ? "slots of a fat tree" : "a fat tree";
  return options.demand ? "a demand" : "slots of a crossbar";
}

/// One algorithm at work on set after set.
class Runner {
 public:
  Runner(std::string name, const ScheduleOptions& options)
      : options_(options), algorithm_(SchedulerRegistration::make(name)) {
    score_.scheduler = std::move(name);
  }

  void run(const RequestSet& set, std::span<const Configuration> fixed, std::uint64_t repeat) {
    Bytes bytes = 0;
    for (const Request& r : set.requests) bytes += r.bytes;
    score_.requests.add(static_cast<double>(set.requests.size()));
    if (options_.tree && options_.slots_given)
      run_tree_slots(set, bytes, repeat);
    else if (options_.tree)
      run_tree(set, bytes, repeat);
    else if (options_.demand)
      run_demand(set, bytes, repeat);
    else
      run_slots(set, fixed, bytes, repeat);
  }

  const ScheduleScore& score() const { return score_; }
  Json& schedule() { return schedule_; }

 private:
  void run_slots(const RequestSet& set, std::span<const Configuration> fixed, Bytes bytes,
                 std::uint64_t repeat) {
    const SlotProblem problem{set, options_.slots, fixed};
    SlotFit fit;
    if (const auto fitter = algorithm_->slot_fitter()) {
      score_.nanoseconds += timed([&] { fit = fitter->fit(problem); });
    } else {
      SlotBySlot slots([&](std::uint32_t ports) {
        return algorithm_->one_slot({ports, scheduler_seed(options_.seed + repeat), options_.steps});
      });
      slots.prepare(problem);
      score_.nanoseconds += timed([&] { slots.fill(); });
      fit = slots.take();
    }
    require_sound(fault_of(problem, fit), repeat);
    std::vector<Connection> rest;  // in no fixed slot
    std::size_t granted = 0;
    Bytes served = 0;
    for (std::size_t i = 0; i < set.requests.size(); ++i) {
      if (fit.slot_of[i] >= fixed.size()) rest.push_back(set.requests[i].connection);
      if (fit.slot_of[i] == kNoSlot) continue;
      ++granted;
      served += set.requests[i].bytes;
    }
    add_granted(granted, set.requests.size(), served, bytes);
    score_.slots_used.add(fit.slots);
    score_.slots_needed.add(static_cast<double>(fixed.size()) + maximum_degree(rest, set.ports));
    if (options_.output.empty()) return;
    std::vector<Json> slots(fit.slots, Json::array());
    for (std::size_t s = 0; s < fixed.size(); ++s)
      for (const Connection& c : fixed[s].connections()) slots[s].push_back(as_json(c));
    Json left_out = Json::array();
    for (std::size_t i = 0; i < set.requests.size(); ++i)
      if (fit.slot_of[i] >= fixed.size())
        (fit.slot_of[i] == kNoSlot ? left_out : slots[fit.slot_of[i]])
            .push_back(as_json(set.requests[i].connection));
    schedule_["slots"] = slots;
    schedule_["left_out"] = left_out;
  }

  void run_demand(const RequestSet& set, Bytes bytes, std::uint64_t repeat) {
    const DemandProblem problem{set, options_.link_rate, options_.reconfiguration, options_.partial,
                                options_.packet_share};
    if (bytes == 0)
      throw UserError("demand: no request has bytes, so that there is nothing to drain",
                      "Give sizes in the file: source,destination,bytes.");
    std::vector<TimedConfiguration> steps;
    const auto scheduler = algorithm_->demand();
    score_.nanoseconds += timed([&] { steps = scheduler->drain(problem); });
    require_sound(fault_of(problem, steps), repeat);
    const Drain drain = drain_time(problem, steps);
    const Time bound = drain_bound(problem);
    if (drain.time < bound) require_sound("drained in less time than can be", repeat);
    score_.drain_ns.add(drain.time.nanoseconds());
    score_.bound_ns.add(bound.nanoseconds());
    score_.score.add(drain.time.nanoseconds() / bound.nanoseconds());
    score_.configurations.add(static_cast<double>(steps.size()));
    score_.by_packets.add(static_cast<double>(drain.by_packets) / static_cast<double>(bytes));
    if (options_.output.empty()) return;
    Json configurations = Json::array();
    for (const TimedConfiguration& step : steps) {
      Json connections = Json::array();
      for (const Connection& c : step.configuration.connections()) connections.push_back(as_json(c));
      configurations.push_back({{"lasts_ns", step.lasts.nanoseconds()}, {"connections", connections}});
    }
    schedule_["reconfiguration_ns"] = options_.reconfiguration.nanoseconds();
    schedule_["partial"] = options_.partial;
    schedule_["drain_ns"] = drain.time.nanoseconds();
    schedule_["configurations"] = configurations;
  }

  void run_tree(const RequestSet& set, Bytes bytes, std::uint64_t repeat) {
    const FatTreeShape tree = options_.tree.value_or(FatTreeShape{});
    std::vector<Connection> requests;
    requests.reserve(set.requests.size());
    for (const Request& r : set.requests) requests.push_back(r.connection);
    std::vector<TreePath> paths(requests.size());
    prepare_tree(tree, repeat);
    std::size_t said = 0;
    score_.nanoseconds += timed([&] { said = tree_->schedule(requests, paths); });
    require_sound(fault_of(tree, requests, paths), repeat);
    std::size_t granted = 0;
    Bytes served = 0;
    Json granted_paths = Json::array(), left_out = Json::array();
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (paths[i].granted) {
        ++granted;
        served += set.requests[i].bytes;
      }
      if (options_.output.empty()) continue;
      if (!paths[i].granted) {
        left_out.push_back(as_json(requests[i]));
        continue;
      }
      granted_paths.push_back(as_json(requests[i], paths[i]));
    }
    if (granted != said)
      require_sound(fmt::format("{} grants are said, but {} paths granted", said, granted), repeat);
    add_granted(granted, set.requests.size(), served, bytes);
    if (options_.output.empty()) return;
    schedule_["paths"] = granted_paths;
    schedule_["left_out"] = left_out;
  }

  void run_tree_slots(const RequestSet& set, Bytes bytes, std::uint64_t repeat) {
    const FatTreeShape tree = options_.tree.value_or(FatTreeShape{});
    const std::uint32_t least = least_tree_slots(tree, set);
    check_tree_slots(options_.slots == 0 ? least : std::min(least, options_.slots), options_.nodes);
    TreeSlotFit fit;
    if (algorithm_->fits_tree_slots()) {
      if (!tree_slots_) tree_slots_ = algorithm_->tree_slot_fitter(tree);
      score_.nanoseconds += timed([&] { fit = tree_slots_->fit(set, options_.slots); });
    } else {
      prepare_tree(tree, repeat);
      score_.nanoseconds += timed([&] { fit = fit_slot_by_slot(*tree_, set, options_.slots); });
    }
    require_sound(fault_of(tree, set, options_.slots, fit), repeat);
    if (options_.slots == 0 && fit.slots < least) require_sound("fewer slots than can be", repeat);
    std::size_t granted = 0;
    Bytes served = 0;
    for (std::size_t i = 0; i < set.requests.size(); ++i) {
      if (fit.slot_of[i] == kNoSlot) continue;
      ++granted;
      served += set.requests[i].bytes;
    }
    add_granted(granted, set.requests.size(), served, bytes);
    score_.slots_used.add(fit.slots);
    score_.slots_needed.add(least);
    if (options_.output.empty()) return;
    std::vector<Json> slots(fit.slots, Json::array());
    Json left_out = Json::array();
    for (std::size_t i = 0; i < set.requests.size(); ++i)
      if (fit.slot_of[i] == kNoSlot)
        left_out.push_back(as_json(set.requests[i].connection));
      else
        slots[fit.slot_of[i]].push_back(as_json(set.requests[i].connection, fit.path_of[i]));
    schedule_["slots"] = slots;
    schedule_["left_out"] = left_out;
  }

  /// One scheduler for all sets, unless it draws: then each set has a seed of its own.
  void prepare_tree(const FatTreeShape& tree, std::uint64_t repeat) {
    if (!tree_ || algorithm_->draws())
      tree_ = algorithm_->fat_tree(tree, scheduler_seed(options_.seed + repeat));
  }

  void add_granted(std::size_t granted, std::size_t requests, Bytes served, Bytes bytes) {
    score_.granted.add(static_cast<double>(granted));
    score_.schedulability.add(requests == 0 ? 1
                                            : static_cast<double>(granted) / static_cast<double>(requests));
    if (bytes > 0) score_.bytes_served.add(static_cast<double>(served) / static_cast<double>(bytes));
  }

  void require_sound(const std::string& fault, std::uint64_t repeat) const {
    if (!fault.empty())
      throw RunError(fmt::format("scheduler {} returned what is no schedule: {} (set {}, seed {})",
                                 score_.scheduler, fault, repeat, options_.seed),
                     "This is a fault of the scheduler; nothing is reported of it.");
  }

  static Json as_json(Connection c) { return Json::array({c.source, c.destination}); }
  static Json as_json(Connection c, const TreePath& path) {
    Json up = Json::array();
    for (std::uint32_t h = 0; h < path.turn; ++h) up.push_back(path.up[h]);
    return {{"source", c.source}, {"destination", c.destination}, {"up", up}};
  }

  const ScheduleOptions& options_;
  std::unique_ptr<SchedulingAlgorithm> algorithm_;
  std::unique_ptr<TreeScheduler> tree_;
  std::unique_ptr<TreeSlotFitter> tree_slots_;
  ScheduleScore score_;
  Json schedule_;
};

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

/// Sets that are all the same are tried once, unless a scheduler was named that draws.
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

bool heeds_steps(const std::string& scheduler, const ScheduleOptions& options) {
  return !options.tree && !options.demand && SchedulerRegistration::make(scheduler)->has_steps();
}

std::vector<std::string> able_schedulers(const ScheduleOptions& options) {
  std::vector<std::string> able;
  for (const std::string_view name : registered_names(SchedulingAlgorithm::kKind))
    if (is_able(*SchedulerRegistration::make(name), options)) able.emplace_back(name);
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

  std::vector<Runner> runners;
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
    for (Runner& runner : runners) {
      runner.run(set, fixed, repeat);
      progress(repeat, run.repeats);
    }
  }
  for (const Runner& runner : runners) run.scores.push_back(runner.score());
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
