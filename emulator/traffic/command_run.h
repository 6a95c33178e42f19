// Execution of command files on an emulated switch: the PEs execute their commands, the technique determines
// the times.
//
// Rules (docs/commands.md)
// - A PE starts its first command at time 0, and the next one when the previous command lets it continue.
// - The NIC receives the messages of a PE in the order of the commands
// (emulator/network/processing_element.h).
// - A message that has arrived is stored until a blocking-receive takes it, the oldest first. Receiving it is
//   optional.
// - A barrier is a dissemination barrier of all PEs that have a file: in round r = 0, 1, ... while 2^r < P,
// PE i
//   sends a message of no bytes (one word) to PE i + 2^r and continues when it has the message of PE i - 2^r.
//   Blocking-receives ignore these messages.
// - With hardware multicast the fabric executes broadcasts and barriers separately from the technique
//   (emulator/network/collective_plane.h). A broadcast is one message of the PE; it reaches all other PEs at
//   the same instant, possibly before messages that the PE sent earlier. A barrier has no messages.
// - Preloading, at time 0 and later: emulator/traffic/command_working_sets.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/time.h"
#include "emulator/measures.h"
#include "emulator/parameters.h"
#include "emulator/traffic/commands.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {

struct CommandTimes {
  Time started{};
  /// send, blocking-send, broadcast: when the last word left the PE; others: when the PE continued.
  Time completed{};
  bool operator==(const CommandTimes&) const = default;
};

struct CommandArrival {
  Port source = kNoPort;
  Bytes bytes = 0;
  std::uint32_t line = 0;  // of the command in the sender's file
  Time sent{}, arrived{};
  bool operator==(const CommandArrival&) const = default;
};

struct PeRecord {
  std::vector<CommandTimes> commands;    // in the order of the file
  std::vector<CommandArrival> arrivals;  // in order of arrival, without barrier messages
};

struct CommandResult {
  /// `messages` includes those of barriers, not those of a hardware multicast; compute time is the time in
  /// wait.
  Measures measures;
  std::vector<PeRecord> pes;
};

struct CommandRunOptions {
  bool hardware_multicast = false;
  PortTimeline* timeline = nullptr;  // activity of the technique, without hardware multicasts; may be null
};

/// Whether any command is a broadcast or a barrier, which hardware multicast can execute.
bool has_collectives(const std::vector<CommandFile>& files);

/// Runs until every command is executed and every message delivered. `files` has one entry per port
/// (read_command_files). The same arguments give the same result.
///
/// Throws UserError for invalid parameters, for a network without multicast, and for a deadlock (with PE,
/// file, line and column of the waiting PEs); RunError if the technique can never deliver a message.
CommandResult run_commands(const SwitchParameters& parameters, const std::vector<CommandFile>& files,
                           const SimulationProgress& progress = {}, const CommandRunOptions& options = {});

/// As above with a given technique, which must be new.
CommandResult run_commands(Technique& technique, const SwitchParameters& parameters,
                           const std::vector<CommandFile>& files, const SimulationProgress& progress = {});

/// Returns the output file of a PE: a header line, one line per command in order, one line per message that
/// arrived. Columns are separated by tabs; times are in ns since the start.
std::string record_text(const CommandFile& file, const PeRecord& record);

/// Throws UserError, naming `option`, if `directory` exists or cannot be made.
void check_new_directory(const std::string& option, const std::string& directory);
/// Makes `directory` and writes pe0.tsv, pe1.tsv, ... of all PEs with a file into it. Throws UserError if it
/// exists, and RunError if writing fails, after removing all files written.
void write_records(const std::string& directory, const std::vector<CommandFile>& files,
                   const CommandResult& result);

}  // namespace hybrid
