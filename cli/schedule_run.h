// Scheduling algorithms on request sets, each schedule checked before anything is said of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/schedule_options.h"
#include "emulator/scheduler/hardware_cost.h"
#include "emulator/scheduler/request_sets.h"

namespace hybrid {

/// Mean, smallest and largest of some numbers.
class Series {
 public:
  void add(double x) {
    least_ = count_ == 0 ? x : std::min(least_, x);
    largest_ = count_ == 0 ? x : std::max(largest_, x);
    sum_ += x;
    ++count_;
  }
  bool empty() const { return count_ == 0; }
  double sum() const { return sum_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  double least() const { return least_; }
  double largest() const { return largest_; }

 private:
  double sum_ = 0, least_ = 0, largest_ = 0;
  std::uint64_t count_ = 0;
};

/// One algorithm on all sets.
struct ScheduleScore {
  std::string scheduler;
  Series requests, granted, schedulability;
  Series bytes_served;                 // share of the bytes, where sizes are known
  Series slots_used, slots_needed;     // needed: the fewest that hold all; of trees, no fewer do
  Series drain_ns, bound_ns, score;    // demands; score: drain / bound
  Series configurations, by_packets;   // by_packets: share of the bytes
  std::vector<HardwareCost> hardware;  // the papers' designs for it
  double nanoseconds = 0;              // of the algorithm alone, wall-clock time

  double ns_per_request() const { return requests.sum() == 0 ? 0 : nanoseconds / requests.sum(); }
};

struct ScheduleRun {
  std::vector<ScheduleScore> scores;
  std::uint64_t repeats = 0;
  std::uint32_t nodes = 0;  // of the sets
  std::string schedule;     // JSON text of the one schedule, where it was asked for
};

/// The request family that is drawn from, where there is no file, and what means something to it. Throws
/// UserError for an unknown name.
std::string pattern_of(const ScheduleOptions& options);
RequestFamilyUse use_of_pattern(const ScheduleOptions& options);

/// Whether --steps means something to this algorithm, in what is asked.
bool heeds_steps(const std::string& scheduler, const ScheduleOptions& options);

/// The designs that the papers give for it, where one slot of a crossbar is scheduled.
std::vector<HardwareCost> hardware_of(const std::string& scheduler, const ScheduleOptions& options,
                                      std::uint32_t ports);

/// The algorithms that can schedule what `options` ask, by name.
std::vector<std::string> able_schedulers(const ScheduleOptions& options);

/// Draws or takes the sets and runs every algorithm on each. Throws UserError for options that do not go
/// together and for algorithms that cannot; RunError when an algorithm returns what is not a schedule.
/// `progress`(sets done, all).
ScheduleRun run_schedulers(const ScheduleOptions& options,
                           const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace hybrid
