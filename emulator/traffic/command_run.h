// Command files on an emulated switch: PEs carry out their commands, the technique decides when.
//
// Rules (docs/commands.md)
// - A PE comes to its first command at 0, and to the next one when the one before lets it go on.
// - What a PE sends, its NIC gets in the order of the commands (emulator/network/processing_element.h).
// - A message that has arrived stays until a blocking-receive takes it, the oldest first; nobody has to.
// - A barrier is a dissemination barrier of all PEs that have a file: in round r = 0, 1, ... while 2^r < P,
//   PE i sends a message of no bytes (one word) to PE i + 2^r and goes on with that of PE i - 2^r. No
//   blocking-receive sees these messages.
// - With hardware multicast the fabric does broadcasts and barriers by itself, beside the technique
//   (emulator/network/collective_plane.h): a broadcast is one message of the PE, which is with all others at
//   the same instant, and may be there before what the PE sent earlier; a barrier has no messages.
// - What is preloaded, at 0 and later: emulator/traffic/command_working_sets.h.
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
  /// send, blocking-send, broadcast: when the last word had left the PE; others: when the PE went on.
  Time completed{};
  bool operator==(const CommandTimes&) const = default;
};

struct CommandArrival {
  Port source = kNoPort;
  Bytes bytes = 0;
  std::uint32_t line = 0;  // of the sender's file
  Time sent{}, arrived{};
  bool operator==(const CommandArrival&) const = default;
};

struct PeRecord {
  std::vector<CommandTimes> commands;    // as in the file
  std::vector<CommandArrival> arrivals;  // in order of arrival, without those of barriers
};

struct CommandResult {
  Measures measures;  // messages: those of barriers too, not those of a hardware multicast; compute: in wait
  std::vector<PeRecord> pes;
};

struct CommandRunOptions {
  bool hardware_multicast = false;
  PortTimeline* timeline = nullptr;  // of the technique; what the fabric does by itself is not in it
};

/// Whether some command is a broadcast or a barrier: without any, a multicast is of no use.
bool any_to_multicast(const std::vector<CommandFile>& files);

/// Runs until every command is carried out and every message delivered. `files` has one entry a port
/// (read_command_files). Checks the parameters. Throws UserError, with PE, file, line and column, when PEs
/// wait for what nobody will send or where the network cannot multicast, and RunError when the technique can
/// never deliver. The same arguments give the same result.
CommandResult run_commands(const SwitchParameters& parameters, const std::vector<CommandFile>& files,
                           const SimulationProgress& progress = {}, const CommandRunOptions& options = {});

/// The same with a given technique, new.
CommandResult run_commands(Technique& technique, const SwitchParameters& parameters,
                           const std::vector<CommandFile>& files, const SimulationProgress& progress = {});

/// A PE's output file: a line of names, a line a command in order, a line a message that arrived; columns are
/// separated by tabs, times are in ns since the start.
std::string record_text(const CommandFile& file, const PeRecord& record);

/// Refuses (UserError) an output directory that exists or that cannot be made.
void check_new_directory(const std::string& option, const std::string& directory);
/// Writes pe0.tsv, pe1.tsv, ... of all PEs with a file into `directory`, which is made. Throws UserError when
/// it exists and RunError when it cannot be written; then nothing of it stays.
void write_records(const std::string& directory, const std::vector<CommandFile>& files,
                   const CommandResult& result);

}  // namespace hybrid
