// `--slots auto`: K of each technique, found by emulations of the job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/time.h"
#include "libhybrid/report/job_emulator.h"

namespace hybrid {

/// K of one technique.
struct SlotsFound {
  std::string technique;
  std::uint32_t slots = 0;
  /// The values that were emulated, ascending, with the job times; nothing: the emulation did not reach the
  /// end.
  std::vector<std::pair<std::uint32_t, std::optional<Time>>> tried;
};

/// For each of `techniques` with slots, in order: the smallest K of its design_space() with which the job
/// takes at most kLeastGap longer than with the fastest K. All values are emulated, several at a time. K of
/// the options if no emulation reached the end. Throws UserError if no value is possible.
std::vector<SlotsFound> find_slots(const JobEmulator& job, const std::vector<std::string>& techniques,
                                   const ProgressNote& note);

/// "K of tdm is 4: the smallest of 1, 2, 4, 8 with which the job takes at most 0.1 % longer than with the
/// best."
std::string to_text(const SlotsFound& found);

}  // namespace hybrid
