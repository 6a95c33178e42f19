#include "cli/schedule_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/error.h"
#include "emulator/scheduler/demand_drain.h"
#include "emulator/scheduler/edge_colouring.h"
#include "emulator/scheduler/schedule_check.h"
#include "emulator/scheduler/slot_by_slot.h"
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

Json as_json(Connection c) { return Json::array({c.source, c.destination}); }

Json as_json(Connection c, const TreePath& path) {
  Json up = Json::array();
  for (std::uint32_t h = 0; h < path.turn; ++h) up.push_back(path.up[h]);
  return {{"source", c.source}, {"destination", c.destination}, {"up", up}};
}

}  // namespace

ScheduleRunner::ScheduleRunner(std::string name, const ScheduleOptions& options)
    : options_(options), algorithm_(SchedulerRegistration::make(name)) {
  score_.scheduler = std::move(name);
}

void ScheduleRunner::run(const RequestSet& set, std::span<const Configuration> fixed, std::uint64_t repeat) {
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

void ScheduleRunner::run_slots(const RequestSet& set, std::span<const Configuration> fixed, Bytes bytes,
                               std::uint64_t repeat) {
  const SlotProblem problem{set, options_.slots, fixed};
  SlotFit fit;
  if (const auto fitter = algorithm_->slot_fitter()) {
    score_.nanoseconds += timed([&] { fit = fitter->fit(problem); });
  } else {
    SlotBySlot slots([&](std::uint32_t ports) {
      return make_one_slot_scheduler(score_.scheduler,
                                     {ports, scheduler_seed(options_.seed + repeat), options_.steps});
    });
    slots.prepare(problem);
    score_.nanoseconds += timed([&] { slots.fill_slots(); });
    fit = slots.take_fit();
  }
  require_sound(fault_of(problem, fit), repeat);
  std::vector<Connection> rest;  // not in a fixed slot
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

void ScheduleRunner::run_demand(const RequestSet& set, Bytes bytes, std::uint64_t repeat) {
  const DemandProblem problem{set, options_.link_rate, options_.reconfiguration, options_.partial,
                              options_.packet_plane};
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

void ScheduleRunner::run_tree(const RequestSet& set, Bytes bytes, std::uint64_t repeat) {
  const FatTreeShape tree = options_.tree.value_or(FatTreeShape{});
  std::vector<Connection> requests;
  requests.reserve(set.requests.size());
  for (const Request& r : set.requests) requests.push_back(r.connection);
  std::vector<TreePath> paths(requests.size());
  prepare_tree(tree, repeat);
  std::size_t reported = 0;
  score_.nanoseconds += timed([&] { reported = tree_->schedule(requests, paths); });
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
  if (granted != reported)
    require_sound(fmt::format("{} grants reported, but {} paths granted", reported, granted), repeat);
  add_granted(granted, set.requests.size(), served, bytes);
  if (options_.output.empty()) return;
  schedule_["paths"] = granted_paths;
  schedule_["left_out"] = left_out;
}

void ScheduleRunner::run_tree_slots(const RequestSet& set, Bytes bytes, std::uint64_t repeat) {
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

void ScheduleRunner::prepare_tree(const FatTreeShape& tree, std::uint64_t repeat) {
  if (!tree_ || algorithm_->draws())
    tree_ = algorithm_->fat_tree(tree, scheduler_seed(options_.seed + repeat));
}

void ScheduleRunner::add_granted(std::size_t granted, std::size_t requests, Bytes served, Bytes bytes) {
  score_.granted.add(static_cast<double>(granted));
  score_.schedulability.add(requests == 0 ? 1 : static_cast<double>(granted) / static_cast<double>(requests));
  if (bytes > 0) score_.bytes_served.add(static_cast<double>(served) / static_cast<double>(bytes));
}

void ScheduleRunner::require_sound(const std::string& fault, std::uint64_t repeat) const {
  if (!fault.empty())
    throw RunError(fmt::format("scheduler {} returned what is no schedule: {} (set {}, seed {})",
                               score_.scheduler, fault, repeat, options_.seed),
                   "This is a fault of the scheduler; nothing is reported of it.");
}

}  // namespace hybrid
