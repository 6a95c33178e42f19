// A demand matrix as the demand schedulers process it: entries as times on a link, in picoseconds; and the
// schedule under construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "emulator/scheduler/demand_scheduler.h"

namespace hybrid {

struct DemandEntry {
  Connection connection;     // source and destination may be equal in an entry added by stuffing
  std::int64_t left = 0;     // of the demand
  std::int64_t stuffed = 0;  // `left` plus what stuff() added to make all row and column sums equal
};

/// The requests with bytes, in order; `stuffed` is 0.
std::vector<DemandEntry> demand_entries(const DemandProblem& problem);

/// Makes all row and column sums of `stuffed` equal to the largest sum of `left`: first by enlarging existing
/// entries, then by adding at most 2 ports - 1 entries (QuickStuff of Solstice, section 4 there).
void stuff(std::vector<DemandEntry>& entries, std::uint32_t ports);

/// Limit of configurations x ports of a schedule: about 1 GiB.
inline constexpr std::size_t kMostScheduleCells = std::size_t{1} << 27;
/// Throws UserError for a schedule beyond kMostScheduleCells.
void check_schedule_size(std::size_t configurations, std::uint32_t ports);

/// Builds a schedule for a fabric in which all ports wait during a reconfiguration: one configuration after
/// the other, until no demand is left or the packet network carries the rest in the time that the fabric has
/// taken.
class DrainBuilder {
 public:
  /// Both arguments must outlive the builder; it reduces `left` and `stuffed` of the entries.
  DrainBuilder(const DemandProblem& problem, std::vector<DemandEntry>& entries);

  bool done() const { return done_; }
  /// Holds a configuration of these entries while they carry for `time`; shorter if none of them has so much
  /// left, or if the packet network finishes the rest earlier. Skips entries with nothing left.
  void hold(std::span<const std::size_t> members, std::int64_t time);
  /// Holds these entries for the smallest of their `stuffed` times, and subtracts that time from each
  /// `stuffed`.
  void hold_for_least(std::span<const std::size_t> members);
  std::vector<TimedConfiguration> take_schedule() { return std::move(schedule_); }

 private:
  std::int64_t busiest_after(std::span<const std::size_t> members, std::int64_t time);
  std::int64_t packet_time(std::int64_t load) const;

  const DemandProblem& problem_;
  std::vector<DemandEntry>& entries_;
  BitRate packets_;
  std::vector<std::int64_t> row_, column_;  // sums of `left`
  std::vector<std::int64_t> row_after_, column_after_;
  std::int64_t now_ = 0;
  bool done_ = false;
  std::vector<TimedConfiguration> schedule_;
};

/// A perfect matching of the ports over the entries whose `stuffed` is large enough. It is kept while entries
/// shrink: only connections that have become too small are matched again.
class KeptMatching {
 public:
  KeptMatching(const std::vector<DemandEntry>& entries, std::uint32_t ports);

  /// Matches every port over entries with stuffed >= `least` > 0. Returns false if there is no such matching;
  /// the connections that were matched then stay matched.
  bool complete(std::int64_t least);
  /// After complete() returned true: the entry of each input.
  std::span<const std::size_t> members() const { return entry_of_input_; }

 private:
  bool augment(Port input, std::int64_t least);

  const std::vector<DemandEntry>& entries_;
  std::uint32_t ports_;
  std::vector<std::size_t> first_, around_;  // entries by input
  std::vector<std::size_t> entry_of_input_, entry_of_output_;
  std::vector<std::uint32_t> seen_;  // by output: the last search that visited it
  std::uint32_t search_ = 0;
  struct Visit {
    Port input;
    std::size_t next;
  };
  std::vector<Visit> path_;
};

/// The first threshold of drain_by_perfect_matchings(), > 0, chosen from the stuffed entries.
using FirstThreshold = std::int64_t (*)(std::span<const DemandEntry> stuffed);

/// Stuffs the demand; then takes perfect matchings of entries at or above a threshold, each held for its
/// smallest entry, and halves the threshold when there is none. Ends with the demand, or when the threshold
/// falls below 1.
std::vector<TimedConfiguration> drain_by_perfect_matchings(const DemandProblem& problem,
                                                           FirstThreshold first);

}  // namespace hybrid
