// Hints for the preloaded slots of a job (option `hints`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "emulator/replay/phase_hints.h"
#include "libhybrid/report/job_report.h"

namespace hybrid {

/// The source of hints that the program gave while it was recorded. Any other source is the path of a binary.
inline constexpr std::string_view kRecordedHints = "recorded";

/// Error: the recording has no hints, or the binary has no hints for any phase of the recording.
class NoHints final : public UserError {
 public:
  using UserError::UserError;
};

/// Reads the hints of `source`. `trace`: its name for errors; `phases`: those of the job. Throws NoHints, and
/// UserError for a binary without hints.
PhaseHints hints_of(const std::string& source, const std::string& trace, const TraceOpener& open,
                    const std::vector<Phase>& phases);

/// One line per phase of the job for which the hints are incomplete.
std::vector<std::string> gaps_of(const PhaseHints& hints, const std::vector<Phase>& phases);

}  // namespace hybrid
