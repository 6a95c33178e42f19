// The report for people: plain text, at most 100 columns.
#pragma once

#include <string>
#include <vector>

#include "libhybrid/report/job_report.h"

namespace hybrid {

std::string to_text(const JobReport& report);

/// Parts of it, for commands that show one thing.
std::string predictor_table(const std::vector<PredictorScore>& scores);
std::string technique_table(const std::vector<TechniqueResult>& results,
                            const std::vector<TechniqueFailure>& failures = {});

/// What a fixed topology that is preloaded throughout covers.
std::string topology_sentence(const std::string& topology, double share_of_bytes);

/// The command that makes the same report again: `hybrid replay TRACE` and every option that is not its
/// default.
std::string command_to_repeat(const JobReport& report);

/// "--slot-length 200ns" for each setting of the switch and the replay that differs from the default, in the
/// order of the options' table.
std::vector<std::string> changed_options(const JobOptions& options);

}  // namespace hybrid
