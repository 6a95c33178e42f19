// Lays the clocks of a job's processes over each other.
//
// Journals count ticks of a clock that all processes of a host share (the cycle counter, or the system's
// monotonic clock), and each header says its rate and its reading at some wall-clock time. Both are measured
// by every process on its own, with an error of its own. So all processes of a host use one line, the median
// of theirs, which keeps the order of their events exactly; hosts differ by the error of their wall clocks,
// which causality.h bounds from the messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/journal.h"
#include "core/time.h"

namespace hybrid {

/// One process's readings.
struct ClockReading {
  std::string host;
  std::uint64_t ticks_per_second = 0, origin_ticks = 0;
  std::uint64_t origin_ns = 0;  // 0: none, the process left no journal
};

class RankClocks {
 public:
  /// One reading a process. Processes of one host whose readings disagree by more than 10 ms do not share a
  /// clock (virtual machines that call themselves alike): each such process is a domain of its own.
  /// A rate of 0 (the process died before it calibrated) is taken from the others of the host, or 1e9. One
  /// without a reading has no events to place; it counts for nothing, its domain is 0.
  explicit RankClocks(const std::vector<ClockReading>& readings);

  /// Processes in the same domain share a clock; domains are numbered from 0.
  std::uint32_t domain(std::uint32_t process) const { return domain_of_[process]; }
  std::uint32_t domains() const { return static_cast<std::uint32_t>(lines_.size()); }

  /// Time since `epoch_ns`.
  Time at(std::uint32_t process, std::uint64_t ticks) const { return lines_[domain_of_[process]].at(ticks); }
  /// Wall-clock time (ns since 1970) of time zero: the earliest origin.
  std::uint64_t epoch_ns() const { return epoch_ns_; }

  /// Moves a domain's clock.
  void shift(std::uint32_t domain, Time by) { lines_[domain].origin += by; }

 private:
  struct Line {
    std::uint64_t origin_ticks = 0;
    Time origin{};             // at origin_ticks
    std::uint64_t factor = 0;  // picoseconds a tick, 44 fractional bits
    Time at(std::uint64_t ticks) const;
  };
  static Line fit(const std::vector<ClockReading>& readings, const std::vector<std::uint32_t>& processes,
                  std::uint64_t epoch_ns);

  std::vector<std::uint32_t> domain_of_;
  std::vector<Line> lines_;
  std::uint64_t epoch_ns_ = 0;
};

}  // namespace hybrid
