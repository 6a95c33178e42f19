// Where the hints come from that a job's preloaded slots hold: option `hints`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "emulator/replay/phase_hints.h"
#include "libhybrid/report/job_report.h"

namespace hybrid {

/// `source`: what the program told while it was recorded; anything else names a binary that has hints.
inline constexpr std::string_view kRecordedHints = "recorded";

/// The recording has no hints, or none of its phases is one of the binary's.
class NoHints final : public UserError {
 public:
  using UserError::UserError;
};

/// `trace`: its name, for errors; `phases`: the job's, by name. Throws NoHints, and UserError for a binary
/// without hints.
PhaseHints hints_of(const std::string& source, const std::string& trace, const TraceOpener& open,
                    const std::vector<Phase>& phases);

/// A line for each of the job's phases of which the hints do not know all.
std::vector<std::string> gaps_of(const PhaseHints& hints, const std::vector<Phase>& phases);

}  // namespace hybrid
