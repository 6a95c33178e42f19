// `hybrid schedule`: scheduling algorithms on request sets, without emulation.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/schedule_options.h"
#include "cli/schedule_run.h"
#include "cli/table_flags.h"
#include "cli/unknown_variables.h"
#include "core/error.h"
#include "core/new_file.h"
#include "core/registry.h"
#include "emulator/scheduler/algorithm.h"
#include "emulator/traffic/simulate.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

std::string decimals(double x, int digits) { return fmt::format("{:.{}f}", x, digits); }
std::string time_text(double nanoseconds) {
  return short_time(Time{static_cast<std::int64_t>(nanoseconds * 1e3)});
}

Json series_json(const Series& s) { return {{"mean", s.mean()}, {"min", s.least()}, {"max", s.largest()}}; }

std::string slots_table(const std::vector<ScheduleScore>& scores) {
  TextTable table({{"scheduler", Align::left},
                   {"requests"},
                   {"granted"},
                   {"schedulability"},
                   {"min"},
                   {"max"},
                   {"bytes served"},
                   {"slots used"},
                   {"time per request"}});
  for (const ScheduleScore& s : scores)
    table.add({s.scheduler, decimals(s.requests.mean(), 1), decimals(s.granted.mean(), 1),
               percent(s.schedulability.mean()), percent(s.schedulability.least()),
               percent(s.schedulability.largest()),
               s.bytes_served.empty() ? "-" : percent(s.bytes_served.mean()),
               s.slots_used.empty() ? "-" : decimals(s.slots_used.mean(), 1), time_text(s.ns_per_request())});
  return table.text(0, TextTable::wide(stdout));
}

std::string demand_table(const std::vector<ScheduleScore>& scores) {
  TextTable table({{"scheduler", Align::left},
                   {"requests"},
                   {"drained in"},
                   {"bound"},
                   {"score"},
                   {"min"},
                   {"max"},
                   {"configurations"},
                   {"by packets"},
                   {"time per request"}});
  for (const ScheduleScore& s : scores)
    table.add({s.scheduler, decimals(s.requests.mean(), 1), time_text(s.drain_ns.mean()),
               time_text(s.bound_ns.mean()), decimals(s.score.mean(), 3), decimals(s.score.least(), 3),
               decimals(s.score.largest(), 3), decimals(s.configurations.mean(), 1),
               percent(s.by_packets.mean()), time_text(s.ns_per_request())});
  return table.text(0, TextTable::wide(stdout));
}

/// Creates the file of the schedule before the work. Throws UserError.
std::unique_ptr<NewFile> new_output(const std::string& path) {
  auto file = std::make_unique<NewFile>(path);
  if (file->begin()) return file;
  if (errno == EEXIST) throw UserError("output: '" + path + "' exists already", "Name a new file.");
  throw UserError("output: cannot create '" + path + "': " + std::strerror(errno), "Name another file.");
}

std::string hardware_table(const std::vector<ScheduleScore>& scores) {
  TextTable table({{"as hardware", Align::left},
                   {"design", Align::left},
                   {"cycles"},
                   {"wires"},
                   {"cells"},
                   {"memory bits"},
                   {"searches again", Align::left}});
  for (const ScheduleScore& s : scores)
    for (const HardwareCost& h : s.hardware)
      table.add({s.scheduler, std::string(h.design), std::to_string(h.cycles), std::to_string(h.wires),
                 std::to_string(h.logic), std::to_string(h.memory_bits), h.repeats ? "yes" : "no"});
  return table.text(0, TextTable::wide(stdout)) +
         "counted from the papers' designs, for one search; not synthesized\n";
}

Json hardware_json(const std::vector<HardwareCost>& designs) {
  Json array = Json::array();
  for (const HardwareCost& h : designs)
    array.push_back({{"design", h.design},
                     {"cycles", h.cycles},
                     {"wires", h.wires},
                     {"logic", h.logic},
                     {"memory_bits", h.memory_bits},
                     {"repeats", h.repeats}});
  return array;
}

class ScheduleCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Scores scheduling algorithms on request sets, without emulation: how many requests they grant in a "
        "slot "
        "or in K, how many slots a set needs, how long a demand takes to drain. Every schedule is checked "
        "independently before it is counted.");
    add_config_option(table_);
    add_request_options(table_, options_);
    flags_.declare(line, table_, "Network and requests");
    add_scheduling_options(table_, options_);
    flags_.declare(line, table_, "Scheduling (docs/schedule.md)");
    set_precedence();
    line.add_flag("--hardware",
                  "also show what the papers' hardware for a scheduler costs: cycles, wires, cells, memory",
                  hardware_);
    json_.declare(line);
    line.add_examples(
        "Examples:\n"
        "  hybrid schedule --nodes 128 --density 8\n"
        "  hybrid schedule --requests set.csv --slots 0 --scheduler first-fit,edge-colouring\n"
        "  hybrid schedule --pattern hidden --density 2 --slots 4 --sizes random --json -\n"
        "  hybrid schedule --demand --pattern skewed --density 16 --message 64K --reconfiguration 20us\n"
        "  hybrid schedule --demand --requests set.json --partial --packet-plane 0.1 --scheduler "
        "best-first-fit\n"
        "  hybrid schedule --network fattree:3,16\n"
        "  hybrid schedule --scheduler edge-colouring --slots 0 --output schedule.json");
  }

  int run(const std::vector<std::string>&) override {
    json_.check();
    warn_of_unknown(flags_.apply(table_, environ));
    reset_inapplicable_options();
    check_combination();
    if (hardware_) check_hardware();
    json_.check_another("output", options_.output);
    std::unique_ptr<NewFile> output;
    if (!options_.output.empty()) output = new_output(options_.output);
    const ScheduleRun run = run_schedulers(options_, [this](std::uint64_t done, std::uint64_t all) {
      line_.show("scheduling", {done, all, "request sets"});
    });
    line_.clear();
    if (output) {
      std::fputs(run.schedule.c_str(), output->stream());
      if (!output->finish()) throw RunError("cannot write " + options_.output + ": " + std::strerror(errno));
    }
    if (!json_.owns_stdout()) std::fputs(text(run).c_str(), stdout);
    json_.write(as_json(run));
    return kDone;
  }

 private:
  /// Which options exclude others, and which variables and keys are for other commands.
  void set_precedence() {
    flags_.exclude("nodes", "network");
    for (const std::string& name : options_of_generated_sets()) flags_.exclude("requests", name);
    flags_.exclude("demand", "slots");
    flags_.accept_only_as_flag("output");  // other commands: a directory
    flags_.ignore_if([](const std::string& name, std::string_view value) {
      JobOptions job;
      TrafficOptions traffic;
      OptionTable jobs, patterns;
      add_job_options(jobs, job);
      add_traffic_options(patterns, traffic);
      const auto accepts = [&](const OptionTable& table) {
        try {
          if (table.find(name) != nullptr) return table.set(name, value, name), true;
        } catch (const UserError&) {
          return false;  // not a valid value
        }
        return false;
      };
      // A simulated switch may have more ports than can be scheduled.
      if (name == "nodes") return value.find_first_not_of("0123456789") == std::string_view::npos;
      return accepts(jobs) || accepts(patterns);
    });
  }

  /// Resets options from variables and files that do not apply to this command.
  void reset_inapplicable_options() {
    const auto given = flags_.given();
    // Other commands: the number of preloaded slots.
    if (!given.contains("preload") && options_.preload.find_first_not_of("0123456789") == std::string::npos)
      options_.preload.clear();
    if (options_.tree && options_.demand && !given.contains("demand")) options_.demand = false;
    if (options_.tree && options_.demand && !given.contains("network")) {
      options_.tree.reset();
      options_.nodes = ScheduleOptions{}.nodes;
    }
    if (!given.contains("scheduler")) {
      const std::vector<std::string> able = able_schedulers(options_);
      std::erase_if(options_.schedulers, [&](const std::string& name) {
        const auto all = registered_names(SchedulingAlgorithm::kKind);
        return std::find(all.begin(), all.end(), name) != all.end() &&
               std::find(able.begin(), able.end(), name) == able.end();
      });
    }
    if ((options_.tree || options_.demand) && !given.contains("preload")) options_.preload.clear();
    if (options_.demand && !given.contains("slots")) {
      options_.slots = ScheduleOptions{}.slots;
      options_.slots_given = false;
    }
  }

  void check_combination() const {
    const auto given = flags_.given();
    if (!options_.requests.empty())
      for (const std::string& name : options_of_generated_sets())
        if (given.contains(name))
          throw UserError(name + ": with --requests, the file contains the requests",
                          "Leave --" + name + " or --requests out.");
    if (!options_.demand)
      for (const std::string& name : options_of_demands())
        if (given.contains(name))
          throw UserError(name + ": it needs --demand", "Give --demand too, or leave --" + name + " out.");
    if (options_.demand && given.contains("slots"))
      throw UserError("slots: a demand is drained in as many configurations as it needs",
                      "Leave --slots or --demand out.");
    if (given.contains("nodes") && given.contains("network")) {
      ScheduleOptions crossbar;
      OptionTable requests;
      add_request_options(requests, crossbar);
      requests.set("nodes", given.at("nodes"), "--nodes");
      if (crossbar.nodes != options_.nodes)
        throw UserError(fmt::format("nodes: {}, but {} has {} nodes", crossbar.nodes, given.at("network"),
                                    options_.nodes),
                        "Leave --nodes or --network out.");
    }
    if (!options_.tree && given.contains("tree-turn"))
      throw UserError("tree-turn: a crossbar has no levels", "Give --network fattree:L,W, or leave it out.");
    const auto refuse = [&](const std::string& name, const std::string& why, const std::string& fix) {
      if (given.contains(name)) throw UserError(name + ": " + why, fix + " or leave --" + name + " out.");
    };
    if (options_.requests.empty()) {
      const RequestFamilyUse use = use_of_pattern(options_);
      const std::string family = "sets of pattern '" + pattern_of(options_) + "' ";
      if (!use.density)
        refuse("density", family + "have their own number of requests", "Give --pattern random,");
      if (!use.hotspot) refuse("hotspot", family + "have no hot spot", "Give --pattern hotspot,");
      if (!use.sizes) refuse("sizes", family + "have sizes of their own", "Give another --pattern,");
    }
    const std::vector<std::string> names =
        options_.schedulers.empty() ? able_schedulers(options_) : options_.schedulers;
    if (std::none_of(names.begin(), names.end(),
                     [this](const std::string& name) { return uses_steps(name, options_); }))
      refuse("steps", "none of the schedulers that run has steps",
             "Give --scheduler matching, islip or pim on a crossbar,");
  }

  void check_hardware() const {
    std::vector<std::string> with_design;
    for (const std::string& name : able_schedulers(options_)) {
      if (hardware_of(name, options_, 2).empty()) continue;
      if (options_.schedulers.empty() || std::find(options_.schedulers.begin(), options_.schedulers.end(),
                                                   name) != options_.schedulers.end())
        return;
      with_design.push_back(name);
    }
    throw UserError("hardware: the papers give no design for the schedulers that run",
                    with_design.empty() ? "Leave --hardware out."
                                        : fmt::format("Name {} among them, or leave --hardware out.",
                                                      fmt::join(with_design, " or ")));
  }

  std::string describe_requests(const ScheduleRun& run) const {
    if (!options_.requests.empty()) return options_.requests;
    std::string text =
        fmt::format("{} set{} of {}", run.repeats, run.repeats == 1 ? "" : "s", pattern_of(options_));
    if (use_of_pattern(options_).density) text += fmt::format(", density {}", options_.density);
    return text + fmt::format(", seed {}", options_.seed);
  }

  std::string slots_text(const ScheduleRun& run) const {
    const std::string needed = decimals(run.scores.front().slots_needed.mean(), 1);
    std::string text = options_.slots == 0
                           ? "; as few slots as needed"
                           : fmt::format("; {} slot{}", options_.slots, options_.slots == 1 ? "" : "s");
    if (options_.tree) return text + "; no fewer can hold all than " + needed;
    if (!options_.preload.empty())
      return text + "; the fewest that hold all, those of " + options_.preload + " included: " + needed;
    return text + "; the most requests of a port: " + needed;
  }

  std::string text(const ScheduleRun& run) const {
    const std::size_t width = TextTable::wide(stdout);
    std::string text =
        fmt::format("{}{}, {}", network_name(options_, run.nodes),
                    options_.tree && options_.tree->turns_at_top ? ", circuits turn at the top" : "",
                    describe_requests(run));
    if (options_.demand) {
      text += fmt::format("; link {}, reconfiguration {}{}", format_rate(options_.link_rate),
                          to_string(options_.reconfiguration), options_.partial ? ", partial" : "");
      if (options_.packet_plane > 0)
        text += fmt::format(", packet network of {} of the link rate", percent(options_.packet_plane));
    } else if (!options_.tree || options_.slots_given) {
      text += slots_text(run);
    }
    const std::string checked =
        options_.demand
            ? "checked: every schedule was replayed and drains all its bytes, none below the bound"
            : "checked: no schedule has a port or link twice in a slot, or grants a connection without a "
              "request";
    text = (options_.demand ? demand_table(run.scores) : slots_table(run.scores)) + wrap(text, 0, width) +
           wrap(checked, 0, width);
    if (hardware_) text += hardware_table(run.scores);
    return text;
  }

  Json as_json(const ScheduleRun& run) const {
    Json array = Json::array();
    for (const ScheduleScore& s : run.scores) {
      Json one{
          {"scheduler", s.scheduler}, {"network", network_name(options_, run.nodes)}, {"nodes", run.nodes}};
      if (options_.tree) one["tree_turn"] = options_.tree->turns_at_top ? "top" : "ancestor";
      if (options_.requests.empty()) {
        const RequestFamilyUse use = use_of_pattern(options_);
        one["pattern"] = pattern_of(options_);
        if (use.density) one["density"] = options_.density;
        one["message"] = options_.message;
        if (use.sizes) one["sizes"] = options_.random_sizes ? "random" : "equal";
        if (use.hotspot) one["hotspot"] = options_.hotspot;
      } else {
        one["requests_file"] = options_.requests;
      }
      one["repeats"] = run.repeats;
      one["seed"] = options_.seed;
      if (options_.steps != 0 && uses_steps(s.scheduler, options_)) one["steps"] = options_.steps;
      if (!options_.preload.empty()) one["preload"] = options_.preload;
      one["requests"] = series_json(s.requests);
      if (options_.demand) {
        one["link_rate"] = options_.link_rate;
        one["reconfiguration_ns"] = options_.reconfiguration.nanoseconds();
        one["partial"] = options_.partial;
        one["packet_plane"] = options_.packet_plane;
        one["drain_ns"] = series_json(s.drain_ns);
        one["bound_ns"] = series_json(s.bound_ns);
        one["score"] = series_json(s.score);
        one["configurations"] = series_json(s.configurations);
        one["by_packets"] = series_json(s.by_packets);
      } else {
        one["slots"] = options_.slots;
        one["granted"] = series_json(s.granted);
        one["schedulability"] = series_json(s.schedulability);
        if (!s.bytes_served.empty()) one["bytes_served"] = series_json(s.bytes_served);
        if (!s.slots_used.empty()) {
          one["slots_used"] = series_json(s.slots_used);
          one["slots_needed"] = series_json(s.slots_needed);
        }
      }
      if (!s.hardware.empty()) one["hardware"] = hardware_json(s.hardware);
      one["ns_per_request"] = s.ns_per_request();
      one["checked"] = true;
      array.push_back(std::move(one));
    }
    return array;
  }

  ScheduleOptions options_;
  ProgressLine line_{stderr};
  OptionTable table_;
  TableFlags flags_;
  JsonOutput json_;
  bool hardware_ = false;
};

const CommandRegistration kSchedule{
    "schedule", "score schedulers on request sets, without emulation",
    []() -> std::unique_ptr<Command> { return std::make_unique<ScheduleCommand>(); }};

}  // namespace
}  // namespace hybrid
