// Every setting of a recorded and emulated job, from one table: flags of `hybrid run`, HYBRID_* variables and
// TOML keys.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/option.h"
#include "core/time.h"
#include "emulator/parameters.h"
#include "emulator/replay/replay.h"

namespace hybrid {

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
  std::uint32_t hosts = 0;  // pretend the ranks run on this many hosts (0: as they do); for trying placements
  bool keep_journals = false;
  /// What happens at MPI_Finalize: "emulate" (merge, emulate, print the report), "trace" (write the trace
  /// only), "journal" (leave the journals; `hybrid run` goes on from there).
  std::string at_finalize = "emulate";

  // Emulation.
  SwitchParameters network;
  ReplayOptions replay;
  std::vector<std::string> techniques;  // those compared in the report; empty: wormhole, circuit, tdm, hybrid
  std::vector<std::string> predictors;  // those scored in the report; empty: all registered
  std::vector<std::uint32_t>
      slot_counts;  // K tried for tdm and hybrid; empty: network.slots, and the fewest that the phases need
};

/// Adds every option above; `options` must outlive the table.
void add_job_options(OptionTable& table, JobOptions& options);

/// Applies the keys of a TOML file. Throws UserError "FILE:LINE: ..." for a syntax error, an unknown key
/// (with the likely meant one) or a bad value.
void apply_config_file(const std::string& path, const OptionTable& table);

}  // namespace hybrid
