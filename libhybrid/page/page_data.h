// The data of a job's page: its report, and what only the trace shows.
//
//   JobEmulator job(trace, open, options);
//   const JobReport report = make_report(job, note);
//   write(page_html(page_data(trace, to_json(report), job, {}, note)));
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "libhybrid/options/job_options.h"
#include "libhybrid/report/job_emulator.h"

namespace hybrid {

/// The options of a result (its key "options"), as given to the command that made it. Throws UserError,
/// naming `place`, for a result with options that this version does not accept. An older result without the
/// key has the defaults.
JobOptions options_of_result(const nlohmann::ordered_json& report, const std::string& place);

/// `report`: to_json(JobReport) of the job with its options. Adds
/// - traffic (job_traffic.h): one pass over the trace;
/// - activity (switch_activity.h): one more emulation of the result with technique hybrid, or tdm, or of the
///   verdict, with the shortest job time; absent if there is no such result;
/// - with `sweep`, sweep: about 25 more emulations with the K of that result:
///   reconfiguration {times_ns, techniques {name: times_ns of the job}},
///   packet_plane {reconfiguration_ns, shares, time_ns} of hybrid,
///   predictors: lists of {predictor, hit_rate, time_ns}, "belady" (the bound of the hit rate) without a
///   time. A time is null if it is more than ten times that of the result, if
///   the emulation did not reach the end of the job, or if no switch has these parameters.
/// Requires that `job` has the options of the report. Throws exceptions of the trace, and those of `note`.
nlohmann::ordered_json page_data(std::string source, nlohmann::ordered_json report, JobEmulator& job,
                                 bool sweep, const ProgressNote& note);

}  // namespace hybrid
