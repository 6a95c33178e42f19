// Command files (D 8.3.1): "each processor has its own input file that contains a number of predefined
// commands". One text file a PE; docs/commands.md is the user's page.
//
//   send DEST BYTES            hands a message to the NIC and goes on at once
//   blocking-send DEST BYTES   goes on when the message's last word has left the PE
//   broadcast BYTES            sends to every other PE, the next one first, and goes on at once
//   blocking-receive SOURCE    goes on when the next message from SOURCE (or from `any`) is there
//   wait TIME                  computes
//   barrier                    goes on when all PEs have come to theirs: a dissemination barrier, whose
//                              messages of one word go over the network
//
// Beside those of D 8.3.1, what a compiler knows (D 5.2; emulator/traffic/command_working_sets.h). A PE goes
// on at once:
//
//   store NAME DEST...         working set NAME has the connections from this PE to those
//   preload NAME               the preloaded slots hold it
//   swap-in NAME               it comes in over what they hold; in a branch within a branch, again
//   swap-out                   what this PE swapped in last goes
//   flush                      gives up the circuits of this PE
//
// One command a line; words are separated by blanks; `#` begins a comment.
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

/// What commands for working sets name; columns are those of the words, from 1.
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
  static constexpr Port kAny = kNoPort;  // blocking_receive: from whomever

  Kind kind = Kind::barrier;
  Port peer = kNoPort;                 // send, blocking_send: destination; blocking_receive: source
  Bytes bytes = 0;                     // send, blocking_send, broadcast
  Time time{};                         // wait
  std::uint32_t line = 0, column = 0;  // from 1; of its first word
  std::shared_ptr<const WorkingSetWords> set = {};  // store, preload, swap_in, swap_out: else none

  /// The same command; where it stands does not matter.
  bool operator==(const PeCommand& o) const {
    const bool same_set = set == nullptr || o.set == nullptr
                              ? set == o.set
                              : set->name == o.set->name && set->destinations == o.set->destinations;
    return kind == o.kind && peer == o.peer && bytes == o.bytes && time == o.time && same_set;
  }
};

/// One PE's file.
struct CommandFile {
  std::string name;  // as shown in errors
  std::vector<PeCommand> commands;
};

/// The name of a kind of command, as it is written.
std::string_view name_of(PeCommand::Kind kind);
/// The command as a line of a file; parse_commands reads it back.
std::string to_string(const PeCommand& command);

/// Reads the text of the file `name` for PE `self` of `nodes`. Throws UserError "NAME:LINE:COLUMN: ..." that
/// says what was found, what was expected and how to mend it. Columns count bytes, from 1.
std::vector<PeCommand> parse_commands(std::string_view text, const std::string& name, Port self,
                                      std::uint32_t nodes);

/// The files of `path`, read: where it is a directory, the files in it; otherwise those whose path begins
/// with it. A file's PE is the number at the end of its name, extension aside (pe0.txt, pe1.txt, ...); hidden
/// files are none. For `nodes` PEs, or for as many as there are files where that is more. Throws UserError
/// where there is no file, where a PE between 0 and the last has none or two, or where a file has an error.
std::vector<CommandFile> read_command_files(const std::string& path, std::uint32_t nodes);

/// How many PEs the files of `path` are for; errors as above.
std::uint32_t count_command_files(const std::string& path);

}  // namespace hybrid
