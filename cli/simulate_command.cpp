// `hybrid simulate`: synthetic traffic, or the PEs' command files, on an emulated switch.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/ignored_options.h"
#include "cli/json_output.h"
#include "cli/table_flags.h"
#include "cli/unknown_variables.h"
#include "core/error.h"
#include "core/units.h"
#include "emulator/limits.h"
#include "emulator/network/collective_plane.h"
#include "emulator/switching/bounds.h"
#include "emulator/timeline_file.h"
#include "emulator/traffic/command_run.h"
#include "emulator/traffic/commands.h"
#include "emulator/traffic/simulate.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/report/comparison.h"
#include "libhybrid/report/job_emulator.h"
#include "libhybrid/report/report_json.h"
#include "libhybrid/report/report_text.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

std::string share(const std::optional<double>& load) { return load ? percent(*load) : "-"; }
nlohmann::ordered_json load_json(const std::optional<double>& load) {
  return load ? nlohmann::ordered_json(*load) : nlohmann::ordered_json();
}

std::string measures_table(const std::vector<Measures>& results, bool loads) {
  std::vector<TextTable::Column> columns{
      {"technique", TextTable::Align::left}, {"K"}, {"nodes"}, {"time"}, {"utilisation"}};
  if (loads) columns.insert(columns.end(), {{"offered load"}, {"accepted load"}});
  columns.insert(columns.end(), {{"messages"}, {"mean"}, {"p50"}, {"p99"}, {"max"}, {"hit rate"}});
  TextTable table(columns);
  for (const Measures& m : results) {
    std::vector<std::string> row{m.technique, m.slots == 0 ? "-" : std::to_string(m.slots),
                                 std::to_string(m.nodes), short_time(m.time), percent(m.utilisation)};
    if (loads) row.insert(row.end(), {share(m.offered_load), share(m.accepted_load)});
    row.insert(row.end(),
               {grouped(m.messages), short_time(m.latency.mean()), short_time(m.latency.quantile(0.5)),
                short_time(m.latency.quantile(0.99)), short_time(m.latency.maximum()), percent(m.hit_rate)});
    table.add(row);
  }
  return table.text(0, TextTable::wide(stdout));
}

/// Use of the ports and of the slots.
std::string ports_table(const std::vector<Measures>& results) {
  TextTable table({{"technique", TextTable::Align::left},
                   {"K"},
                   {"out: min"},
                   {"mean"},
                   {"max"},
                   {"in: min"},
                   {"mean"},
                   {"max"},
                   {"slot occupancy"},
                   {"slot waste"}});
  for (const Measures& m : results) {
    const PortSpread out = m.out_utilisation(), in = m.in_utilisation();
    const bool slots = m.statistics.slots_used + m.statistics.slots_wasted != 0;
    table.add({m.technique, m.slots == 0 ? "-" : std::to_string(m.slots), percent(out.least),
               percent(out.mean), percent(out.largest), percent(in.least), percent(in.mean),
               percent(in.largest), slots ? percent(m.slot_occupancy()) : "-",
               slots ? percent(m.slot_waste()) : "-"});
  }
  return table.text(0, TextTable::wide(stdout));
}

/// What a preloaded topology covers; the same for every technique that preloads.
std::string topology_line(const std::vector<Measures>& results, const std::string& topology) {
  for (const Measures& m : results)
    if (m.topology_share) return topology_sentence(topology, *m.topology_share) + "\n";
  return {};
}

/// What the multicast plane copied; the same for every technique.
std::string multicast_line(const std::vector<Measures>& results) {
  if (results.empty()) return {};
  const std::optional<MulticastCopies>& copies = results.front().multicast;
  if (!copies) return {};
  return "copied by the multicast plane on separate links: " + grouped(copies->messages) + " messages, " +
         format_bytes(copies->bytes) + " (above in latencies only)\n";
}

class SimulateCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Emulates synthetic traffic, or PEs that execute command files, on a switch. --technique and --slots "
        "take lists: every combination is run. If wormhole is among several, the bounds are emulated, too, "
        "and the gap closed is shown.");
    add_config_option(table_);
    add_switch();
    flags_.declare(line, table_, "Switch");
    OptionTable traffic;
    add_traffic_options(traffic, traffic_);
    for (const Option& option : traffic.options()) table_.add(option);
    flags_.declare(line, table_, "Traffic");
    table_.add({"commands", "DIR|PREFIX",
                "one command file a PE: those in DIR, or whose paths begin with PREFIX", "",
                [this](std::string_view v) { commands_ = v; }});
    table_.add({"commands-output", "DIR", "new directory for the times of each PE's commands and arrivals",
                "", [this](std::string_view v) { commands_output_ = v; }});
    add_multicast_option(table_, hardware_multicast_);
    flags_.declare(line, table_, "Command files (docs/commands.md)");
    table_.add({"timeline", "FILE",
                "new file for ui.perfetto.dev: the timeline of each port; .pftrace: protobuf, else JSON", "",
                [this](std::string_view v) { timeline_ = v; }});
    flags_.declare(line, table_, "Timeline (docs/traffic.md)");
    flags_.exclude("nodes", "network");
    flags_.exclude("load", "outstanding");
    for (const Option& option : traffic.options()) flags_.exclude("commands", option.name);
    line.add_flag("--per-port", "also show the use of the ports and slots; JSON: the bytes of each port",
                  per_port_);
    line.add_flag("--per-phase", "also show the measures of each phase of the pattern", per_phase_);
    json_.declare(line);
    line.add_examples(
        "Examples:\n"
        "  hybrid simulate --pattern uniform --nodes 32 --technique wormhole,hybrid --load 0.5\n"
        "  hybrid simulate --preset ch8 --pattern random-to-all --message 512 --technique circuit\n"
        "  hybrid simulate --preset ocs-silicon-400g --nodes 16 --technique wormhole,circuit,tdm\n"
        "  hybrid simulate --pattern transpose --slots 1,2,4,8 --json -\n"
        "  hybrid simulate --pattern all-to-all --exchange recursive --slots 4 --preload 4\n"
        "  hybrid simulate --pattern neighbor --preload-topology ring --slots 4 --preload 2\n"
        "  hybrid simulate --commands examples/commands/ring --technique wormhole,hybrid\n"
        "  hybrid simulate --commands my_files/pe --technique circuit --commands-output times");
  }

  int run(const std::vector<std::string>&) override {
    json_.check();
    warn_of_unknown(flags_.apply(table_, environ));
    const auto given = flags_.given();
    // Options from variables and files that a flag makes unused are ignored.
    if (commands_.empty() && !given.contains("commands-output")) commands_output_.clear();
    if (given.contains("pattern") && !given.contains("exchange") && traffic_.pattern != "all-to-all")
      traffic_.exchange.clear();
    json_.check_another("timeline", timeline_);
    json_.check_another("commands-output", commands_output_);
    if (!timeline_.empty() && is_same_path(timeline_, commands_output_))
      throw UserError("--timeline: '" + timeline_ + "' is the name for --commands-output, too",
                      "Give two names.");
    refuse_unused_flags();
    if (!commands_output_.empty() && commands_.empty())
      throw UserError("commands-output: there are no command files", "Give --commands too.");
    if (!commands_.empty()) return run_files();
    if (hardware_multicast_)
      throw UserError("multicast: patterns have no broadcasts and no barriers",
                      "Leave --multicast out, or give --commands.");
    const std::vector<SwitchParameters> runs = combinations();
    for (const SwitchParameters& parameters : runs) check(parameters);
    check_timeline(runs.size());
    check(traffic_);
    print_notes(ignored_options(flags_.names_given(), {runs, &traffic_}));
    print_notes(limit_sentences(runs));
    emulate(runs, [&](const SwitchParameters& p, const SimulationProgress& progress, PortTimeline* timeline) {
      return simulate(p, traffic_, progress, timeline);
    });
    return show(true);
  }

 private:
  /// Throws for flags that no run uses. Options in variables and files may be for other runs.
  void refuse_unused_flags() const {
    const auto given = flags_.given();
    if (given.contains("hotspot") && commands_.empty() && traffic_.pattern != "hotspot")
      throw UserError("hotspot: pattern " + traffic_.pattern + " has no hot spot",
                      "Give --pattern hotspot, or leave --hotspot out.");
    const auto runs = combinations();
    if (given.contains("circuit-channels") && std::none_of(runs.begin(), runs.end(), [](const auto& p) {
          return uses_option(Technique::kKind, p.technique, "circuit-channels");
        }))
      throw UserError("circuit-channels: only technique wave has them",
                      "Give --technique wave, or leave --circuit-channels out.");
  }

  std::vector<SwitchParameters> combinations() const {
    std::vector<SwitchParameters> runs;
    const auto techniques = techniques_.empty() ? std::vector<std::string>{network_.technique} : techniques_;
    const auto counts = slot_counts_.empty() ? std::vector<std::uint32_t>{network_.slots} : slot_counts_;
    for (const std::string& technique : techniques)
      for (std::uint32_t slots : counts) {
        SwitchParameters p = network_;
        p.technique = technique;
        p.slots = slots;
        // A combination that is named twice runs once.
        if (std::none_of(runs.begin(), runs.end(), [&](const SwitchParameters& other) {
              return other.technique == technique && other.slots == slots;
            }))
          runs.push_back(p);
        if (!uses_slots(technique)) break;  // the same for any number of slots
      }
    return runs;
  }

  /// The options of the switch; remembers whether the number of ports was given.
  void add_switch() {
    OptionTable all;
    add_compared_switch_options(all, network_, techniques_, slot_counts_, nullptr, nullptr,
                                network_.technique, std::to_string(network_.slots));
    for (Option option : all.options()) {
      if (option.name == "model")
        option.set = [this, set = option.set](std::string_view v) {
          set(v);
          use_model(network_.dissertation, traffic_);
        };
      if (option.name == "nodes" || option.name == "network")
        option.set = [this, set = option.set](std::string_view v) {
          set(v);
          nodes_given_ = true;
        };
      table_.add(std::move(option));
    }
  }

  int run_files() {
    const auto given = flags_.given();
    OptionTable traffic;
    TrafficOptions ignored;
    add_traffic_options(traffic, ignored);
    for (const Option& option : traffic.options())
      if (given.contains(option.name))
        throw UserError(option.name + ": with --commands, the files contain the traffic",
                        "Leave --" + option.name + " or --commands out.");
    const std::uint32_t pes = count_command_files(commands_);
    if (nodes_given_ && network_.nodes < pes)
      throw UserError("nodes: " + std::to_string(network_.nodes) + " ports, but " + std::to_string(pes) +
                          " PEs have a command file in '" + commands_ + "'",
                      "Give at least as many --nodes, or none: then each PE with a file has a port.");
    if (!nodes_given_) table_.set("nodes", std::to_string(pes), "--commands");
    const std::vector<SwitchParameters> runs = combinations();
    for (const SwitchParameters& parameters : runs) check(parameters);
    check_timeline(runs.size());
    if (!commands_output_.empty()) check_new_directory("commands-output", commands_output_);
    const std::vector<CommandFile> files = read_command_files(commands_, network_.nodes);
    if (hardware_multicast_ && !has_collectives(files))
      throw UserError("multicast: no file of '" + commands_ + "' has a broadcast or a barrier",
                      "Leave --multicast out.");
    if (hardware_multicast_) check_multicast(network_);
    const Emulated emulated{runs, nullptr, hardware_multicast_};
    print_notes(ignored_options(flags_.names_given(), emulated));
    print_notes(ignored_commands(files, emulated));
    print_notes(limit_sentences(runs));
    std::vector<CommandResult> all(runs.size());
    emulate(runs, [&](const SwitchParameters& p, const SimulationProgress& progress, PortTimeline* timeline) {
      CommandResult result = run_commands(p, files, progress, {hardware_multicast_, timeline});
      Measures measures = result.measures;
      if (results_.size() < all.size()) all[results_.size()] = std::move(result);  // else: of a bound
      return measures;
    });
    if (!commands_output_.empty()) write_times(files, all);
    return show(false);
  }

  void check_timeline(std::size_t runs) const {
    if (!timeline_.empty() && runs != 1)
      throw UserError("timeline: it shows one run, but " + std::to_string(runs) + " were requested",
                      "Give one --technique and one --slots.");
  }

  /// The files of a single run go into the directory itself, those of several runs into one folder each.
  void write_times(const std::vector<CommandFile>& files, const std::vector<CommandResult>& all) const {
    if (all.size() == 1) return write_records(commands_output_, files, all.front());
    write_records(commands_output_, {}, {});
    try {
      write_each(files, all);
    } catch (...) {
      std::error_code ignored;
      std::filesystem::remove_all(commands_output_, ignored);  // created by this run
      throw;
    }
  }

  void write_each(const std::vector<CommandFile>& files, const std::vector<CommandResult>& all) const {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Measures& m = results_[i];
      write_records(
          commands_output_ + "/" + m.technique + (m.slots == 0 ? "" : "-" + std::to_string(m.slots)), files,
          all[i]);
    }
  }

  /// Emulates all runs, which have the same messages, with run(parameters, progress, timeline).
  template <class Emulate>
  void emulate(const std::vector<SwitchParameters>& runs, Emulate&& run) {
    double estimate = 0;
    if (line_.show("estimating the time", 0))
      for (const SwitchParameters& p : runs)
        estimate += estimate_seconds([&](const SimulationProgress& note) { run(p, note, nullptr); });
    for (const SwitchParameters& p : runs) {
      const std::string what = "emulating " + run_name(p);
      std::optional<TimelineFile> timeline;
      if (!timeline_.empty()) timeline.emplace(timeline_, p.nodes);
      const std::size_t ended = results_.size();
      Measures m = run(
          p,
          [&](std::uint64_t delivered, std::uint64_t all) {
            Progress progress{ended * all + delivered, runs.size() * all, "messages"};
            progress.estimate = estimate;
            if (all != 0) line_.show(what, progress);
          },
          timeline ? &*timeline : nullptr);
      if (timeline) timeline->finish();
      if (!uses_slots(p.technique)) {
        m.slots = 0;
        m.topology_share.reset();  // no slots to preload
      }
      results_.push_back(std::move(m));
      limits_.push_back(limit_texts(limiting_parts(p)));
    }
    compare_with_bounds(run);
  }

  /// Emulates the bounds that were not named, if wormhole is compared with other techniques.
  template <class Emulate>
  void compare_with_bounds(Emulate&& run) {
    std::vector<TechniqueResult> compared;
    for (const Measures& m : results_) compared.emplace_back().measures = m;
    if (compared.size() > 1 && find_technique(compared, "wormhole") != nullptr) {
      bounds_ = emulate_bounds(network_, compared, [&](const std::vector<SwitchParameters>& bounds) {
        std::vector<EmulatedRun> all(bounds.size());
        for (std::size_t i = 0; i < bounds.size(); ++i)
          all[i].measures = run(
              bounds[i],
              [&](std::uint64_t delivered, std::uint64_t messages) {
                if (messages != 0) line_.show("emulating the bounds", {delivered, messages, "messages"});
              },
              nullptr);
        return all;
      });
      compare(compared, bounds_);
    }
    for (const TechniqueResult& r : compared) gaps_.push_back(r.gap_closed);
  }

  /// The bounds, and the gap that each technique closes.
  std::string bounds_text() const {
    if (!bounds_.ideal) return {};
    const std::size_t width = terminal_width(stdout);
    std::string gaps;
    bool has_gap = false;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const Measures& m = results_[i];
      has_gap |= gaps_[i].has_value();
      if (!is_bound(m.technique) && m.technique != "wormhole" && gaps_[i])
        gaps += (gaps.empty() ? "" : ", ") + m.technique +
                (m.slots == 0 ? "" : " with K = " + std::to_string(m.slots)) + " " + gap_text(gaps_[i]);
    }
    if (gaps.empty() && has_gap) return bounds_section(bounds_, width, "time");  // only bounds were compared
    return bounds_section(bounds_, width, "time") +
           wrap("gap closed (from wormhole to ideal): " +
                    (gaps.empty() ? "-, since ideal is less than 0.1 % faster than wormhole" : gaps),
                2, width);
  }

  int show(bool synthetic) {
    line_.clear();
    if (!json_.owns_stdout()) {
      std::fputs(measures_table(results_, synthetic).c_str(), stdout);
      std::fputs(topology_line(results_, traffic_.preload_topology).c_str(), stdout);
      std::fputs(multicast_line(results_).c_str(), stdout);
      std::fputs(bounds_text().c_str(), stdout);
      if (per_port_) std::fputs(("\n" + ports_table(results_)).c_str(), stdout);
      if (per_phase_) std::fputs(("\n" + phases_table()).c_str(), stdout);
    }
    json_.write(as_json(synthetic));
    return kDone;
  }

  std::string phases_table() const {
    std::vector<const Measures*> all;
    all.reserve(results_.size());
    for (const Measures& m : results_) all.push_back(&m);
    return phase_measures_table(all, 0, TextTable::wide(stdout));
  }

  nlohmann::ordered_json as_json(bool synthetic) const {
    auto array = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const Measures& m = results_[i];
      auto one = to_json(m, per_port_);
      one["limited_by"] = limits_[i];
      one["gap_closed"] = or_null(gaps_[i]);
      one["bounds"] = to_json(bounds_);
      if (synthetic) {
        one["pattern"] = traffic_.pattern;
        one["message"] = traffic_.message;
        one["load"] = traffic_.load;
        one["outstanding"] = traffic_.outstanding;
        one["offered_load"] = load_json(m.offered_load);
        one["accepted_load"] = load_json(m.accepted_load);
        if (!traffic_.exchange.empty()) one["exchange"] = traffic_.exchange;
        if (m.topology_share)
          one["preload_topology"] = topology_json(traffic_.preload_topology, *m.topology_share);
      } else {
        one["commands"] = commands_;
        if (hardware_multicast_) one["multicast"] = "hardware";
      }
      array.push_back(std::move(one));
    }
    return array;
  }

  SwitchParameters network_ = network_by_default();
  std::vector<std::string> techniques_;
  std::vector<std::uint32_t> slot_counts_;
  TrafficOptions traffic_;
  std::string commands_, commands_output_, timeline_;
  bool hardware_multicast_ = false, nodes_given_ = false, per_port_ = false, per_phase_ = false;
  std::vector<Measures> results_;
  std::vector<std::vector<std::string>> limits_;  // of each result
  JobBounds bounds_;                              // unknown unless wormhole is compared
  std::vector<std::optional<double>> gaps_;       // closed by each result
  ProgressLine line_{stderr};
  OptionTable table_;
  TableFlags flags_;
  JsonOutput json_;
};

const CommandRegistration kSimulate{
    "simulate", "emulate synthetic traffic or command files",
    []() -> std::unique_ptr<Command> { return std::make_unique<SimulateCommand>(); }};

}  // namespace
}  // namespace hybrid
