// A demand matrix in the form in which the demand schedulers work on it: its entries as times on a link, in
// picoseconds; and the schedule as it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "emulator/scheduler/demand_scheduler.h"

namespace hybrid {

struct DemandEntry {
  Connection connection;     // of stuffing alone: may lead a port to itself
  std::int64_t left = 0;     // of the demand
  std::int64_t stuffed = 0;  // with what was added to make all row and column sums equal (stuff())
};

/// The requests with bytes, in order; `stuffed` is 0.
std::vector<DemandEntry> demand_entries(const DemandProblem& problem);

/// Makes all row and column sums of `stuffed` equal to the largest of `left`: first by enlarging what is
/// there, then by new entries, no more than 2 ports - 1 (QuickStuff of Solstice, section 4 there).
void stuff(std::vector<DemandEntry>& entries, std::uint32_t ports);

/// Configurations x ports of a schedule: about 1 GiB. Throws UserError for more.
inline constexpr std::size_t kMostScheduleCells = std::size_t{1} << 27;
void check_schedule_size(std::size_t configurations, std::uint32_t ports);

/// A schedule for a fabric whose ports all stand still while it reconfigures, one configuration after the
/// other, until nothing is left or the packet network carries the rest in the time that the fabric has taken.
class DrainBuilder {
 public:
  DrainBuilder(const DemandProblem& problem, std::vector<DemandEntry>& entries);

  bool done() const { return done_; }
  /// Holds a configuration of these entries for `time` of carrying, shorter where none of them needs so long,
  /// or where the packet network is done with the rest earlier. Entries with nothing left are passed over.
  void hold(std::span<const std::size_t> members, std::int64_t time);
  /// Holds them until the least of what stuffing left of theirs is carried, and takes that off all of them.
  void hold_for_least(std::span<const std::size_t> members);
  std::vector<TimedConfiguration> take() { return std::move(schedule_); }

 private:
  std::int64_t busiest_after(std::span<const std::size_t> members, std::int64_t time);
  std::int64_t packet_time(std::int64_t load) const;

  const DemandProblem& problem_;
  std::vector<DemandEntry>& entries_;
  BitRate packets_;
  std::vector<std::int64_t> row_, column_;  // sums of what is left
  std::vector<std::int64_t> row_after_, column_after_;
  std::int64_t now_ = 0;
  bool done_ = false;
  std::vector<TimedConfiguration> schedule_;
};

/// A perfect matching of the ports over those entries whose `stuffed` is large enough, kept while entries
/// shrink: only what has become too small is matched anew.
class KeptMatching {
 public:
  KeptMatching(const std::vector<DemandEntry>& entries, std::uint32_t ports);

  /// Matches every port over entries with stuffed >= `least` > 0; false where that cannot be (then what could
  /// be matched stays).
  bool complete(std::int64_t least);
  /// After complete(): the entry of each input.
  std::span<const std::size_t> members() const { return entry_of_input_; }

 private:
  bool augment(Port input, std::int64_t least);

  const std::vector<DemandEntry>& entries_;
  std::uint32_t ports_;
  std::vector<std::size_t> first_, around_;  // entries by input
  std::vector<std::size_t> entry_of_input_, entry_of_output_;
  std::vector<std::uint32_t> seen_;  // outputs, by search
  std::uint32_t search_ = 0;
  struct Visit {
    Port input;
    std::size_t next;
  };
  std::vector<Visit> path_;
};

}  // namespace hybrid
