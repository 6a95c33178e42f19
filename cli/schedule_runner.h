// One scheduling algorithm at work on request set after request set: asked, checked independently, scored.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "cli/schedule_options.h"
#include "cli/schedule_run.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/scheduler/request_sets.h"

namespace hybrid {

class ScheduleRunner {
 public:
  /// An algorithm that can schedule what `options`, which must outlive the runner, ask for. Throws UserError
  /// for an unknown name.
  ScheduleRunner(std::string name, const ScheduleOptions& options);

  /// Schedules set number `repeat`; slots of `fixed` are there already (crossbars only). Throws RunError when
  /// the algorithm returns what is not a schedule, UserError for a set that asks for nothing or for too much.
  void run(const RequestSet& set, std::span<const Configuration> fixed, std::uint64_t repeat);

  /// Of all sets so far.
  const ScheduleScore& score() const { return score_; }
  /// The last set's schedule, where the options name a file for it.
  nlohmann::ordered_json& schedule() { return schedule_; }

 private:
  void run_slots(const RequestSet& set, std::span<const Configuration> fixed, Bytes bytes,
                 std::uint64_t repeat);
  void run_demand(const RequestSet& set, Bytes bytes, std::uint64_t repeat);
  void run_tree(const RequestSet& set, Bytes bytes, std::uint64_t repeat);
  void run_tree_slots(const RequestSet& set, Bytes bytes, std::uint64_t repeat);
  /// One scheduler for all sets, unless it draws: then each set has a seed of its own.
  void prepare_tree(const FatTreeShape& tree, std::uint64_t repeat);
  void add_granted(std::size_t granted, std::size_t requests, Bytes served, Bytes bytes);
  void require_sound(const std::string& fault, std::uint64_t repeat) const;

  const ScheduleOptions& options_;
  std::unique_ptr<SchedulingAlgorithm> algorithm_;
  std::unique_ptr<TreeScheduler> tree_;
  std::unique_ptr<TreeSlotFitter> tree_slots_;
  ScheduleScore score_;
  nlohmann::ordered_json schedule_;
};

}  // namespace hybrid
