#include "libhybrid/report/hint_worth.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "emulator/network_shape.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/recorded_phases.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

constexpr std::int64_t kSlotPerReconfiguration = 10;

enum Variant : std::size_t { kWormhole, kPrediction, kHints, kBoth };

SwitchParameters parameters_of(const JobOptions& options, Variant variant, const HintWorth& at) {
  SwitchParameters p = options.network;
  p.technique = variant == kWormhole ? "wormhole" : "hybrid";
  p.preload = variant == kHints || variant == kBoth ? p.slots : 0;
  if (variant == kHints) p.predictor = "none";
  p.reconfiguration_command = p.reconfiguration_switching = p.reconfiguration_lock = Time{};
  p.reconfiguration = at.reconfiguration;
  p.slot_length = at.slot_length;
  return p;
}

}  // namespace

JobWorth hint_worth(const std::string& trace, const TraceOpener& open, const JobOptions& options,
                    const std::vector<Time>& reconfigurations, const ProgressNote& note) {
  JobWorth worth;
  worth.trace = trace;
  auto job = open();
  worth.ranks = job->ranks();
  const auto placement = ports_of_ranks(*job, options.replay);
  SwitchParameters fitted = options.network;
  fit_nodes(count_ports(placement), fitted, options.replay.crossbar);
  const FoundPhases phases = find_phases(*job, options.replay, fitted.nodes);

  PhaseHints hints;
  if (!phases.hinted) {
    worth.notes.emplace_back("Recorded without phases: no hints.");
  } else {
    try {
      hints = hints_of(options.hints.empty() ? std::string(kRecordedHints) : options.hints, trace, open,
                       phases.phases);
      worth.notes = gaps_of(hints, phases.phases);
    } catch (const NoHints& none) {
      std::string why = in_one_line(none.what());
      if (why.starts_with(trace + ": ")) why.erase(0, trace.size() + 2);
      worth.notes.push_back(std::move(why));
    }
  }
  job = open();
  const PhaseNesting nesting = read_phase_nesting(*job);
  job = open();
  for_each_sent(*job, options.replay, [&](const SentMessage& message) {
    ++worth.messages;
    if (message.phase == kNoPhase) return;
    const auto hinted = hints.phases.find(job->region_name(message.phase));
    if (hinted != hints.phases.end() &&
        hinted->second.contains({message.source_rank, message.destination_rank}))
      ++worth.messages_hinted;
  });

  for (const Time reconfiguration : reconfigurations) {
    HintWorth at;
    at.reconfiguration = reconfiguration;
    at.slot_length = std::max(options.network.slot_length, reconfiguration * kSlotPerReconfiguration);
    for (const Variant variant : {kWormhole, kPrediction, kHints, kBoth}) {
      if ((variant == kHints || variant == kBoth) && hints.phases.empty()) continue;
      const SwitchParameters parameters = parameters_of(options, variant, at);
      ReplayOptions replay_options = options.replay;
      replay_options.notify_predictors = variant == kBoth;
      if (parameters.preload != 0)
        replay_options.preloads = plan(hints, nesting, placement, fitted.nodes, parameters.preload);
      const std::string what = fmt::format("{}, reconfiguration {}: {}", trace, to_string(reconfiguration),
                                           kWorthVariants[variant]);
      replay_options.progress = [&](std::uint64_t done) {
        if (note) note(what, done);
      };
      job = open();
      const Measures measures = replay(*job, parameters, replay_options).measures;
      at.variants[variant] = {true, measures.time, measures.hit_rate};
    }
    worth.at.push_back(at);
  }
  return worth;
}

std::string worth_text(const std::vector<JobWorth>& jobs) {
  using Align = TextTable::Align;
  TextTable table({{"job", Align::left},
                   {"ranks"},
                   {"messages"},
                   {"hinted"},
                   {"reconf."},
                   {"wormhole"},
                   {"prediction"},
                   {"hits"},
                   {"hints"},
                   {"hits"},
                   {"both"},
                   {"hits"}});
  for (const JobWorth& job : jobs)
    for (const HintWorth& at : job.at) {
      const bool first = &at == &job.at.front();
      const double hinted =
          job.messages == 0 ? 0.0
                            : static_cast<double>(job.messages_hinted) / static_cast<double>(job.messages);
      std::vector<std::string> row{first ? job.trace : "", first ? std::to_string(job.ranks) : "",
                                   first ? grouped(job.messages) : "", first ? percent(hinted) : "",
                                   to_string(at.reconfiguration)};
      for (std::size_t variant = 0; variant < at.variants.size(); ++variant) {
        const HintWorth::Variant& cell = at.variants[variant];
        row.push_back(cell.is_known ? short_time(cell.time) : "-");
        if (variant != kWormhole) row.push_back(cell.is_known ? percent(cell.hit_rate) : "-");
      }
      table.add(std::move(row));
    }
  std::string text = table.text(2, 132);
  for (const JobWorth& job : jobs)
    for (const std::string& line : job.notes) text += wrap(job.trace + ": " + line);
  return text;
}

}  // namespace hybrid
