#include "libhybrid/report/job_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/limits.h"
#include "emulator/network/technique.h"
#include "emulator/network_shape.h"
#include "emulator/predictor_shape.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/trace_format.h"
#include "emulator/replay/trace_names.h"

namespace hybrid {

namespace {

std::vector<std::string> default_techniques(bool on_tree) {
  std::vector<std::string> names;
  const auto known = registered_names(Technique::kKind);
  for (std::string_view name : {"wormhole", "circuit", "tdm", "hybrid"})
    if (std::find(known.begin(), known.end(), name) != known.end() &&
        (!on_tree || runs_on_fat_trees(Technique::kKind, name)))
      names.emplace_back(name);
  return names;
}

std::uint32_t most_slots_needed(const std::vector<Phase>& phases) {
  std::uint32_t most = 0;
  for (const Phase& phase : phases) most = std::max(most, phase.slots_needed);
  return most;
}

std::vector<std::uint32_t> slot_counts(const JobOptions& options, std::uint32_t needed) {
  std::vector<std::uint32_t> counts = options.slot_counts;
  if (counts.empty()) counts = {options.network.slots, std::max(needed, options.network.preload)};
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::erase(counts, 0u);
  return counts;
}

// Adapts the switch to the number of ports. Preset ch8 has a slot for every destination (D 8.5), which the
// options could not set before the number of ports was known.
void follow_ports(JobOptions& options, std::uint32_t ports) {
  SwitchParameters& p = options.network;
  const bool every_destination =
      p.slots + 1 == p.nodes && p.preload == p.slots && options.slot_counts.empty();
  p.nodes = ports;
  if (every_destination) preload_every_destination(p);
}

SwitchParameters parameters_of(const std::string& technique, const JobOptions& options, std::uint32_t ports) {
  SwitchParameters parameters = options.network;
  parameters.technique = technique;
  fit_nodes(ports, parameters, options.replay.crossbar);
  return parameters;
}

// The parameters of all emulations in the order of the report, checked.
std::vector<SwitchParameters> emulations(const JobOptions& options, const std::vector<std::uint32_t>& counts,
                                         std::uint32_t ports) {
  std::vector<SwitchParameters> all;
  const auto techniques =
      options.techniques.empty() ? default_techniques(options.network.is_tree()) : options.techniques;
  std::set<std::string_view> seen;
  for (const std::string& technique : techniques) {
    if (!seen.insert(technique).second) continue;
    SwitchParameters parameters = parameters_of(technique, options, ports);
    for (std::uint32_t k :
         uses_slots(technique) ? counts : std::vector<std::uint32_t>{options.network.slots}) {
      parameters.slots = k;
      if (!options.hints.empty() && options.network.preload == 0) parameters.preload = k;
      check(parameters);
      all.push_back(parameters);
    }
  }
  return all;
}

bool any_multicast(const std::vector<TechniqueResult>& results) {
  return std::any_of(results.begin(), results.end(), [](const TechniqueResult& r) {
    return r.measures.multicast && r.measures.multicast->messages != 0;
  });
}

// True if messages may be missing in the recording.
bool lacks_messages(const JobFacts& job) {
  const auto lost = job.find(trace_names::kLostEvents);
  return (!lost.empty() && lost != "0") || !job.find(trace_names::kMissingRanks).empty() ||
         !job.find(trace_names::kIncompleteRanks).empty();
}

// Warnings from the facts of the recording.
std::vector<std::string> warnings_of(const JobFacts& job) {
  std::vector<std::string> warnings;
  if (const auto lost = job.find(trace_names::kLostEvents); !lost.empty() && lost != "0")
    warnings.push_back(fmt::format("{} events are missing: the disk was full while the job ran.", lost));
  if (const auto unresolved = job.find(trace_names::kUnresolvedReceives); !unresolved.empty())
    warnings.push_back(fmt::format(
        "{} receives from any rank or of any tag are left out: MPI did not report which message they "
        "received (MPI_Isendrecv, MPI_Request_free).",
        unresolved));
  const auto several = [](std::string_view ranks) {
    return ranks.find_first_of(",-") != std::string_view::npos;
  };
  if (const auto ranks = job.find(trace_names::kMissingRanks); !ranks.empty())
    warnings.push_back(
        several(ranks) ? fmt::format("No journal of ranks {} can be read: what they sent is missing.", ranks)
                       : fmt::format("No journal of rank {} can be read: what it sent is missing.", ranks));
  if (const auto ranks = job.find(trace_names::kIncompleteRanks); !ranks.empty())
    warnings.push_back(
        several(ranks)
            ? fmt::format("The journals of ranks {} have no end: the ranks died, or were killed.", ranks)
            : fmt::format("The journal of rank {} has no end: the rank died, or was killed.", ranks));
  if (const auto ranks = job.find(trace_names::kUnplacedRanks); !ranks.empty())
    warnings.push_back(
        several(ranks) ? fmt::format("The ports of ranks {} are not known: each gets a separate port.", ranks)
                       : fmt::format("The port of rank {} is not known: it gets a separate port.", ranks));
  // The gaps between calls then contain the time in which another rank used the core.
  if (job.find(trace_names::kYield) == "yes" && job.find(trace_names::kClock) == "wall")
    warnings.push_back(
        "Ranks shared cores, and compute times are from the wall clock. Record with --clock cpu for the "
        "times "
        "with a core per rank.");
  return warnings;
}

std::string name(const TechniqueFailure& failure) {
  return failure.slots == 0 ? failure.technique
                            : fmt::format("{} with K = {}", failure.technique, failure.slots);
}

std::string names_of(const std::vector<TechniqueFailure>& failures) {
  std::string all;
  for (const TechniqueFailure& failure : failures) all += (all.empty() ? "" : ", ") + name(failure);
  return all;
}

}  // namespace

std::string_view JobFacts::find(std::string_view name) const {
  for (const auto& [key, value] : recorded)
    if (key == name) return value;
  return {};
}

std::vector<PredictorScore> score_predictors(JobTrace& trace, const JobOptions& options,
                                             const std::vector<std::string>& names,
                                             const std::vector<std::uint32_t>& capacities,
                                             std::uint32_t ports, Time end) {
  struct Row {
    std::string predictor;
    PredictorShape shape;
    std::map<Port, PredictorEvaluation> sources;
  };
  std::map<Port, PhaseMark> in;  // by source
  std::vector<Row> rows;
  PredictorShape shape = predictor_shape(options.network);
  shape.destinations = ports;
  for (const std::string& name : names)
    for (std::uint32_t capacity : capacities) {
      shape.capacity = capacity;
      rows.push_back({name, shape, {}});
    }
  for (Row& row : rows)
    PredictorEvaluation(row.predictor, row.shape);  // throws for an unknown name before the pass
  for_each_sent(trace, options.replay, [&](const SentMessage& message) {
    const PhaseMark phase = phase_of(message, options.replay);
    const bool enters_phase = std::exchange(in.try_emplace(message.source).first->second, phase) != phase;
    for (Row& row : rows) {
      auto source = row.sources.find(message.source);
      if (source == row.sources.end())
        source = row.sources.emplace(message.source, PredictorEvaluation(row.predictor, row.shape)).first;
      if (enters_phase) source->second.phase(message.at, phase.phase);
      source->second.send(message.at, message.destination, message.bytes, message.site);
    }
  });
  std::vector<PredictorScore> scores;
  for (Row& row : rows) {
    PredictorScore sum;
    sum.predictor = row.predictor;
    sum.capacity = row.shape.capacity;
    for (auto& [port, evaluation] : row.sources) sum.add(evaluation.finish(end));
    scores.push_back(std::move(sum));
  }
  return scores;
}

JobReport make_report(const std::string& trace, const TraceOpener& open, const JobOptions& given,
                      const ProgressNote& note) {
  JobOptions options = given;
  const auto report_progress = [&note](std::string_view what, std::uint64_t done) {
    if (note) note(what, done);
  };
  JobReport report;
  report.trace = trace;
  report_progress("reading the trace", 0);
  std::unique_ptr<JobTrace> job = open();
  const auto placement = ports_of_ranks(*job, options.replay);
  std::set<std::uint32_t> used(placement.begin(), placement.end());
  report.job = {job->ranks(), static_cast<std::uint32_t>(used.size()), job->properties()};
  report.warnings = warnings_of(report.job);
  SwitchParameters fitted = options.network;
  fit_nodes(count_ports(placement), fitted, options.replay.crossbar);
  const std::uint32_t ports = fitted.nodes;
  follow_ports(options, ports);
  report.options = options;
  // Rejects impossible parameters early.
  const auto runs_early = emulations(options, slot_counts(options, options.network.slots), ports);

  report_progress("finding phases", 0);
  const bool fixed = !options.preload_topology.empty(), by_hints = !options.hints.empty();
  if (fixed) check_topology(options.preload_topology, options.network);
  PhaseTraffic traffic;
  TrafficMatrix matrix;
  FoundPhases phases = find_phases(*job, options.replay, ports,
                                   options.network.preload == 0 || fixed || by_hints ? nullptr : &traffic,
                                   fixed ? &matrix : nullptr);
  PhaseHints hints;
  PhaseNesting nesting;
  if (by_hints) {
    job = open();
    nesting = read_phase_nesting(*job);
    hints = hints_of(options.hints, trace, open, phases.phases);
    for (std::string& gap : gaps_of(hints, phases.phases)) report.warnings.push_back(std::move(gap));
  }
  std::vector<Configuration> fixed_preload;
  if (fixed) {
    TopologyPlan plan = plan_topology(*FixedTopologyRegistration::make(options.preload_topology, ports),
                                      matrix, options.network.preload);
    // Reported only if some technique has slots to preload.
    if (std::any_of(runs_early.begin(), runs_early.end(),
                    [](const SwitchParameters& p) { return uses_slots(p.technique); }))
      report.topology_share = plan.share();
    fixed_preload = std::move(plan.slots);
  }
  PhaseSchedule schedule{{}, std::move(phases.occurrences)};
  if (!phases.hinted)
    for (const Phase& phase : phases.phases) schedule.names.push_back(phase.name);
  report.phases_hinted = phases.hinted;
  report.phases = std::move(phases.phases);
  const std::uint32_t needed = most_slots_needed(report.phases);
  const auto counts = slot_counts(options, needed);
  const std::vector<SwitchParameters> runs = emulations(options, counts, ports);
  if (options.replay.timeline != nullptr && runs.size() != 1)
    throw UserError("timeline: needs a single run, but the options give " + std::to_string(runs.size()),
                    "Give one --technique and one --slots.");

  report_progress("scoring predictors", 0);
  std::vector<std::string> predictors = options.predictors;
  if (predictors.empty()) predictors = {"counter", "lru", "markov1", "markov2", "timeout", "tournament"};
  job = open();
  report.predictors = score_predictors(*job, options, predictors, counts, ports, phases.end);

  // Throws UnfinishedReplay.
  const auto emulate = [&](const SwitchParameters& parameters, const std::string& what,
                           PortTimeline* timeline) {
    report_progress(what, 0);
    ReplayOptions replay_options = options.replay;
    replay_options.preloads = by_hints ? plan(hints, nesting, placement, ports, parameters.preload)
                                       : traffic.plan(*job, ports, parameters.preload);
    replay_options.fixed_preload = fixed_preload;
    replay_options.phases = schedule;
    replay_options.timeline = timeline;
    replay_options.progress = [&](std::uint64_t done) { report_progress(what, done); };
    job = open();
    ReplayResult replayed = replay(*job, parameters, replay_options);
    for (std::string& warning : replayed.warnings)  // all techniques find the same gaps of the trace
      if (std::find(report.warnings.begin(), report.warnings.end(), warning) == report.warnings.end())
        report.warnings.push_back(std::move(warning));
    if (!uses_slots(parameters.technique)) replayed.measures.slots = 0;
    return std::move(replayed.measures);
  };
  for (const SwitchParameters& parameters : runs) {
    const std::uint32_t slots = uses_slots(parameters.technique) ? parameters.slots : 0;
    std::string what = "emulating " + parameters.technique;
    if (slots != 0) what += fmt::format(", K = {}", slots);
    try {
      TechniqueResult result;
      result.measures = emulate(parameters, what, options.replay.timeline);
      result.limited_by = limit_texts(limiting_parts(parameters));
      report.techniques.push_back(std::move(result));
    } catch (const UnfinishedReplay& error) {
      const bool of_trace = error.fault() == UnfinishedReplay::Fault::trace;
      report.failures.push_back({parameters.technique, slots, in_one_line(error.what()), of_trace});
    }
  }

  const auto bound = [&](const char* technique) -> std::optional<BoundTimes> {
    const auto times = [](const Measures& m) { return BoundTimes{m.time, m.communication_time}; };
    if (report.techniques.empty()) return std::nullopt;  // there is nothing to compare
    if (const auto* result = find_technique(report.techniques, technique)) return times(result->measures);
    try {
      return times(
          emulate(parameters_of(technique, options, ports), fmt::format("emulating {}", technique), nullptr));
    } catch (const UnfinishedReplay&) {
      return std::nullopt;
    }
  };
  report.bounds = {bound("no-network"), bound("uncontended"), bound("ideal")};
  compare(report.techniques, report.bounds);
  report.verdict = judge(contenders(report.techniques), needed);
  report.limits = limits_of(
      report.verdict, report.techniques, report.bounds, options.network.worm_limit, needed,
      [&](const Measures& original) -> std::optional<Measures> {
        const auto run = std::ranges::find_if(runs, [&](const SwitchParameters& p) {
          return p.technique == original.technique && (original.slots == 0 || p.slots == original.slots);
        });
        SwitchParameters parameters = *run;
        parameters.worm_limit = kLongWorms;
        try {
          return emulate(parameters, fmt::format("emulating {} with longer worms", run->technique), nullptr);
        } catch (const UnfinishedReplay&) {
          return std::nullopt;
        }
      });
  report.verdict.sentence += limits_text(report.limits);
  const bool compared = !contenders(report.techniques).empty();
  if (!compared && !report.techniques.empty())
    report.verdict.sentence = "Only bounds were emulated, so there is nothing to compare.";
  if (!report.verdict.technique.empty())
    for (const std::string& sentence : limit_sentences(runs)) report.verdict.sentence += " " + sentence + ".";
  if (compared && report.verdict.technique.empty() && any_multicast(report.techniques))
    report.verdict.sentence =
        "The fabric copies all messages that cross the switch, so no technique makes a difference to this "
        "job.";
  if (compared && report.verdict.technique.empty() && lacks_messages(report.job))
    report.verdict.sentence =
        "No recorded message crosses the switch, but the recording is incomplete: it does not show whether a "
        "switch makes a difference to this job.";
  if (!report.failures.empty()) add_to_verdict(report);
  return report;
}

JobReport make_report(const std::string& trace, const JobOptions& options, const ProgressNote& note) {
  return make_report(trace, [&trace] { return open_trace(trace); }, options, note);
}

std::string in_one_line(const std::string& text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      line += text[i];
      continue;
    }
    line += line.ends_with('.') ? " " : ". ";
    while (i + 1 < text.size() && text[i + 1] == ' ') ++i;
  }
  return line;
}

std::vector<std::string> failure_lines(const JobReport& report) {
  std::vector<std::pair<std::string, std::string>> by_reason;
  for (const TechniqueFailure& failure : report.failures) {
    const auto same = std::find_if(by_reason.begin(), by_reason.end(),
                                   [&](const auto& entry) { return entry.first == failure.reason; });
    if (same == by_reason.end())
      by_reason.emplace_back(failure.reason, name(failure));
    else
      same->second += ", " + name(failure);
  }
  std::vector<std::string> lines;
  lines.reserve(by_reason.size());
  for (const auto& [reason, techniques] : by_reason) lines.push_back(techniques + ": " + reason);
  return lines;
}

void add_to_verdict(JobReport& report) {
  std::string& sentence = report.verdict.sentence;
  if (sentence.empty())
    sentence = "No technique reached the end of the job, so there is nothing to compare.";
  else
    sentence += fmt::format(" Not compared, since the emulation did not reach the end of the job: {}.",
                            names_of(report.failures));
}

FailureText failures_of(const JobReport& report) {
  FailureText result;
  for (const std::string& line : failure_lines(report))
    result.text += (result.text.empty() ? "" : "\n") + line;
  result.of_trace = !report.failures.empty() &&
                    std::all_of(report.failures.begin(), report.failures.end(),
                                [](const TechniqueFailure& failure) { return failure.of_trace; });
  return result;
}

}  // namespace hybrid
