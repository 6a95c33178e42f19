#include "libhybrid/options/job_options.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/registry.h"
#include "core/units.h"
#include "emulator/network/collective_plane.h"
#include "emulator/network/technique.h"
#include "emulator/traffic/topology_map.h"
#include "predictor/belady.h"
#include "predictor/predictor.h"
#include "predictor/reference_predictors.h"

namespace hybrid {

namespace {

constexpr std::string_view kAutomatic = "auto";  // value of `slots`

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

// A switch without a value (a flag) is on.
bool read_switch(std::string_view text, std::string_view what) {
  for (std::string_view on : {"", "on", "true", "yes", "1"})
    if (text == on) return true;
  for (std::string_view off : {"off", "false", "no", "0"})
    if (text == off) return false;
  throw UserError(std::string(what) + ": '" + std::string(text) + "' is neither on nor off");
}

// `choices`: the value text of the option, such as "rank|core|numa".
void require_choice(std::string_view text, std::string_view choices, std::string_view what) {
  std::vector<std::string_view> known;
  for (std::string_view rest = choices; !rest.empty();) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    known.push_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  if (std::find(known.begin(), known.end(), text) != known.end()) return;
  const std::string_view closest = closest_name(text, known);
  throw UserError(std::string(what) + ": '" + std::string(text) + "' is not one of " + std::string(choices),
                  closest.empty() ? "" : "Did you mean '" + std::string(closest) + "'?");
}

void add_text(OptionTable& table, std::string name, std::string value, std::string help,
              std::string& target) {
  table.add({std::move(name), std::move(value), std::move(help), target,
             [&target](std::string_view text) { target = text; }});
}

void add_choice(OptionTable& table, const std::string& name, const std::string& choices, std::string help,
                std::string& target) {
  table.add({name, choices, std::move(help), target, [&target, name, choices](std::string_view text) {
               require_choice(text, choices, name);
               target = text;
             }});
}

void add_switch(OptionTable& table, const std::string& name, std::string help, bool& target) {
  // A switch that is on by default takes a value, since the flag alone could only turn it on.
  table.add({name, target ? "on|off" : "", std::move(help), target ? "on" : "off",
             [&target, name](std::string_view text) { target = read_switch(text, name); }});
}

std::string join(const std::vector<std::string>& parts) {
  std::string list;
  for (const std::string& part : parts) list += (list.empty() ? "" : ",") + part;
  return list;
}

std::string join(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::string> parts;
  parts.reserve(numbers.size());
  for (std::uint32_t n : numbers) parts.push_back(std::to_string(n));
  return join(parts);
}

std::string join(const std::map<std::string, std::string>& pairs) {
  std::vector<std::string> parts;
  parts.reserve(pairs.size());
  for (const auto& [key, value] : pairs) parts.push_back(std::string(key).append("=").append(value));
  return join(parts);
}

// The default of an option is the value of its setting when the option is added. A table made from changed
// options therefore shows their values.
std::string or_else(const std::string& list, std::string_view otherwise) {
  return list.empty() ? std::string(otherwise) : list;
}

void add_registered_list(OptionTable& table, const std::string& name, std::string_view kind, std::string help,
                         std::string_view otherwise, std::vector<std::string>& target) {
  table.add({name, "NAME,...", std::move(help), or_else(join(target), otherwise),
             [&target, name, kind](std::string_view text) {
               std::vector<std::string> names = split_list(text, name);
               for (const std::string& each : names) registry_detail::find(kind, each);
               target = std::move(names);
             }});
}

void set_algorithms(std::map<std::string, std::string>& algorithms, std::string_view text) {
  for (const std::string& part : split_list(text, "algorithm")) {
    const std::size_t equals = part.find('=');
    const std::string_view view = part;
    if (equals == std::string::npos || trim(view.substr(0, equals)).empty() ||
        trim(view.substr(equals + 1)).empty())
      throw UserError("algorithm: '" + part + "' is not COLLECTIVE=NAME",
                      "For instance allreduce=ring; `hybrid list` shows the names.");
    algorithms[std::string(trim(view.substr(0, equals)))] = trim(view.substr(equals + 1));
  }
}

// The oracle and Belady's bound need the future sends, which are not known while the job runs.
void reject_foreknowledge(std::string_view predictor) {
  if (predictor != kOracle && predictor != BeladyBound::kName) return;
  throw UserError("online-predictor: '" + std::string(predictor) +
                      "' needs the future sends, which are not known while a job runs",
                  "Choose another; `hybrid predict` scores this one on the recorded job.");
}

}  // namespace

std::vector<std::string> split_list(std::string_view text, std::string_view what) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trim(text.substr(0, comma));
    if (part.empty())
      throw UserError(std::string(what) + ": an entry of the list is empty",
                      "Give names or numbers, separated by commas.");
    parts.emplace_back(part);
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

void add_config_option(OptionTable& table) {
  table.add({"config", "FILE", "TOML file with the same keys; other flags and variables win over it", "",
             [&table](std::string_view path) { apply_config_file(std::string(path), table); }});
}

void add_compared_switch_options(OptionTable& table, SwitchParameters& network,
                                 std::vector<std::string>& techniques,
                                 std::vector<std::uint32_t>& slot_counts, bool* finds_slots,
                                 std::uint32_t* crossbar, std::string_view no_techniques,
                                 std::string_view no_slots) {
  OptionTable own;
  add_switch_options(own, network);
  for (Option option : own.options()) {
    if (crossbar != nullptr && (option.name == "nodes" || option.name == "network")) {
      if (option.name == "nodes")
        option.default_text = *crossbar == 0 ? "as many as the job uses" : std::to_string(*crossbar);
      option.set = [&network, crossbar, one = option.set](std::string_view text) {
        one(text);
        if (!network.is_tree() && network.nodes < 2)
          throw UserError("nodes: " + std::to_string(network.nodes) + ": at least 2 ports are needed",
                          "Give at least 2, or leave the option out: as many as the job uses.");
        *crossbar = network.is_tree() ? 0 : network.nodes;
      };
    }
    if (option.name == "technique") {
      add_registered_list(table, "technique", Technique::kKind, "techniques to compare", no_techniques,
                          techniques);
      continue;
    }
    if (option.name == "slots") {
      option.value = finds_slots != nullptr ? "K,...|auto" : "K,...";
      option.help = finds_slots != nullptr
                        ? "predictive slots K of a TDM cycle; each K of a list is emulated; auto: for each "
                          "technique the K that suits the job, found by a search"
                        : "predictive slots K of a TDM cycle; each K of a list is emulated";
      option.default_text =
          or_else(join(slot_counts), finds_slots != nullptr && *finds_slots ? kAutomatic : no_slots);
      option.set = [&network, &slot_counts, finds_slots, one = option.set](std::string_view text) {
        if (text == kAutomatic && finds_slots == nullptr)
          throw UserError("slots: auto searches with a recorded job, and there is none here",
                          "Give numbers, or use hybrid run, hybrid replay or hybrid advise.");
        if (finds_slots != nullptr) *finds_slots = text == kAutomatic;
        if (text == kAutomatic) {
          slot_counts.clear();
          return;
        }
        std::vector<std::uint32_t> counts;
        for (const std::string& part : split_list(text, "slots")) {
          one(part);
          if (network.slots == 0)
            throw UserError("slots: 0: at least 1 slot is needed",
                            "Give K >= 1, or --technique wormhole for no circuits.");
          counts.push_back(network.slots);
        }
        network.slots = counts.front();
        slot_counts = std::move(counts);
      };
    }
    table.add(std::move(option));
  }
}

void add_recording_options(OptionTable& table, JobOptions& options) {
  add_config_option(table);
  add_text(table, "output", "DIR",
           "new directory for the trace and the report (default hybrid-APP-1, -2, ...)", options.output);
  add_switch(table, "quiet", "print nothing while recording, except the reason for ending the job",
             options.quiet);
  add_choice(table, "clock", "auto|wall|cpu",
             "clock of the compute times: wall clock, or CPU clock of each thread; auto: cpu with more ranks "
             "than cores",
             options.clock);
  add_choice(table, "yield", "auto|on|off",
             "an empty MPI poll gives up the core; auto: only with more ranks than cores", options.yield);
  add_choice(table, "placement", "rank|core|numa|nic|host", "object that has a port of the switch",
             options.placement);
  add_text(table, "topology", "FILE.xml", "hwloc XML file of another machine (default: this machine)",
           options.topology);
  table.add({"online-predictor", "NAME|none", "predictor on each rank while the job runs",
             options.online_predictor, [&options](std::string_view text) {
               reject_foreknowledge(text);
               if (text != "none") registry_detail::find(Predictor::kKind, text);
               options.online_predictor = text;
             }});
  add_switch(table, "live", "run a scheduler that receives the requests while the job runs", options.live);
  table.add({"hosts", "N",
             "act as if the ranks ran on N hosts: placement, and a live service per host (0: the real hosts)",
             std::to_string(options.hosts), [&options](std::string_view text) {
               options.hosts = static_cast<std::uint32_t>(parse_count(text, "hosts", 1u << 20));
             }});
  add_switch(table, "keep-journals", "keep the journals after the trace is written", options.keep_journals);
  add_choice(
      table, "at-finalize", "auto|emulate|trace|journal",
      "at MPI_Finalize: write trace and report, write the trace only, or keep the journals only; auto: "
      "trace if --quiet is given to a job without `hybrid run`, else emulate",
      options.at_finalize);
  table.add(
      {"report-limit", "TIME|off",
       "longest time of the emulations for the report; then the trace is kept, and the command that "
       "continues is printed (default off; for a job without `hybrid run` 3s and 5 % of the job's time)",
       "", [&options](std::string_view text) {
         options.report_limit = text == "off" ? Time::never() : parse_time(text, "report-limit");
         if (options.report_limit <= Time{})
           throw UserError("report-limit: must be more than 0", "For instance 30s, or off.");
       }});
}

void add_emulation_options(OptionTable& table, JobOptions& options) {
  if (table.find("config") == nullptr) add_config_option(table);
  add_compared_switch_options(table, options.network, options.techniques, options.slot_counts,
                              &options.finds_slots, &options.replay.crossbar, "wormhole,circuit,tdm,hybrid",
                              std::to_string(options.network.slots) + ", and what the largest phase needs");
  add_registered_list(table, "predictors", Predictor::kKind, "predictors that the report scores",
                      "belady, counter, lru, markov1, markov2, timeout, tournament; `hybrid predict`: all",
                      options.predictors);
  table.add({"ports", "PORT,...", "port of each rank, in order of rank (default: as recorded)",
             join(options.replay.placement), [&options](std::string_view text) {
               std::vector<std::uint32_t> ports;
               for (const std::string& part : split_list(text, "ports"))
                 ports.push_back(static_cast<std::uint32_t>(parse_count(part, "ports", 1u << 20)));
               options.replay.placement = std::move(ports);
             }});
  table.add({"local-latency", "TIME", "latency between two ranks of one port",
             to_string(options.replay.local_latency), [&options](std::string_view text) {
               options.replay.local_latency = parse_time(text, "local-latency");
             }});
  table.add(
      {"local-rate", "RATE", "rate between two ranks of one port", format_rate(options.replay.local_rate),
       [&options](std::string_view text) { options.replay.local_rate = parse_rate(text, "local-rate"); }});
  table.add({"algorithm", "COLLECTIVE=NAME,...", "algorithms of collectives",
             or_else(join(options.replay.algorithms), "MPICH's choice by size"),
             [&options](std::string_view text) { set_algorithms(options.replay.algorithms, text); }});
  add_multicast_option(table, options.replay.hardware_multicast);
  add_topology_option(table, options.preload_topology);
  add_switch(table, "predictor-phases", "notify predictors when a phase named by the program begins",
             options.replay.notify_predictors);
  add_text(
      table, "hints", "recorded|none|BINARY",
      "the preloaded slots (all, unless --preload is given) hold the hinted connections of each phase: hints "
      "that the program gave while it was recorded, or those of a binary (default: the recorded ones for "
      "techniques that are faster with them, or with --preload the phase's sends)",
      options.hints);
  table.add({"explain", "on|off",
             "divide the wait for the network of each technique into causes, with up to three further "
             "emulations of it (default off for a job without `hybrid run`, and for `hybrid worth`)",
             options.explain ? "on" : "off",
             [&options](std::string_view text) { options.explain = read_switch(text, "explain"); }});
}

void add_job_options(OptionTable& table, JobOptions& options) {
  add_recording_options(table, options);
  add_emulation_options(table, options);
}

bool uses_slots(std::string_view technique) { return uses_option(Technique::kKind, technique, "slots"); }

void check_job(const JobOptions& options) {
  SwitchParameters parameters = options.network;
  parameters.nodes = std::max(parameters.nodes, 2u);
  const auto counts =
      options.slot_counts.empty() ? std::vector<std::uint32_t>{parameters.slots} : options.slot_counts;
  for (std::uint32_t slots : counts) {
    parameters.slots = slots;
    for (const std::string& technique : options.techniques) {
      parameters.technique = technique;
      check(parameters);
    }
    if (options.techniques.empty()) check(parameters);
  }
  check(options.replay);
  if (!options.preload_topology.empty() && options.preloads_hints())
    throw UserError("hints: the preloaded slots hold topology " + options.preload_topology + " already",
                    "Give --hints or --preload-topology.");
  if (!options.preload_topology.empty()) check_topology(options.preload_topology, parameters);
}

std::string options_page() {
  const auto section = [](const OptionTable& table, std::string_view skipped) {
    std::string text;
    for (const Option& option : table.options()) {
      if (option.name == skipped) continue;
      // Registered names depend on the linked files; `hybrid list` shows them.
      const std::string value = registered_names(option.name).empty() ? option.value : "NAME";
      text += "- `--" + option.name + (value.empty() ? "" : " " + value) + "`" +
              (option.default_text.empty() ? "" : " [" + option.default_text + "]") + ": " + option.help +
              "\n";
    }
    return text;
  };
  JobOptions options;
  OptionTable recording, emulation;
  add_recording_options(recording, options);
  add_emulation_options(emulation, options);
  return "# Options of a job\n\n"
         "An option `slot-length` is the flag `--slot-length` of `hybrid run` and `hybrid replay`, the key "
         "`slot-length` of a\n"
         "TOML file (`--config FILE`) and the variable `HYBRID_SLOT_LENGTH`, which a job that preloads "
         "`libhybrid.so` without\n"
         "the command reads, too. Defaults are in brackets; `hybrid list` shows the values of NAME.\n\n"
         "Flags win over variables, variables over the file, the file over a preset. Of two options that "
         "exclude each\n"
         "other (`nodes`, `network`) the one given as a flag wins. An empty variable counts as not set; an "
         "empty flag is\n"
         "an error. Options of other commands in the file and the variables are ignored. A key that no "
         "command "
         "has is an\n"
         "error, and such a variable causes a warning.\n\n"
         "Times have units (`200ns`, `1.5us`), as have sizes (`128`, `8K`, `unlimited`) and rates "
         "(`6.4Gb/s`). Lists are\n"
         "separated by commas (`--slots 2,4,8`); in TOML they may be arrays (`slots = [2, 4, 8]`). A list "
         "that is "
         "given as several\n"
         "flags is joined (`--slots 2 --slots 4`); of any other flag that is given twice, the last "
         "counts.\n\n"
         "The variable `LIBHYBRID_CYCLE_COUNTER=off`, which is not an option, selects the system's monotonic "
         "clock.\n\n"
         "This page is generated by `hybrid list --options --markdown`.\n\n"
         "## Recording\n\nOf `hybrid run` and of a job that preloads the library.\n\n" +
         section(recording, "") +
         "\n## Emulation and report\n\nOf these, and of `hybrid replay`, `hybrid predict` and `hybrid "
         "recover`.\n\n" +
         section(emulation, "config");
}

}  // namespace hybrid
