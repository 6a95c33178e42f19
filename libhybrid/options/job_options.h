// Settings of a recorded and emulated job. One option table gives them as flags of `hybrid run`, as HYBRID_*
// variables and as TOML keys:
//
//   JobOptions options;
//   OptionTable table;
//   add_job_options(table, options);
//   apply_environment(table, environ);
//   table.set("slots", "2,4", "--slots");
//   check_job(options);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/option.h"
#include "core/time.h"
#include "emulator/parameters.h"
#include "emulator/replay/replay.h"

namespace hybrid {

/// The default network of jobs and patterns: the parameters of preset ch5 with our policies. The
/// dissertation's presets set its policies.
inline SwitchParameters network_by_default() {
  SwitchParameters network;
  use_our_policy(network);
  return network;
}

struct JobOptions {
  // Recording (used by the shim).
  std::string
      output;  // new directory for trace and report; "": hybrid-APP-1, -2, ... in the working directory
  bool quiet = false;  // the shim prints nothing
  // "wall", or "cpu": compute times from the threads' CPU clocks; "auto": cpu if ranks share cores.
  std::string clock = "auto";
  /// "on": an empty MPI poll gives up the core; "auto": only with more ranks than cores; "off".
  std::string yield = "auto";
  std::string placement = "rank";               // one port per "rank", "core", "numa", "nic" or "host"
  std::string topology;                         // hwloc XML of another machine; "": this one
  std::string online_predictor = "tournament";  // runs in the shim on each rank; "none": no prediction
  bool live = true;                             // a scheduler receives the requests while the job runs
  std::uint32_t hosts = 0;  // assume that the ranks run on this many hosts (0: the real hosts)
  bool keep_journals = false;
  /// The work at MPI_Finalize: "emulate" (merge, emulate, print the report), "trace" (write the trace only),
  /// or "journal" (keep the journals; `hybrid run` continues with them). With "journal", `output` exists
  /// already, made for this job alone, and the journals stay in recording_directory(output). "auto": trace if
  /// the report would not be printed (`quiet`, without `hybrid run`), else emulate.
  std::string at_finalize = "auto";
  /// The longest wall-clock time of the emulations; then the trace is kept and the report left out. 0: no
  /// limit for a command; for a job that emulates in MPI_Finalize a time that its user will hardly notice
  /// (libhybrid/shim/finish.cpp).
  Time report_limit{};

  // Emulation.
  SwitchParameters network = network_by_default();
  ReplayOptions replay;
  /// A fixed topology (emulator/traffic/fixed_topology.h) that is mapped to the job's traffic and preloaded
  /// instead of the connections of hinted phases; "": none.
  std::string preload_topology;
  /// The connections in the preloaded slots during a phase. "recorded": those of the hints that the program
  /// gave while it was recorded; "none": those that the phase uses, known in advance; otherwise those of the
  /// hints in this binary. "": with network.preload as "none"; without it, a technique with slots uses the
  /// recorded hints if that makes the job faster. Hints take all slots unless network.preload is given.
  std::string hints;
  bool preloads_hints() const { return !hints.empty() && hints != "none"; }
  std::vector<std::string> techniques;     // compared in the report; empty: wormhole, circuit, tdm, hybrid
  std::vector<std::string> predictors;     // scored in the report; empty: a selection
  std::vector<std::uint32_t> slot_counts;  // K for tdm and hybrid; empty: network.slots and the phases' need
  /// K of each technique is found by a search; then slot_counts is empty (libhybrid/report/slots_search.h).
  bool finds_slots = false;

  /// Each technique's wait for the network is divided into causes, with up to three further emulations
  /// (libhybrid/report/wait_division.h). A job that emulates in MPI_Finalize has false as default.
  bool explain = true;

  unsigned threads = 0;  // that emulate; 0: one for each processor. No result depends on it.
};

/// Adds the options that the shim uses while it records, `config` first.
void add_recording_options(OptionTable& table, JobOptions& options);

/// Adds the options of the emulation and the report. `technique` and `slots` take lists, since a report
/// compares them.
void add_emulation_options(OptionTable& table, JobOptions& options);

/// Adds the options of a switch (emulator/parameters.h) for commands that compare: `technique` and `slots`
/// take lists, and `slots` also stores its first entry in `network`. `finds_slots`: set by `slots auto`,
/// which is refused if it is null. `crossbar`, if not null, receives the number of ports of a crossbar if the
/// user gives one (the ranks of a job decide it otherwise). `no_techniques`, `no_slots`: the default text of
/// an empty list.
void add_compared_switch_options(OptionTable& table, SwitchParameters& network,
                                 std::vector<std::string>& techniques,
                                 std::vector<std::uint32_t>& slot_counts, bool* finds_slots,
                                 std::uint32_t* crossbar, std::string_view no_techniques,
                                 std::string_view no_slots);

/// Adds the options of recording and emulation. `options` and `table` must outlive all uses of the table and
/// must not be moved.
void add_job_options(OptionTable& table, JobOptions& options);

/// Adds `config FILE`, which applies a TOML file when it is set. It must be the first option of a table, so
/// that flags and variables win over the file.
void add_config_option(OptionTable& table);

/// Throws UserError for settings that exclude each other, before a program runs or a trace is opened. Every
/// technique and K that will be emulated passes check(SwitchParameters), except for the number of ports.
void check_job(const JobOptions& options);

/// True if the technique has predictive slots.
bool uses_slots(std::string_view technique);

/// Applies the keys of a TOML file, which are the names of the table's options, in_order(). A value is a
/// string ("200ns"), a number, a boolean, or an array of these (a list); `algorithm` may be a table.
/// Keys of other commands are ignored. Throws UserError "FILE:LINE:COL: ..." for a syntax error, a key that
/// no command has (with the closest name), or a bad value.
void apply_config_file(const std::string& path, const OptionTable& table);

/// Applies the variables of `environment`: first those with Option::first, then the file that HYBRID_CONFIG
/// names, then the others. Variables therefore win over the file, and both win over a preset. Returns the
/// variables that belong to no option of the table.
std::vector<std::string> apply_environment(const OptionTable& table, const char* const* environment);

/// The names of the options of all commands: of jobs, of synthetic traffic and of `hybrid schedule`. A name
/// may occur more than once. All commands share variables and configuration files, so a command must know the
/// options of the others to distinguish them from errors.
const std::vector<std::string>& names_of_all_options();

/// Splits "a,b , c" and removes blanks around the parts. Throws UserError, which names `what`, for an empty
/// part.
std::vector<std::string> split_list(std::string_view text, std::string_view what);

/// All options of a job as a Markdown page: flag, default, meaning (docs/options.md).
std::string options_page();

}  // namespace hybrid
