// The data of a job's page: its report, and what only the trace shows.
//
//   JobEmulator job(trace, open, options);
//   const JobReport report = make_report(job, note);
//   nlohmann::ordered_json data = page_data(trace, to_json(report), job, note);
//   if (sweep_is_short(job)) add_sweep(data, job, note);
//   write(page_html(std::move(data)));
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "libhybrid/options/job_options.h"
#include "libhybrid/page/job_traffic.h"
#include "libhybrid/report/job_emulator.h"

namespace hybrid {

/// The options of a result (its key "options"), as given to the command that made it. Throws UserError,
/// naming `place`, for a result with options that this version does not accept. An older result without the
/// key has the defaults.
JobOptions options_of_result(const nlohmann::ordered_json& report, const std::string& place);

/// Limits of the data of a page; larger jobs are aggregated to them.
struct PageDetail {
  TrafficDetail traffic = {};
  /// Of a job with more operations (events, if it does not fit into memory) the switch is observed in the
  /// first part only, which is shorter in proportion.
  std::uint64_t observed_operations = 2'000'000;
};

/// `report`: to_json(JobReport) of the job with its options. Adds
/// - traffic (job_traffic.h): one pass over the trace;
/// - activity (switch_activity.h), with job_time_ns: one more emulation of the result with technique hybrid,
///   or tdm, or of the verdict, with the shortest job time; absent if there is no such result. Of a long job,
///   the first part;
/// - meanings: of the parameters, by name.
/// Requires that `job` has the options of the report. Throws exceptions of the trace, and those of `note`.
nlohmann::ordered_json page_data(std::string source, nlohmann::ordered_json report, JobEmulator& job,
                                 const ProgressNote& note, const PageDetail& detail = {});

/// Adds to page_data() of the job, if it has activity, sweep: about 25 more emulations with the K of that
/// result:
/// - reconfiguration {times_ns, techniques {name: times_ns of the job}};
/// - packet_plane {reconfiguration_ns, shares, time_ns} of hybrid;
/// - predictors: lists of {predictor, hit_rate, time_ns}, "belady" (the bound of the hit rate) without a
/// time. A time is null if it is more than ten times that of the result, if the emulation did not reach the
/// end of the job, or if no switch has these parameters. With an exception, `data` is as before.
void add_sweep(nlohmann::ordered_json& data, JobEmulator& job, const ProgressNote& note);

/// Whether a page has a sweep if none is requested: the job has few operations, so that add_sweep() takes
/// seconds at most. Depends on the job only, not on the machine.
bool sweep_is_short(const JobEmulator& job);

/// The report that the page of a result shows: `result` itself, or of a result of several runs
/// (to_json(RepeatedReport)) the run whose job time of the reference is the median, or the one before it.
const nlohmann::ordered_json& report_of_result(const nlohmann::ordered_json& result);

/// Adds repeats {reference, results, verdict} of a result of several runs, and shown, the index of the run
/// of report_of_result(); nothing for another result.
void add_repeats(nlohmann::ordered_json& data, const nlohmann::ordered_json& result);

}  // namespace hybrid
