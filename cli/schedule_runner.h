// Runs one scheduling algorithm on one request set after the other, checks its schedules and scores them.
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
  /// `name`: an algorithm that can schedule the requests of `options`, which must outlive the runner. Throws
  /// UserError for an unknown name.
  ScheduleRunner(std::string name, const ScheduleOptions& options);

  /// Schedules set number `repeat`. The slots of `fixed` are occupied already (crossbars only). Throws
  /// RunError if the algorithm returns an invalid schedule, UserError for a set that is empty or too large.
  void run(const RequestSet& set, std::span<const Configuration> fixed, std::uint64_t repeat);

  /// The score over all sets so far.
  const ScheduleScore& score() const { return score_; }
  /// The schedule of the last set, if the options name a file for it.
  nlohmann::ordered_json& schedule() { return schedule_; }

 private:
  void run_slots(const RequestSet& set, std::span<const Configuration> fixed, Bytes bytes,
                 std::uint64_t repeat);
  void run_demand(const RequestSet& set, Bytes bytes, std::uint64_t repeat);
  void run_tree(const RequestSet& set, Bytes bytes, std::uint64_t repeat);
  void run_tree_slots(const RequestSet& set, Bytes bytes, std::uint64_t repeat);
  /// Creates the scheduler: one for all sets, unless it is random; then one for each set, with its own seed.
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
