// Every setting of a recorded and emulated job, from one table: flags of `hybrid run`, HYBRID_* variables and
// TOML keys.
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

/// What jobs and patterns are emulated on where nothing else is said: the parameters of preset ch5, with our
/// allocation. A preset brings the dissertation's (SES).
inline SwitchParameters network_by_default() {
  SwitchParameters network;
  network.allocation = "adaptive";
  return network;
}

struct JobOptions {
  // Recording (read by the shim).
  std::string
      output;  // new directory for trace and report; "": hybrid-APP-1, -2, ... in the working directory
  bool quiet = false;          // the shim prints nothing at all
  std::string clock = "wall";  // "wall", or "cpu": compute time from the thread's CPU clock
  std::string yield =
      "auto";  // "auto": an empty MPI poll gives up the core while oversubscribed; "on", "off"
  std::string placement = "rank";            // one port a "rank", "core", "numa", "nic" or "host"
  std::string topology;                      // hwloc XML of another machine; "": this one
  std::string online_predictor = "timeout";  // runs in the shim on each rank; "none": no prediction
  bool live = true;                          // requests reach a scheduler while the job runs
  std::uint32_t hosts = 0;                   // pretend the ranks run on this many hosts (0: as they do)
  bool keep_journals = false;
  /// What happens at MPI_Finalize: "emulate" (merge, emulate, print the report), "trace" (write the trace
  /// only), "journal" (leave the journals; `hybrid run` goes on from there). With "journal", `output` exists
  /// already, made for this job alone, and the journals are left in recording_directory(output).
  std::string at_finalize = "emulate";

  // Emulation.
  SwitchParameters network = network_by_default();
  ReplayOptions replay;
  /// A fixed topology (emulator/traffic/fixed_topology.h), mapped onto the job's traffic and preloaded
  /// instead of what hinted phases need; "": none.
  std::string preload_topology;
  /// What the preloaded slots hold while a phase goes on: "": what it sends, known beforehand; "recorded":
  /// what the program's hints told while it was recorded; else what the hints of this binary tell. Not "":
  /// all slots are preloaded where network.preload is 0.
  std::string hints;
  // Those compared in the report (`technique`); empty: wormhole, circuit, tdm, hybrid.
  std::vector<std::string> techniques;
  std::vector<std::string> predictors;  // those scored in the report; empty: a few
  // K tried for tdm and hybrid (`slots`); empty: network.slots, and the fewest that the phases need.
  std::vector<std::uint32_t> slot_counts;
};

/// Adds the options that the shim reads while it records, `config` first.
void add_recording_options(OptionTable& table, JobOptions& options);

/// Adds the options of the emulation and the report. `technique` and `slots` take lists here: a report
/// compares.
void add_emulation_options(OptionTable& table, JobOptions& options);

/// The options of a switch (emulator/parameters.h) for commands that compare: `technique` and `slots` take
/// lists. `slots` also stores its first entry into `network`. Of a job, whose ranks decide how many ports a
/// crossbar has unless it is given, `crossbar` takes that number; else it is null. `no_techniques`,
/// `no_slots`: the default to show for an empty list.
void add_compared_switch_options(OptionTable& table, SwitchParameters& network,
                                 std::vector<std::string>& techniques,
                                 std::vector<std::uint32_t>& slot_counts, std::uint32_t* crossbar,
                                 std::string_view no_techniques, std::string_view no_slots);

/// Adds all of both. `options` and `table` must outlive every use of the table, and stay where they are.
void add_job_options(OptionTable& table, JobOptions& options);

/// Adds `config FILE`, which applies a TOML file when it is set. It stands first in a table, so that what is
/// given beside it (a flag, a variable) wins over the file.
void add_config_option(OptionTable& table);

/// Refuses settings that cannot work together (UserError), before a program runs or a trace is opened: every
/// technique and K that will be emulated passes check(SwitchParameters), but for the number of ports.
void check_job(const JobOptions& options);

/// Whether a technique has K predictive slots.
bool uses_slots(std::string_view technique);

/// Applies the keys of a TOML file, which are the names of the table's options, in_order(). A value is a
/// string ("200ns"), a number, a boolean, or an array of these (a list); `algorithm` may be a table.
/// A key of another command is passed over. Throws UserError "FILE:LINE:COL: ..." for a syntax error, a key
/// of none (with the likely meant one) or a bad value.
void apply_config_file(const std::string& path, const OptionTable& table);

/// Applies the variables of `environment`: first those of options that come first (Option::first), then the
/// file that HYBRID_CONFIG names, then the others, so that they win over the file and all over a preset.
/// Returns those that no option has.
std::vector<std::string> apply_environment(const OptionTable& table, const char* const* environment);

/// The parts of "a,b , c" without blanks around them. Throws UserError, naming `what`, for an empty part.
std::vector<std::string> split_list(std::string_view text, std::string_view what);

/// Every option of a job as a Markdown page: flag, variable, TOML key, default, meaning (docs/options.md).
std::string options_page();

}  // namespace hybrid
