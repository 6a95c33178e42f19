#include "libhybrid/report/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/registry.h"
#include "core/shell.h"
#include "emulator/presets/preset.h"
#include "emulator/replay/trace_names.h"
#include "libhybrid/report/call_table.h"
#include "libhybrid/report/terminal_text.h"
#include "libhybrid/report/wait_division.h"

namespace hybrid {

namespace {

using Align = TextTable::Align;

constexpr std::size_t kMostPhases = 16;  // rows of the table; the JSON has all phases

std::string slots_cell(std::uint32_t slots) { return slots == 0 ? "-" : std::to_string(slots); }

std::string ratio_cell(double ratio) { return ratio == 0 ? "-" : fmt::format("{:.3f}x", ratio); }

std::string share_cell(Time part, Time whole) {
  return whole.ps == 0 ? "-" : percent(static_cast<double>(part.ps) / static_cast<double>(whole.ps));
}

std::string plural(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", grouped(count), thing, count == 1 ? "" : "s");
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string placement_of(const JobReport& report) {
  const JobFacts& job = report.job;
  std::string text = plural(job.ranks, "rank");
  if (const auto hosts = job.find(trace_names::kHosts); !hosts.empty())
    text += " on " + plural(number(hosts), "host");
  text += ", " + plural(job.ports, "port") + " of the switch";
  if (!report.options.replay.placement.empty())
    text += " (as given)";
  else if (const auto placement = job.find(trace_names::kPlacement); !placement.empty())
    text += fmt::format(" (one per {})", placement);
  return text;
}

std::string job_section(const JobReport& report, std::size_t width) {
  std::string text;
  const auto fact = [&](std::string_view name, const std::string& value) {
    constexpr std::size_t kIndent = 15;
    std::string lines = wrap(value, kIndent, width);
    if (!lines.empty()) text += lines.replace(2, name.size(), name);
  };
  const JobFacts& job = report.job;
  text += "Job\n";
  const std::string_view command = job.find(trace_names::kArguments);  // begins with the program's name
  fact("program", std::string(command.empty() ? job.find(trace_names::kApplication) : command));
  fact("ranks", placement_of(report));
  if (const auto clock = job.find(trace_names::kClock); !clock.empty())
    fact("compute time", clock == "cpu" ? "from each thread's CPU clock" : "from the wall clock");
  if (job.find(trace_names::kYield) == "yes")
    fact("yield", "on: empty polls gave up the core, since there were more ranks than cores");
  if (!report.techniques.empty()) {
    const Measures& m = report.techniques.front().measures;
    fact("messages", fmt::format("{} through the switch, {}", grouped(m.messages), format_bytes(m.bytes)));
    if (m.local_messages != 0)
      fact("", fmt::format("{} inside ports, {}", grouped(m.local_messages), format_bytes(m.local_bytes)));
    if (m.multicast)
      fact("", fmt::format("{} copied by the fabric over separate links, {}", grouped(m.multicast->messages),
                           format_bytes(m.multicast->bytes)));
  }
  for (std::size_t i = 0; i < report.warnings.size(); ++i) fact(i == 0 ? "warning" : "", report.warnings[i]);
  return text;
}

std::string phase_section(const JobReport& report, std::size_t width) {
  std::string text =
      fmt::format("\nPhases ({})\n", report.phases_hinted ? "hinted by the program" : "found from the sends");
  if (report.phases.empty()) return text + "  none: no message crosses the switch\n";
  std::vector<std::size_t> shown(report.phases.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (shown.size() > kMostPhases) {
    std::sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) {
      const std::uint64_t in_a = report.phases[a].messages, in_b = report.phases[b].messages;
      return in_a != in_b ? in_a > in_b : a < b;
    });
    shown.resize(kMostPhases);
    std::sort(shown.begin(), shown.end());
  }
  bool any_rare = false;
  TextTable table(
      {{"phase", Align::left}, {"occurrences"}, {"messages"}, {"bytes"}, {"working set"}, {"slots needed"}});
  for (std::size_t i : shown) {
    const Phase& p = report.phases[i];
    table.add(
        {p.name, grouped(p.occurrences), grouped(p.messages), format_bytes(p.bytes),
         plural(p.working_set.size(), "connection") +
             (p.rare.empty() ? "" : fmt::format(", {} rare", grouped(p.rare.size()))),
         std::to_string(p.slots_needed) + (p.slots_without_rare == p.slots_needed
                                               ? ""
                                               : fmt::format(" ({} without rare)", p.slots_without_rare))});
    any_rare = any_rare || !p.rare.empty();
  }
  text += table.text(2, width);
  if (any_rare)
    text += wrap(
        "rare: less than an eighth of the messages of the phase's typical connection; the emulated "
        "numbers of slots and the verdict leave these connections out",
        2, width);
  if (shown.size() < report.phases.size())
    text +=
        fmt::format("  and {} with fewer messages\n", plural(report.phases.size() - shown.size(), "phase"));
  return text;
}

// "900 of 1,000 messages (90.0 %)", followed by the other counts whose names begin with `prefix`.
std::string counts(const JobFacts& job, std::string_view prefix, std::uint64_t hits, std::uint64_t messages) {
  std::string text =
      fmt::format("{} of {} messages ({})", grouped(hits), grouped(messages),
                  messages == 0 ? "-" : percent(static_cast<double>(hits) / static_cast<double>(messages)));
  for (std::string_view thing : {"requests", "releases", "preloads", "flushes", "grants"}) {
    const std::uint64_t count = number(job.find(fmt::format("{}{}", prefix, thing)));
    if (count != 0) text += fmt::format(", {} {}", grouped(count), thing);
  }
  return text;
}

// Counts of the ranks' predictors and of the live scheduler, from the facts of the trace.
std::string live_section(const JobFacts& job, std::size_t width) {
  std::string text;
  if (!job.find("predicted_sends").empty())
    text += wrap(fmt::format("predictor {}: held the circuit for {}", job.find("online_predictor"),
                             counts(job, "predicted_", number(job.find("predicted_hits")),
                                    number(job.find("predicted_sends")))),
                 2, width);
  if (const std::uint64_t ranks = number(job.find("unpredicted_ranks")); ranks != 0)
    text += wrap(
        fmt::format("predictor {}: paused at times from {} on (mean of {}), because it had taken its share "
                    "of the time (1 % of a core): {} are not predicted",
                    job.find("online_predictor"),
                    short_time(nanoseconds(
                        static_cast<std::int64_t>(number(job.find("unpredicted_since_ns")) / ranks))),
                    plural(ranks, "rank"), plural(number(job.find("unpredicted_sends")), "message")),
        2, width);
  if (!job.find("inspections").empty()) {
    const std::uint64_t reported = number(job.find("inspections_speculative")),
                        used = number(job.find("inspections_used")),
                        dropped = number(job.find("inspections_dropped")),
                        early = number(job.find("inspections_ended_early"));
    std::string line =
        fmt::format("inspectors of the program: {}", plural(number(job.find("inspections")), "inspection"));
    if (reported != 0)
      line += fmt::format("; {} of the speculative destinations were used",
                          percent(static_cast<double>(used) / static_cast<double>(reported)));
    if (dropped != 0)
      line += fmt::format("; {} dropped (mostly wrong, or they ended early)", plural(dropped, "inspector"));
    if (early != 0) line += fmt::format("; {} ended early", plural(early, "inspection"));
    text += wrap(line, 2, width);
  }
  if (!job.find("live_hits").empty()) {
    const std::uint64_t hits = number(job.find("live_hits"));
    text += wrap(fmt::format("live scheduler: had granted the circuit for {}",
                             counts(job, "live_", hits, hits + number(job.find("live_misses")))),
                 2, width);
    for (const std::string& line : live_step_back(job)) text += wrap("live scheduler: " + line, 2, width);
  }
  return text.empty() ? text : "\nWhile the job ran\n" + text;
}

// The causes of each technique's wait for the network.
std::string wait_section(const JobReport& report, std::size_t width) {
  WaitTable table({{"technique", Align::left}, {"K"}});
  for (const TechniqueResult& r : report.techniques)
    if (r.wait_parts)
      table.add({r.measures.technique, slots_cell(r.measures.slots)}, r.measures.technique, *r.wait_parts);
  return table.text(width);
}

std::string footer(const JobReport& report, std::size_t width) {
  const SwitchParameters& p = report.options.network;
  std::string text = "\nInput and parameters\n";
  text += wrap("trace " + report.trace, 2, width);
  text += wrap(fmt::format("link {}, one way {}, slot {}, guard {}, reconfiguration {}, scheduler {} ({} per "
                           "pass), predictor {}, "
                           "allocation {}, seed {}",
                           format_rate(p.link_rate), to_string(p.one_way_wire()), to_string(p.slot_length),
                           to_string(p.guard), to_string(p.fabric_reconfiguration()), p.scheduler_name,
                           to_string(p.scheduler.delay()), p.predictor, p.allocation, p.seed),
               2, width);
  if (report.topology_share)
    text += wrap(topology_sentence(report.options.preload_topology, *report.topology_share), 2, width);
  if (report.options.replay.hardware_multicast)
    text += wrap(
        "--multicast hardware: the fabric executes broadcasts and barriers, without messages of the NICs", 2,
        width);
  // Not wrapped, so that users can copy the command.
  return text + "  repeat: " + command_to_repeat(report) + "\n";
}

/// The words "--preset" "ch4" "--slots" "5" ... that give the options the values of `wanted`. Options may
/// change others, as the clocks follow the link rate: after the preset come the link rate and the word, then
/// what still differs, then what these changed.
std::vector<std::string> options_for(const OptionTable& wanted, std::string_view preset) {
  std::map<std::string_view, std::string_view> given;
  if (!preset.empty()) given.emplace("preset", preset);
  const auto give_what_differs = [&](std::string_view only) {
    JobOptions repeated;
    OptionTable table, values;
    add_emulation_options(table, repeated);
    for (const Option* option : table.in_order())
      if (const auto one = given.find(option->name); one != given.end()) option->set(one->second);
    add_emulation_options(values, repeated);
    for (const Option& option : wanted.options())
      if ((only.empty() || option.name == only) &&
          option.default_text != values.find(option.name)->default_text)
        given.emplace(option.name, option.default_text);
  };
  for (const std::string_view only : {"link-rate", "word", "", ""}) give_what_differs(only);

  std::vector<std::string> words;
  for (const Option& option : wanted.options())
    if (const auto one = given.find(option.name); one != given.end())
      words.insert(words.end(), {"--" + option.name, std::string(one->second)});
  return words;
}

}  // namespace

std::vector<std::string> live_step_back(const JobFacts& job) {
  // The facts are sums over the services, one per host.
  const auto mean_time = [&](std::string_view fact, std::uint64_t services) {
    return short_time(nanoseconds(static_cast<std::int64_t>(number(job.find(fact)) / services))) +
           (services == 1 ? "" : fmt::format(" (mean of {} hosts)", services));
  };
  std::vector<std::string> lines;
  if (const std::uint64_t n = number(job.find("live_sampling_services")); n != 0)
    lines.push_back(fmt::format(
        "from {} on it read the requests less often than every 10 ms, because its CPU time had reached 1 % "
        "of the job's time",
        mean_time("live_sampling_since_ns", n)));
  if (const std::uint64_t n = number(job.find("live_stopped_services")); n != 0)
    lines.push_back(fmt::format(
        "stopped at {}, because a second without it would have left its CPU time above 1 % of the job's "
        "time; all later messages count as without a circuit",
        mean_time("live_stopped_at_ns", n)));
  if (number(job.find("live_failed_services")) != 0)
    lines.push_back(
        "stopped because its scheduler failed, as the job's messages say; all later messages count as "
        "without a "
        "circuit");
  return lines;
}

std::string predictor_table(const std::vector<PredictorScore>& scores, std::size_t width) {
  TextTable table({{"predictor", Align::left},
                   {"K"},
                   {"hit rate"},
                   {"messages"},
                   {"requests"},
                   {"releases"},
                   {"held unused"}},
                  2);
  for (const PredictorScore& s : scores)
    table.add({s.predictor, s.capacity == 0 ? "any" : std::to_string(s.capacity), percent(s.hit_rate()),
               grouped(s.sends), grouped(s.requests), grouped(s.releases),
               share_cell(s.held_unused, s.held)});
  return table.text(2, width);
}

std::string bounds_section(const JobBounds& bounds, std::size_t width, const char* time) {
  TextTable table({{"bound", Align::left}, {time}, {"description", Align::left}});
  const auto add = [&](const char* name, const std::optional<BoundTimes>& bound, const char* description) {
    if (bound) table.add({name, short_time(bound->time), description});
  };
  add("no-network", bounds.no_network, "messages take no time");
  add("uncontended", bounds.uncontended, "no contention, no scheduling: no switch is faster");
  add("ideal", bounds.ideal, "wormhole without scheduling delay, one worm per message");
  if (table.empty()) return {};
  std::string text = "\nBounds\n" + table.text(2, width);
  if (bounds.no_network && bounds.no_network->communication != Time{})
    text += wrap(fmt::format("a rank waits {} for other ranks (mean), however fast the network is",
                             short_time(bounds.no_network->communication)),
                 2, width);
  return text;
}

std::string technique_table(const std::vector<TechniqueResult>& results,
                            const std::vector<TechniqueFailure>& failures, std::size_t width) {
  TextTable table({{"technique", Align::left},
                   {"K"},
                   {"job time"},
                   {"speedup"},
                   {"gap closed"},
                   {"utilisation"},
                   {"p50"},
                   {"p99"},
                   {"hit rate"}},
                  2);
  for (const TechniqueResult& r : results) {
    const Measures& m = r.measures;
    table.add({m.technique, slots_cell(m.slots), short_time(m.time), ratio_cell(r.speedup),
               gap_text(r.gap_closed), percent(m.utilisation), short_time(m.latency.quantile(0.5)),
               short_time(m.latency.quantile(0.99)), percent(m.hit_rate)});
  }
  for (const TechniqueFailure& failure : failures)
    table.add({failure.technique, slots_cell(failure.slots), "failed", "-", "-", "-", "-", "-", "-"});
  return table.text(2, width);
}

std::string phase_measures_table(const std::vector<const Measures*>& results, std::size_t indent,
                                 std::size_t width) {
  TextTable table({{"technique", Align::left},
                   {"K"},
                   {"phase", Align::left},
                   {"time"},
                   {"utilisation"},
                   {"messages"},
                   {"bytes"},
                   {"p50"},
                   {"p99"},
                   {"hit rate"}},
                  3);
  for (const Measures* m : results)
    for (const PhaseMeasures& p : m->phases)
      table.add({m->technique, slots_cell(m->slots), p.name, short_time(p.time),
                 p.utilisation <= 1 ? percent(p.utilisation) : "-", grouped(p.messages),
                 format_bytes(p.bytes), short_time(p.latency.quantile(0.5)),
                 short_time(p.latency.quantile(0.99)), percent(p.hit_rate())});
  if (table.empty()) return wrap("No phases are distinguished in this traffic.", indent, width);
  return table.text(indent, width);
}

std::vector<std::string> changed_options(const JobReport& report) {
  JobOptions ours = report.options;
  ours.explain = JobOptions{}.explain;  // not a parameter of the switch or the replay
  std::optional<std::vector<std::string>> best;
  const auto try_options = [&](JobOptions options) {
    OptionTable wanted;
    add_emulation_options(wanted, options);
    std::vector<std::string_view> presets = registered_names(Preset::kKind);
    presets.insert(presets.begin(), "");
    for (const std::string_view preset : presets) {
      try {
        std::vector<std::string> words = options_for(wanted, preset);
        if (!best || words.size() < best->size()) best = std::move(words);
      } catch (const UserError&) {
        // Its K is another one, and the report's is not a number: "4, and what the largest phase needs".
      }
    }
  };
  try_options(ours);
  // Or the K of a preset and the slots that the largest phase needs, as numbers.
  if (!ours.finds_slots && ours.slot_counts.empty()) {
    std::set<std::uint32_t> counts;
    for (const TechniqueResult& r : report.techniques)
      if (uses_slots(r.measures.technique)) counts.insert(r.measures.slots);
    ours.slot_counts.assign(counts.begin(), counts.end());
    try_options(ours);
  }
  return best.value_or(std::vector<std::string>());
}

std::string topology_sentence(const std::string& topology, double share_of_bytes) {
  return fmt::format("fixed preload: topology {}, which has the connections of {} of the bytes", topology,
                     percent(share_of_bytes));
}

std::string command_to_repeat(const JobReport& report) {
  std::string command =
      "hybrid replay " + shell_quoted(report.directory.empty() ? report.trace : report.directory);
  for (const std::string& word : changed_options(report)) command += " " + shell_quoted(word);
  return command;
}

std::string command_to_repeat(const std::string& trace, const JobOptions& options,
                              const SwitchParameters& parameters) {
  JobReport report;
  report.trace = trace;
  report.options = options;
  report.options.network = parameters;
  report.options.techniques = {parameters.technique};
  report.options.slot_counts.clear();
  report.options.finds_slots = false;
  // Without a number, K means two values.
  if (uses_slots(parameters.technique) || parameters.slots != JobOptions{}.network.slots)
    report.options.slot_counts = {parameters.slots};
  return command_to_repeat(report);
}

std::string to_text(const JobReport& report, std::size_t width) {
  std::string text = job_section(report, width) + phase_section(report, width);
  if (!report.predictors.empty() && report.predictors.front().sends != 0)
    text += "\n" +
            wrap("Predictors (at the recorded times of each port's sends, every request granted at once)", 0,
                 width) +
            predictor_table(report.predictors, width);
  text += live_section(report.job, width);
  text += "\n" +
          wrap("Techniques (speedup: against wormhole; gap closed: from wormhole to ideal)", 0, width) +
          technique_table(report.techniques, report.failures, width);
  if (!report.left_out.empty()) text += wrap(left_out_sentence(report.left_out), 2, width);
  for (const TechniqueResult& result : report.techniques)
    if (result.time_without_hints)
      text += wrap(
          fmt::format("{} with K = {} uses the program's hints: {} without them", result.measures.technique,
                      result.measures.slots, short_time(*result.time_without_hints)),
          2, width);
  for (const SlotsFound& found : report.slots_found) text += wrap(to_text(found), 2, width);
  for (const std::string& line : failure_lines(report)) text += wrap("failed: " + line, 2, width);
  text += wait_section(report, width) + call_table(report, width) + bounds_section(report.bounds, width);
  text += "\nVerdict\n" + wrap(report.verdict.sentence, 2, width);
  if (!report.verdict.technique.empty() && report.techniques.size() > 1)
    text += wrap(
        "This is one run; the spread between runs is unknown. `hybrid run --repeats 5`, or `hybrid replay` "
        "with "
        "several traces, shows it.",
        2, width);
  return text + footer(report, width);
}

}  // namespace hybrid
