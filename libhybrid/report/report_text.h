// The report as plain text for a terminal of `width` columns. Commands to repeat are not wrapped.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/measures.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

std::string to_text(const JobReport& report, std::size_t width = kTextWidth);

/// Parts of the report, for commands that show only these.
std::string predictor_table(const std::vector<PredictorScore>& scores, std::size_t width = kTextWidth);
std::string technique_table(const std::vector<TechniqueResult>& results,
                            const std::vector<TechniqueFailure>& failures = {},
                            std::size_t width = kTextWidth);
/// A section with the times of the bounds, in a column named `time`; "" if none is known.
std::string bounds_section(const JobBounds& bounds, std::size_t width = kTextWidth,
                           const char* time = "job time");

/// Since when and why the live scheduler read the requests less often, or stopped: a sentence for each,
/// without its subject. Empty for most jobs.
std::vector<std::string> live_step_back(const JobFacts& job);

/// A row per technique and phase, at most `width` columns wide and indented by `indent` blanks. A sentence if
/// no phases are distinguished.
std::string phase_measures_table(const std::vector<const Measures*>& results, std::size_t indent,
                                 std::size_t width);

/// Sentence on a fixed topology that stays preloaded and the share of the bytes over its connections.
std::string topology_sentence(const std::string& topology, double share_of_bytes);

/// The command that repeats the report: `hybrid replay TRACE` with all options that differ from their
/// default.
std::string command_to_repeat(const JobReport& report);

/// The command that repeats the emulation of `parameters` for the job of a report with these options.
std::string command_to_repeat(const std::string& trace, const JobOptions& options,
                              const SwitchParameters& parameters);

/// The words "--slot-length" "200ns" for each option of the switch and the replay that must be given for the
/// parameters of the report, in the order of the option table.
std::vector<std::string> changed_options(const JobReport& report);

}  // namespace hybrid
