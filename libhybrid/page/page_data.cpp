#include "libhybrid/page/page_data.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/registry.h"
#include "emulator/network/technique.h"
#include "emulator/switching/bounds.h"
#include "libhybrid/page/switch_activity.h"
#include "libhybrid/report/predictor_scores.h"
#include "predictor/belady.h"
#include "predictor/reference_predictors.h"

namespace hybrid {
namespace {

using Json = nlohmann::ordered_json;

/// A result of the report: what must be emulated again.
struct Result {
  SwitchParameters parameters;
  Time time{};
};

std::vector<Result> results_of(const Json& report, const JobEmulator& job) {
  std::vector<Result> results;
  for (const Json& one : report.value("results", Json::array())) {
    const std::string technique = one.value("technique", "");
    const std::uint32_t slots = one.value("slots", 0u);
    if (technique.empty() || is_instant(technique)) continue;
    Result& result = results.emplace_back();
    result.parameters = job.parameters(technique, slots == 0 ? job.options().network.slots : slots);
    constexpr double kMost = 1e18;
    result.time = Time{static_cast<std::int64_t>(std::clamp(one.value("time_ns", 0.0) * 1000, 0.0, kMost))};
    check(result.parameters);
  }
  return results;
}

/// The fastest of a technique, with the smallest K.
const Result* fastest(const std::vector<Result>& results, std::string_view technique) {
  const Result* best = nullptr;
  for (const Result& result : results)
    if (result.parameters.technique == technique && (best == nullptr || result.time < best->time))
      best = &result;
  return best;
}

const Result* observed(const std::vector<Result>& results, const Json& report) {
  const std::string verdict = report.value("verdict", Json::object()).value("technique", "");
  for (const std::string_view technique :
       {std::string_view("hybrid"), std::string_view("tdm"), std::string_view(verdict)})
    if (const Result* result = fastest(results, technique); result != nullptr) return result;
  return nullptr;
}

bool is_possible(const SwitchParameters& parameters) {
  try {
    check(parameters);
    return true;
  } catch (const UserError&) {  // for instance slots that are not longer than the reconfiguration
    return false;
  }
}

/// The job time of each run, or null.
Json times_of(const JobEmulator& job, const std::vector<SwitchParameters>& runs, const ProgressNote& note,
              std::string_view what) {
  std::vector<SwitchParameters> possible;
  std::ranges::copy_if(runs, std::back_inserter(possible), is_possible);
  const std::vector<EmulatedRun> results = job.emulate(possible, what, note);
  Json times = Json::array();
  std::size_t next = 0;
  for (const SwitchParameters& run : runs) {
    const Measures* measures = nullptr;
    if (is_possible(run))
      if (const EmulatedRun& result = results[next++]; result.measures) measures = &*result.measures;
    times.push_back(measures == nullptr ? Json(nullptr) : Json(measures->time.nanoseconds()));
  }
  return times;
}

SwitchParameters with_reconfiguration(SwitchParameters p, Time time) {
  p.reconfiguration = time;
  p.reconfiguration_command = p.reconfiguration_switching = p.reconfiguration_lock = Time{};
  return p;
}

/// Slower runs end early.
constexpr std::int64_t kSlowest = 10;  // times the observed result

/// From what the fabric of the dissertation needs to that of slow optical switches.
Json sweep_reconfiguration(const JobEmulator& job, const std::vector<Result>& results,
                           const ProgressNote& note) {
  const std::vector<Time> values = {Time{},           nanoseconds(10),   nanoseconds(100), microseconds(1),
                                    microseconds(10), microseconds(100), milliseconds(1)};
  Json json{{"times_ns", Json::array()}, {"techniques", Json::object()}};
  for (const Time value : values) json["times_ns"].push_back(value.nanoseconds());
  for (const std::string_view technique : {"circuit", "tdm", "hybrid"}) {
    const Result* result = fastest(results, technique);
    if (result == nullptr) continue;
    std::vector<SwitchParameters> runs;
    runs.reserve(values.size());
    for (const Time value : values) runs.push_back(with_reconfiguration(result->parameters, value));
    json["techniques"][std::string(technique)] =
        times_of(job, runs, note, "emulating other reconfiguration times");
  }
  return json;
}

/// Without reconfiguration a packet plane is of no use: then that of an optical switch is assumed.
Json sweep_packet_plane(const JobEmulator& job, const Result& hybrid, const ProgressNote& note) {
  const std::vector<double> shares = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
  const Time given = hybrid.parameters.fabric_reconfiguration();
  const Time reconfiguration = given == Time{} ? microseconds(10) : given;
  std::vector<SwitchParameters> runs;
  for (const double share : shares) {
    SwitchParameters p = hybrid.parameters;
    if (given == Time{}) p = with_reconfiguration(p, reconfiguration);
    p.packet_plane = share;
    runs.push_back(p);
  }
  Json json{{"reconfiguration_ns", reconfiguration.nanoseconds()}, {"shares", shares}};
  json["time_ns"] = times_of(job, runs, note, "emulating packet planes");
  return json;
}

Json sweep_predictors(const JobEmulator& job, const Result& result, const ProgressNote& note) {
  std::vector<std::string> names;
  std::vector<SwitchParameters> runs;
  for (const std::string_view name : registered_names(Predictor::kKind)) {
    if (name == kOracle) continue;
    names.emplace_back(name);
    runs.push_back(result.parameters);
    runs.back().predictor = name;
  }
  Json times = times_of(job, runs, note, "emulating other predictors");
  times.push_back(nullptr);
  names.emplace_back(BeladyBound::kName);
  const auto scores =
      score_predictors(job.opener(), job.options(), names, {result.parameters.slots}, note).scores;
  Json list = Json::array();
  for (std::size_t i = 0; i < scores.size(); ++i)
    list.push_back(
        {{"predictor", scores[i].predictor}, {"hit_rate", scores[i].hit_rate()}, {"time_ns", times[i]}});
  return list;
}

/// Emulated in about 0.1 s.
constexpr std::uint64_t kFewOperations = 200'000;

Json meanings(const JobOptions& options) {
  JobOptions copy = options;
  OptionTable table;
  add_emulation_options(table, copy);
  Json json = Json::object();
  for (const Option& option : table.options()) json[option.name] = option.help;
  return json;
}

/// Of a result of several runs.
std::size_t median_run(const Json& result) {
  const std::string reference = result["repeats"].value("reference", "");
  std::vector<std::pair<double, std::size_t>> times;
  for (std::size_t run = 0; run < result["runs"].size(); ++run)
    for (const Json& one : result["runs"][run]["results"])
      if (one["technique"] == reference) {
        times.emplace_back(one["time_ns"].get<double>(), run);
        break;
      }
  if (times.empty()) return 0;
  std::ranges::sort(times);
  return times[(times.size() - 1) / 2].second;
}

}  // namespace

JobOptions options_of_result(const Json& report, const std::string& place) {
  JobOptions options;
  if (!report.contains("options")) return options;
  OptionTable table;
  add_emulation_options(table, options);
  for (const bool first : {true, false})
    for (const auto& [name, value] : report["options"].items()) {
      if (!value.is_string()) throw UserError(place + ": options." + name + ": expected a string");
      const Option* option = table.find(name);
      if ((option != nullptr && option->first) != first) continue;
      table.set(name, value.get<std::string>(), place + ": options." + name);
    }
  check_job(options);
  return options;
}

Json page_data(std::string source, Json report, JobEmulator& job, const ProgressNote& note,
               const PageDetail& detail) {
  Json data{{"source", std::move(source)}, {"meanings", meanings(job.options())}};
  const std::vector<Result> results = results_of(report, job);
  const Result* const shown = observed(results, report);
  // What the phases do not preload can be observed while they are found.
  const bool independent =
      shown != nullptr && shown->parameters.preload == 0 && job.options().preload_topology.empty();
  job.store(note);
  std::optional<SwitchActivity> activity;
  Time end = Time::never();  // of the observation
  if (shown != nullptr) {
    const std::uint64_t operations = job.opener()()->events().all;
    if (operations > detail.observed_operations)
      end = Time{std::llround(static_cast<double>(shown->time.ps) * detail.observed_operations / operations)};
    activity.emplace(shown->parameters, std::min(end, shown->time));
  }
  if (!independent) job.find_phases(note);
  const unsigned threads = job.options().threads == 0 ? processors() : job.options().threads;
  const ProgressNote silent;
  const ProgressNote& note_of_traffic =
      activity && threads > 1 ? silent : note;  // one of two passes is shown
  run_parallel(activity ? 2 : 1, threads, [&](std::size_t pass) {
    if (pass == 0) {
      job.find_phases(note_of_traffic);
      CountedTrace trace(job.opener()(), "reading the traffic", note_of_traffic);
      data["traffic"] = traffic_json(trace, job.phases(), job.options().replay, detail.traffic);
      return;
    }
    const std::string what = "observing " + run_name(shown->parameters);
    const double share =
        end < shown->time ? static_cast<double>(end.ps) / static_cast<double>(shown->time.ps) : 1;
    const ProgressNote observing = [&](std::string_view step, Progress progress) {
      progress.all = std::llround(share * static_cast<double>(progress.all));
      return note && note(step, progress);
    };
    if (!independent) {
      job.end_after(end);
      job.emulate({shown->parameters}, what, observing, &*activity);
      job.end_after(Time::never());
      return;
    }
    const TraceOpener open = [&] { return std::make_unique<CountedTrace>(job.opener()(), what, observing); };
    ReplayOptions options = job.options().replay;
    options.timeline = &*activity;
    options.limit = end;
    emulate_runs(open, {shown->parameters}, [&](std::size_t) { return options; }, 1, what, silent);
  });
  if (activity) {
    data["activity"] = activity->json();
    data["activity"]["job_time_ns"] = shown->time.nanoseconds();
  }
  data["report"] = std::move(report);
  return data;
}

void add_sweep(Json& data, JobEmulator& job, const ProgressNote& note) {
  const std::vector<Result> results = results_of(data["report"], job);
  const Result* const shown = observed(results, data["report"]);
  if (shown == nullptr) return;
  job.find_phases(note);
  job.end_after(shown->time * kSlowest);
  Json sweep{{"reconfiguration", sweep_reconfiguration(job, results, note)}};
  if (const Result* hybrid = fastest(results, "hybrid"); hybrid != nullptr)
    sweep["packet_plane"] = sweep_packet_plane(job, *hybrid, note);
  if (uses_slots(shown->parameters.technique)) sweep["predictors"] = sweep_predictors(job, *shown, note);
  job.end_after(Time::never());
  data["sweep"] = std::move(sweep);
}

bool sweep_is_short(const JobEmulator& job) { return job.operations() <= kFewOperations; }

const Json& report_of_result(const Json& result) {
  return result.contains("repeats") ? result["runs"][median_run(result)] : result;
}

void add_repeats(Json& data, const Json& result) {
  if (!result.contains("repeats")) return;
  data["repeats"] = result["repeats"];
  data["repeats"]["shown"] = median_run(result);
}

}  // namespace hybrid
