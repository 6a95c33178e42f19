// Converts the clocks of a job's processes to a common time.
//
// Journals count ticks of a clock that all processes of a host share (the cycle counter, or the system's
// monotonic clock). The header of each has the rate of the clock and its reading at a wall-clock time. Each
// process measures both with a different error. Therefore all processes of a host use the median of their
// measurements, which keeps the order of their events exactly. The clocks of hosts differ by the error of
// their wall clocks; correct_clocks() shifts them so that no message is received before it is sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/journal.h"
#include "core/time.h"
#include "libhybrid/recording/recording.h"

namespace hybrid {

/// Measurements of one process.
struct ClockReading {
  std::string host;
  std::uint64_t ticks_per_second = 0, origin_ticks = 0;
  std::uint64_t origin_ns = 0;  // 0: none, since the process has no journal
};

class RankClocks {
 public:
  /// `readings`: one per process. Processes of a host whose readings differ by more than 10 ms do not share a
  /// clock (virtual machines with the same host name); each of them is a separate domain. A rate of 0 (the
  /// process died before it measured it) is replaced by that of the other processes of the host, or by 1e9. A
  /// process without a reading has no events; it is ignored, and its domain is 0.
  explicit RankClocks(const std::vector<ClockReading>& readings);

  /// The domain of a process, from 0. Processes in the same domain share a clock.
  std::uint32_t domain(std::uint32_t process) const { return domain_of_[process]; }
  std::uint32_t domains() const { return static_cast<std::uint32_t>(lines_.size()); }

  /// Time since epoch_ns().
  Time at(std::uint32_t process, std::uint64_t ticks) const { return lines_[domain_of_[process]].at(ticks); }
  /// Wall-clock time (ns since 1970) of time 0: the earliest origin.
  std::uint64_t epoch_ns() const { return epoch_ns_; }

  /// Shifts the clock of a domain.
  void shift(std::uint32_t domain, Time by) { lines_[domain].origin += by; }

 private:
  struct Line {
    std::uint64_t origin_ticks = 0;
    Time origin{};             // at origin_ticks
    std::uint64_t factor = 0;  // picoseconds per tick, with 44 fractional bits
    Time at(std::uint64_t ticks) const;
  };
  static Line fit(const std::vector<ClockReading>& readings, const std::vector<std::uint32_t>& processes,
                  std::uint64_t epoch_ns);

  std::vector<std::uint32_t> domain_of_;
  std::vector<Line> lines_;
  std::uint64_t epoch_ns_ = 0;
};

struct ClockCorrection {
  Time largest_shift{};  // of a host's clock
  std::uint64_t early_messages =
      0;  // messages that were received before they were sent, without the correction
  /// Shifts do not correct clocks that drift apart: messages may still be early by up to this time.
  Time remaining{};
};

/// Reads all messages between processes that do not share a clock, and shifts each clock forward by the least
/// time with which no message arrives before it is sent (a system of difference constraints, solved by the
/// relaxation of Bellman and Ford). Does nothing if all processes share a clock: a receive then always ends
/// after the begin of its send.
ClockCorrection correct_clocks(const Recording& recording, RankClocks& clocks);

}  // namespace hybrid
