// Limits of a verdict: how much any switch could save, and whether the verdict holds with longer worms.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"
#include "libhybrid/report/comparison.h"
#include "libhybrid/report/verdict.h"

namespace hybrid {

/// The --worm-limit with which a verdict is compared. A scheduling pass takes few word times, so that a worm
/// of 4 KiB (512 words of 8 bytes) leaves little to gain by still longer ones.
inline constexpr Bytes kLongWorms = 4096;

/// The verdict if wormhole, and the technique that the verdict picks, have worms of kLongWorms.
struct LongWorms {
  Bytes worm_limit = kLongWorms;
  Time wormhole{};                   // job time
  std::optional<double> gap_closed;  // by wormhole with these worms
  Verdict verdict;
  bool changes_verdict = false;  // another technique is picked, or a tie becomes one, or none
};

struct VerdictLimits {
  std::string reference;  // technique of which largest_saving is a part: wormhole, or the one picked
  Bytes worm_limit = 0;   // of the techniques
  /// The largest part of the reference's job time that a switch can save: down to `uncontended`, or to the
  /// fastest technique if that is even faster (emulator/switching/uncontended.cpp has the reason). Nothing if
  /// the bound is unknown, or no message crosses the switch.
  std::optional<double> largest_saving;
  /// Nothing if longer worms can hardly change the verdict (no switch can save more than kTie of wormhole's
  /// time, or the worms are that long), or nothing is compared with wormhole.
  std::optional<LongWorms> long_worms;
};

/// Emulates a technique, of which these are the measures, with worms of kLongWorms. Nothing: the emulation
/// did not reach the end of the job.
using LongWormRun = std::function<std::optional<Measures>(const Measures& original)>;

/// Calls `run` at most twice. `results`: compared; `slots_needed`: as for judge().
VerdictLimits limits_of(const Verdict& verdict, const std::vector<TechniqueResult>& results,
                        const JobBounds& bounds, Bytes worm_limit, std::uint32_t slots_needed,
                        const LongWormRun& run);

/// Sentences to append to that of the verdict, each after a blank.
std::string limits_text(const VerdictLimits& limits);

}  // namespace hybrid
