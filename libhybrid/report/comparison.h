// Measures of a job's techniques, compared with wormhole and with the bounds (emulator/switching/bounds.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"
#include "emulator/measures.h"
#include "emulator/replay/operation.h"

namespace hybrid {

/// Parts of the mean wait of a rank for the network, by cause (libhybrid/report/wait_division.h). A part may
/// be negative.
struct WaitParts {
  Time path{}, contention{}, scheduling{}, reconfiguration{}, packet_plane{};
  Time slots{};  // the rest, if messages travel over slots
  Time other{};  // the rest, if they do not
  Time sum() const { return path + contention + scheduling + reconfiguration + packet_plane + slots + other; }
};

/// Measures of a technique, and its comparison with wormhole and the bounds.
/// How long a rank waits in each call of the program, for the network and for other ranks: means over the
/// ranks. Empty if the trace has no call sites.
using CallWaits = std::map<SourceCall, Time>;
/// 0 for a call without a wait.
Time wait_in(const CallWaits& waits, const SourceCall& call);

struct TechniqueResult {
  Measures measures;
  double speedup = 0;              // wormhole's job time / this one (2: twice as fast); 0 without wormhole
  double communication_ratio = 0;  // the same for the communication time
  /// (wormhole - this one) / (wormhole - ideal), of the job times; nothing if that gap is less than kLeastGap
  /// or a time is unknown.
  std::optional<double> gap_closed;
  /// The communication time is split into the part that remains without any network, in which the rank waits
  /// for other ranks, and the rest. Means over ranks; nothing if the job without a network is unknown.
  std::optional<Time> rank_wait, network_wait;
  std::optional<WaitParts> wait_parts;  // of network_wait; nothing unless they are found
  std::vector<std::string> limited_by;  // parts slower than the link (emulator/limits.h)
  /// The job time without the hints that the program recorded, if the technique is faster with them and
  /// therefore uses them; nothing otherwise.
  std::optional<Time> time_without_hints;
  CallWaits call_waits;
};

/// The job on a bound.
struct BoundTimes {
  Time time{};           // of the job
  Time communication{};  // mean over ranks
  CallWaits call_waits = {};
};
/// Nothing: the emulation did not reach the end of the job.
struct JobBounds {
  std::optional<BoundTimes> no_network, uncontended, ideal;
};

/// The part of wormhole's job time below which the gap to `ideal` is no measure of other techniques.
/// It is also the part of the job time that hints must save to be used.
inline constexpr double kLeastGap = 0.001;

/// (wormhole - own) / (wormhole - ideal); nothing if wormhole - ideal is less than kLeastGap of wormhole.
std::optional<double> gap_closed(Time wormhole, Time ideal, Time own);

/// A gap closed of more than this, or less than its negative, is no longer a number in texts.
inline constexpr double kMostGap = 10;
/// "97.3 %", "above 1000 %", "below -1000 %"; "-" if it is unknown.
std::string gap_text(const std::optional<double>& gap_closed);

/// The result of `technique`; nullptr: there is none.
const TechniqueResult* find_technique(const std::vector<TechniqueResult>& results,
                                      std::string_view technique);

/// Sets everything but the measures, wait_parts and limited_by.
void compare(std::vector<TechniqueResult>& results, const JobBounds& bounds);

}  // namespace hybrid
