// Command files (D 8.3.1): "each processor has its own input file that contains a number of predefined
// commands". One text file per PE. User documentation: docs/commands.md.
//
//   send DEST BYTES            hands a message to the NIC and continues at once
//   blocking-send DEST BYTES   continues when the last word of the message has left the PE
//   broadcast BYTES            sends to every other PE, the next one first, and continues at once
//   blocking-receive SOURCE    continues when the next message from SOURCE (or from `any`) has arrived
//   wait TIME                  computes
//   barrier                    continues when all PEs have reached the barrier: a dissemination barrier with
//                              messages of one word over the network
//
// In addition to D 8.3.1, commands for the knowledge of a compiler (D 5.2;
// emulator/traffic/command_working_sets.h). The PE continues at once:
//
//   store NAME DEST...         adds the connections from this PE to DEST... to working set NAME
//   preload NAME               loads the set into the preloaded slots
//   swap-in NAME               replaces the content of the preloaded slots by the set; can be nested
//   swap-out                   undoes the latest swap-in of this PE
//   flush                      releases the circuits of this PE
//
// One command per line; blanks separate words; `#` begins a comment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.h"
#include "core/time.h"
#include "core/units.h"

namespace hybrid {

/// Arguments of the commands for working sets. Columns count from 1.
struct WorkingSetWords {
  std::string name;
  std::uint32_t column = 0;
  std::vector<Port> destinations;  // store
  std::vector<std::uint32_t> columns;
};

struct PeCommand {
  enum class Kind : std::uint8_t {
    send,
    blocking_send,
    broadcast,
    blocking_receive,
    wait,
    barrier,
    store,
    preload,
    swap_in,
    swap_out,
    flush
  };
  static constexpr Port kAny = kNoPort;  // blocking_receive: from any PE

  Kind kind = Kind::barrier;
  Port peer = kNoPort;                 // send, blocking_send: destination; blocking_receive: source
  Bytes bytes = 0;                     // send, blocking_send, broadcast
  Time time{};                         // wait
  std::uint32_t line = 0, column = 0;  // of the first word, from 1
  std::shared_ptr<const WorkingSetWords> set = {};  // store, preload, swap_in, swap_out; otherwise null

  /// Compares commands without their places in the file.
  bool operator==(const PeCommand& o) const {
    const bool same_set = set == nullptr || o.set == nullptr
                              ? set == o.set
                              : set->name == o.set->name && set->destinations == o.set->destinations;
    return kind == o.kind && peer == o.peer && bytes == o.bytes && time == o.time && same_set;
  }
};

/// Command file of one PE.
struct CommandFile {
  std::string name;  // as shown in errors; empty: the PE has no file
  std::vector<PeCommand> commands;
};

/// Returns the name of a kind of command, as written in a file.
std::string_view name_of(PeCommand::Kind kind);
/// Returns the command as a line of a file, which parse_commands can read.
std::string to_string(const PeCommand& command);

/// Parses the text of the file `name` for PE `self` of `nodes`. Throws UserError "NAME:LINE:COLUMN: ..." with
/// the word found, the expectation and a fix. Columns count bytes, from 1.
std::vector<PeCommand> parse_commands(std::string_view text, const std::string& name, Port self,
                                      std::uint32_t nodes);

/// Reads the command files of `path`: the files in it if it is a directory, otherwise all files with this
/// path prefix. The number at the end of a file name, without extension, is the PE (pe0.txt, pe1.txt, ...).
/// Hidden files are ignored. The result has `nodes` entries, or one per file if there are more files. Throws
/// UserError if there is no file, if a PE between 0 and the last has no file or two, or if a file has an
/// error.
std::vector<CommandFile> read_command_files(const std::string& path, std::uint32_t nodes);

/// Returns the number of PEs with a file in `path`. Throws as read_command_files().
std::uint32_t count_command_files(const std::string& path);

}  // namespace hybrid
