#include "libhybrid/report/hint_worth.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "emulator/fabric.h"
#include "emulator/network_shape.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/recorded_phases.h"
#include "libhybrid/report/report_text.h"
#include "libhybrid/report/terminal_text.h"
#include "libhybrid/report/wait_division.h"

namespace hybrid {
namespace {

enum Variant : std::size_t { kWormhole, kPrediction, kHints, kBoth, kNone };

const char* technique_of(Variant variant) { return variant == kWormhole ? "wormhole" : "hybrid"; }

SwitchParameters parameters_of(const JobOptions& options, Variant variant, const HintWorth& at) {
  SwitchParameters p = options.network;
  p.technique = technique_of(variant);
  p.preload = variant == kHints || variant == kBoth ? p.slots : 0;
  if (variant == kHints || variant == kNone) p.predictor = "none";
  p.reconfiguration_command = p.reconfiguration_switching = p.reconfiguration_lock = Time{};
  p.reconfiguration = at.reconfiguration;
  p.slot_length = std::max(p.slot_length, least_slot_length(p));
  return p;
}

}  // namespace

JobWorth hint_worth(const std::string& trace, const TraceOpener& read, const JobOptions& options,
                    const std::vector<Time>& reconfigurations, const ProgressNote& note) {
  JobWorth worth;
  worth.trace = trace;
  const TraceOpener open = stored(read, options.threads, note);
  auto job = open();
  worth.ranks = job->ranks();
  const auto placement = ports_of_ranks(*job, options.replay);
  SwitchParameters fitted = options.network;
  fit_nodes(count_ports(placement), fitted, options.replay.crossbar);
  worth.nodes = fitted.nodes;
  const FoundPhases phases = find_phases(*job, options.replay, fitted.nodes);

  PhaseHints hints;
  if (!phases.hinted) {
    worth.notes.emplace_back("Recorded without phases: no hints.");
  } else {
    try {
      hints = hints_of(options.preloads_hints() ? options.hints : std::string(kRecordedHints), trace, open,
                       phases);
      worth.notes = gaps_of(hints, phases.phases);
    } catch (const NoHints& none) {
      std::string why = in_one_line(none.what());
      if (why.starts_with(trace + ": ")) why.erase(0, trace.size() + 2);
      worth.notes.push_back(std::move(why));
    }
  }
  job = open();
  const PhaseNesting nesting = read_phase_nesting(*job);
  CountedTrace sends(open(), "counting messages", note);
  for_each_sent(sends, options.replay, [&](const SentMessage& message) {
    ++worth.messages;
    if (message.phase == kNoPhase) return;
    const auto hinted = hints.phases.find(sends.region_name(message.phase));
    if (hinted != hints.phases.end() &&
        hinted->second.contains({message.source_rank, message.destination_rank}))
      ++worth.messages_hinted;
  });

  std::vector<std::pair<std::size_t, Variant>> cells;  // place in worth.at
  std::vector<SwitchParameters> runs;
  for (const Time reconfiguration : reconfigurations) {
    HintWorth& at = worth.at.emplace_back();
    at.reconfiguration = reconfiguration;
    for (const Variant variant : {kWormhole, kPrediction, kHints, kBoth, kNone}) {
      if ((variant == kHints || variant == kBoth) && hints.phases.empty()) continue;
      cells.emplace_back(worth.at.size() - 1, variant);
      runs.push_back(parameters_of(options, variant, at));
      at.slot_length = runs.back().slot_length;
    }
  }
  const auto replay_options = [&](std::size_t cell) {
    ReplayOptions replay = options.replay;
    replay.notify_predictors = cells[cell].second == kBoth;
    if (runs[cell].preload != 0)
      replay.preloads = plan(hints, nesting, placement, fitted.nodes, runs[cell].preload);
    return replay;
  };
  const std::string what = "emulating " + trace;
  const auto results =
      emulate_runs(open, runs, replay_options, options.threads, what, note, sends.operations());
  std::vector<WaitToDivide> waits;
  std::vector<TechniqueResult> compared;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& [at, variant] = cells[i];
    const EmulatedRun& run = results[i];
    if (!run.measures)
      throw UnfinishedReplay(
          run.of_trace ? UnfinishedReplay::Fault::trace : UnfinishedReplay::Fault::technique, run.failure);
    worth.at[at].variants[variant] = {true, run.measures->time, run.measures->hit_rate, {}, {}, {}, {}};
    compared.emplace_back().measures = *run.measures;
    waits.push_back(to_divide(runs[i], *run.measures));
  }
  worth.bounds = emulate_bounds(options.network, {}, [&](const auto& bound_runs) {
    return emulate_runs(
        open, bound_runs, [&](std::size_t) { return options.replay; }, options.threads, what, note,
        sends.operations());
  });
  compare(compared, worth.bounds);  // wormhole is the same with all reconfigurations
  for (std::size_t i = 0; i < compared.size(); ++i) {
    HintWorth::Variant& variant = worth.at[cells[i].first].variants[cells[i].second];
    variant.gap_closed = compared[i].gap_closed;
    variant.rank_wait = compared[i].rank_wait;
    variant.network_wait = compared[i].network_wait;
  }
  if (!options.explain) return worth;
  const auto parts = divide_waits(waits, worth.bounds, [&](const auto& variants, const auto& of) {
    return emulate_runs(
        open, variants, [&](std::size_t i) { return replay_options(of[i]); }, options.threads, what, note,
        sends.operations());
  });
  for (std::size_t i = 0; i < parts.size(); ++i)
    worth.at[cells[i].first].variants[cells[i].second].wait_parts = parts[i];
  return worth;
}

double HintWorth::time_ratio(const Variant& variant) const {
  const Time none = variants[kNone].time;
  return none.ps == 0 ? 1.0 : static_cast<double>(variant.time.ps) / static_cast<double>(none.ps);
}

std::string worth_text(const std::vector<JobWorth>& jobs, std::size_t width) {
  using Align = TextTable::Align;
  std::string text;
  for (const JobWorth& job : jobs) {
    TextTable table({{"reconfiguration"},
                     {"variant", Align::left},
                     {"job time"},
                     {"time ratio"},
                     {"gap closed"},
                     {"network wait"},
                     {"hit rate"}},
                    2);
    WaitTable waits({{"reconfiguration"}, {"variant", Align::left}});
    for (const HintWorth& at : job.at)
      for (std::size_t i = 0; i < at.variants.size(); ++i) {
        const HintWorth::Variant& variant = at.variants[i];
        if (!variant.is_known) continue;
        const std::string name(kWorthVariants[i]), reconfiguration = to_string(at.reconfiguration);
        table.add({reconfiguration, name, short_time(variant.time),
                   fmt::format("{:.3f}", at.time_ratio(variant)), gap_text(variant.gap_closed),
                   variant.network_wait ? short_time(*variant.network_wait) : "-",
                   i == kWormhole ? "-" : percent(variant.hit_rate)});
        if (variant.wait_parts)
          waits.add({reconfiguration, name}, technique_of(static_cast<Variant>(i)), *variant.wait_parts);
      }
    const double hinted = job.messages == 0
                              ? 0.0
                              : static_cast<double>(job.messages_hinted) / static_cast<double>(job.messages);
    if (!text.empty()) text += "\n";
    text += wrap(fmt::format(
                     "{} ({} ranks, {} messages, {} of them hinted; time ratio: against the variant none)",
                     job.trace, job.ranks, grouped(job.messages), percent(hinted)),
                 0, std::min(width, kTextWidth)) +
            table.text(2, width) + wrap("gap closed: from wormhole to ideal", 2, width) + waits.text(width);
    for (const std::string& line : job.notes) text += wrap(line, 2, std::min(width, kTextWidth));
    text += bounds_section(job.bounds, width);
  }
  return text;
}

}  // namespace hybrid
