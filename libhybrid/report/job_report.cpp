#include "libhybrid/report/job_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/registry.h"
#include "emulator/limits.h"
#include "emulator/network/technique.h"
#include "emulator/replay/trace_format.h"
#include "emulator/replay/trace_names.h"
#include "libhybrid/report/predictor_scores.h"
#include "libhybrid/report/wait_division.h"

namespace hybrid {

namespace {

std::vector<std::uint32_t> slot_counts(const JobOptions& options, std::uint32_t needed) {
  std::vector<std::uint32_t> counts = options.slot_counts;
  if (counts.empty()) counts = {options.network.slots, std::max(needed, options.network.preload)};
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::erase(counts, 0u);
  return counts;
}

std::vector<std::string> techniques_of(const JobOptions& options) {
  const auto given = options.techniques.empty() ? default_techniques(options, true) : options.techniques;
  std::vector<std::string> once;
  for (const std::string& technique : given)
    if (std::find(once.begin(), once.end(), technique) == once.end()) once.push_back(technique);
  return once;
}

// The parameters of all emulations in the order of the report, checked. `found`: K of techniques, instead of
// `counts`.
std::vector<SwitchParameters> emulations(const JobEmulator& job, const std::vector<std::uint32_t>& counts,
                                         const std::vector<SlotsFound>& found = {}) {
  std::vector<SwitchParameters> all;
  for (const std::string& technique : techniques_of(job.options())) {
    std::vector<std::uint32_t> own = counts;
    if (!uses_slots(technique)) own = {job.options().network.slots};
    for (const SlotsFound& f : found)
      if (f.technique == technique) own = {f.slots};
    for (std::uint32_t k : own) {
      all.push_back(job.parameters(technique, k));
      check(all.back());
    }
  }
  return all;
}

// Emulates the runs with slots again, with the hints of the program in all slots, and takes those that are
// faster: whether prediction alone is better depends on the job and the reconfiguration time. Returns the job
// times of the replaced runs, by their index.
std::map<std::size_t, Time> use_hints(const JobEmulator& job, std::vector<SwitchParameters>& runs,
                                      std::vector<EmulatedRun>& results, const ProgressNote& note) {
  std::vector<std::size_t> which;
  std::vector<SwitchParameters> hinted;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!uses_slots(runs[i].technique) || !results[i].measures) continue;
    which.push_back(i);
    hinted.push_back(runs[i]);
    hinted.back().preload = runs[i].slots;
  }
  std::map<std::size_t, Time> without;
  std::vector<EmulatedRun> found = job.emulate(hinted, "emulating with the program's hints", note);
  for (std::size_t i = 0; i < which.size(); ++i) {
    EmulatedRun& own = results[which[i]];
    const std::optional<Measures>& with = found[i].measures;
    if (!with || !own.measures) continue;
    const Time before = own.measures->time;
    if (static_cast<double>(with->time.ps) > static_cast<double>(before.ps) * (1 - kLeastGap)) continue;
    without[which[i]] = before;
    runs[which[i]] = hinted[i];
    own = std::move(found[i]);
  }
  return without;
}

// The calls that send or wait, those with the longest waits first.
std::vector<CallTraffic> calls_of(const std::map<SourceCall, Volume>& sent,
                                  const std::vector<TechniqueResult>& techniques) {
  std::map<SourceCall, Time> longest;
  for (const auto& [call, volume] : sent) longest[call] = {};
  for (const TechniqueResult& technique : techniques)
    for (const auto& [call, wait] : technique.call_waits) longest[call] = std::max(longest[call], wait);
  std::vector<CallTraffic> calls;
  for (const auto& [call, wait] : longest) {
    const auto volume = sent.find(call);
    calls.push_back({call, volume == sent.end() ? Volume{} : volume->second});
  }
  std::ranges::sort(calls, [&](const CallTraffic& a, const CallTraffic& b) {
    return std::tuple(longest[b.call], b.sent.bytes, a.call) <
           std::tuple(longest[a.call], a.sent.bytes, b.call);
  });
  return calls;
}

std::string what_of(const std::vector<SwitchParameters>& runs) {
  return runs.size() == 1 ? "emulating " + run_name(runs.front()) : "emulating";
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
    warnings.push_back(
        fmt::format("{} missing: the disk was full while the job ran, or the recording is damaged.",
                    lost == "1" ? "1 event is" : fmt::format("{} events are", lost)));
  if (const auto unresolved = job.find(trace_names::kUnresolvedReceives); !unresolved.empty())
    warnings.push_back(fmt::format(
        "{} left out: MPI did not report which message {} received (MPI_Isendrecv, MPI_Request_free).",
        unresolved == "1" ? "1 receive from any rank or of any tag is"
                          : fmt::format("{} receives from any rank or of any tag are", unresolved),
        unresolved == "1" ? "it" : "they"));
  if (job.find(trace_names::kMpiIo) == "yes")
    warnings.emplace_back("The program uses MPI I/O (MPI_File_*), whose messages and data are not modelled.");
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
            ? fmt::format(
                  "Ranks {} ended without MPI_Finalize (by exit, a failure or a signal): what they sent is "
                  "recorded up to their last calls.",
                  ranks)
            : fmt::format(
                  "Rank {} ended without MPI_Finalize (by exit, a failure or a signal): what it sent is "
                  "recorded up to its last call.",
                  ranks));
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

std::vector<std::string> default_techniques(const JobOptions& options, bool supported) {
  std::vector<std::string> names;
  if (!options.techniques.empty()) return names;
  const auto known = registered_names(Technique::kKind);
  for (const std::string_view name : {"wormhole", "circuit", "tdm", "hybrid"})
    if (std::ranges::find(known, name) != known.end() &&
        (!options.network.is_tree() || runs_on_fat_trees(Technique::kKind, name)) == supported)
      names.emplace_back(name);
  return names;
}

std::string left_out_sentence(const std::vector<std::string>& techniques) {
  return fmt::format("left out: {} {} not run on a fat tree", fmt::join(techniques, ", "),
                     techniques.size() == 1 ? "does" : "do");
}

std::string_view JobFacts::find(std::string_view name) const {
  for (const auto& [key, value] : recorded)
    if (key == name) return value;
  return {};
}

void admit_missing_messages(Verdict& verdict, const JobFacts& job) {
  const bool uses_io = job.find(trace_names::kMpiIo) == "yes";
  if (!verdict.technique.empty() || verdict.sentence.empty() || (!lacks_messages(job) && !uses_io)) return;
  verdict.sentence = fmt::format(
      "No recorded message crosses the switch, but {}: it is not known whether a switch makes a difference.",
      lacks_messages(job) ? "the recording is incomplete" : "the messages of MPI I/O are not recorded");
}

JobReport make_report(JobEmulator& job, const ProgressNote& note) {
  JobReport report;
  report.trace = job.trace();
  const JobOptions& options = job.options();
  report.options = options;
  report.left_out = default_techniques(options, false);
  report.job = {job.ranks(), job.used_ports(), job.facts()};
  report.warnings = warnings_of(report.job);
  // Rejects impossible parameters early.
  emulations(job, slot_counts(options, options.network.slots));

  job.find_phases(note);
  const std::uint32_t needed = job.slots_needed();
  report.phases_hinted = job.phases().hinted;
  report.phases = job.phases().phases;
  report.warnings.insert(report.warnings.end(), job.hint_gaps().begin(), job.hint_gaps().end());
  if (options.finds_slots) report.slots_found = find_slots(job, techniques_of(options), note);
  auto counts = slot_counts(options, needed);
  std::vector<SwitchParameters> runs = emulations(job, counts, report.slots_found);
  if (!report.slots_found.empty()) {
    std::set<std::uint32_t> found;
    for (const SlotsFound& f : report.slots_found) found.insert(f.slots);
    counts.assign(found.begin(), found.end());
  }
  // Reported only if some technique has slots to preload.
  if (std::any_of(runs.begin(), runs.end(),
                  [](const SwitchParameters& p) { return uses_slots(p.technique); }))
    report.topology_share = job.topology_share();
  if (options.replay.timeline != nullptr && runs.size() != 1)
    throw UserError("timeline: needs a single run, but the options give " + std::to_string(runs.size()),
                    "Give one --technique and one --slots.");

  std::vector<std::string> predictors = options.predictors;
  if (predictors.empty())
    predictors = {"belady", "counter", "lru", "markov1", "markov2", "timeout", "tournament"};
  report.predictors = score_predictors(job.opener(), options, predictors, counts, note).scores;

  const auto add_warnings = [&](std::vector<std::string>& warnings) {
    for (std::string& warning : warnings)  // all techniques find the same gaps of the trace
      if (std::find(report.warnings.begin(), report.warnings.end(), warning) == report.warnings.end())
        report.warnings.push_back(std::move(warning));
  };
  std::vector<WaitToDivide> waits;  // of report.techniques
  std::vector<EmulatedRun> results = job.emulate(runs, what_of(runs), note, options.replay.timeline);
  std::map<std::size_t, Time> without_hints;
  if (job.offers_hints() && options.replay.timeline == nullptr)
    without_hints = use_hints(job, runs, results, note);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EmulatedRun& run = results[i];
    add_warnings(run.warnings);
    if (run.measures) {
      TechniqueResult& result = report.techniques.emplace_back();
      result.measures = std::move(*run.measures);
      result.call_waits = std::move(run.call_waits);
      result.limited_by = limit_texts(limiting_parts(runs[i]));
      if (const auto without = without_hints.find(i); without != without_hints.end())
        result.time_without_hints = without->second;
      waits.push_back(to_divide(runs[i], result.measures));
    } else {
      const std::uint32_t slots = uses_slots(runs[i].technique) ? runs[i].slots : 0;
      report.failures.push_back({runs[i].technique, slots, std::move(run.failure), run.of_trace});
    }
  }
  report.calls = calls_of(job.phases().calls, report.techniques);
  if (!report.techniques.empty()) report.bounds = emulate_bounds(job, report.techniques, note);
  compare(report.techniques, report.bounds);
  if (options.explain) {
    const auto parts = divide_waits(waits, report.bounds, [&](const auto& variants, const auto&) {
      return job.emulate(variants, "emulating without causes of waiting", note);
    });
    for (std::size_t i = 0; i < parts.size(); ++i) report.techniques[i].wait_parts = parts[i];
  }
  // A search has tried the slots that the largest phase needs.
  const std::uint32_t needed_untried = options.finds_slots ? 0 : needed;
  report.verdict = judge(contenders(report.techniques), needed_untried);
  report.limits = limits_of(
      report.verdict, report.techniques, report.bounds, options.network.worm_limit, needed_untried,
      [&](const Measures& original) -> std::optional<Measures> {
        const auto run = std::ranges::find_if(runs, [&](const SwitchParameters& p) {
          return p.technique == original.technique && (original.slots == 0 || p.slots == original.slots);
        });
        SwitchParameters parameters = *run;
        parameters.worm_limit = kLongWorms;
        return job.emulate({parameters}, "emulating " + run->technique + " with longer worms", note)[0]
            .measures;
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
  if (compared) admit_missing_messages(report.verdict, report.job);
  if (!report.failures.empty()) add_to_verdict(report);
  return report;
}

JobReport make_report(const std::string& trace, const TraceOpener& open, const JobOptions& options,
                      const ProgressNote& note) {
  if (note) note("reading the trace", 0);
  JobEmulator job(trace, open, options);
  return make_report(job, note);
}

JobReport make_report(const std::string& trace, const JobOptions& options, const ProgressNote& note) {
  return make_report(trace, [&trace] { return open_trace(trace); }, options, note);
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
