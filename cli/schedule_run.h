// Runs scheduling algorithms on request sets; every schedule is checked independently.
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

/// Mean, minimum and maximum of a series of numbers.
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

/// The score of one algorithm on all sets.
struct ScheduleScore {
  std::string scheduler;
  Series requests, granted, schedulability;
  Series bytes_served;                 // share of the bytes, where sizes are known
  Series slots_used, slots_needed;     // needed: the minimum that holds all; on trees a lower bound
  Series drain_ns, bound_ns, score;    // demands; score: drain / bound
  Series configurations, by_packets;   // by_packets: share of the bytes
  std::vector<HardwareCost> hardware;  // designs of the papers
  double nanoseconds = 0;              // of the algorithm alone, wall-clock time

  double ns_per_request() const { return requests.sum() == 0 ? 0 : nanoseconds / requests.sum(); }
};

struct ScheduleRun {
  std::vector<ScheduleScore> scores;
  std::uint64_t repeats = 0;
  std::uint32_t nodes = 0;  // of the sets
  std::string schedule;     // JSON text of the only schedule, if the options name an output file
};

/// The request family of generated sets, and the options that it uses. Throw UserError for an unknown name.
std::string pattern_of(const ScheduleOptions& options);
RequestFamilyUse use_of_pattern(const ScheduleOptions& options);

/// Whether the algorithm uses --steps with these options.
bool uses_steps(const std::string& scheduler, const ScheduleOptions& options);

/// The hardware designs of the papers for one slot of a crossbar.
std::vector<HardwareCost> hardware_of(const std::string& scheduler, const ScheduleOptions& options,
                                      std::uint32_t ports);

/// The names of the algorithms that can schedule the requests of `options`.
std::vector<std::string> able_schedulers(const ScheduleOptions& options);

/// Generates or reads the request sets and runs every algorithm on each. `progress`(sets done, all sets).
/// Throws UserError for options that exclude each other and for algorithms that cannot schedule the requests;
/// RunError if an algorithm returns an invalid schedule.
ScheduleRun run_schedulers(const ScheduleOptions& options,
                           const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace hybrid
