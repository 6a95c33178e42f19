// Working sets of command files (docs/commands.md): the content of the preloaded slots over time.
//
// - A working set consists of all connections that any file stores under its name, at any point of the file.
// It is
//   known from the start. A set that does not fit into the `preload` slots is an error.
// - The first level is the set named by the latest `preload`. If no file has a `preload`, the first level is
//   computed at time 0: the connections used by commands outside swapped-in sets (without those of hardware
//   broadcasts and barriers), in order of first use, PE by PE. Each goes into the first configuration that
//   can hold it, and the first `preload` configurations are loaded.
// - The slots hold the set that was swapped in last among those not yet swapped out, otherwise the first
// level. If
//   several PEs swap in the same set, it stays until the last of them has swapped it out.
// - These commands take no time. Without preloaded slots, they have no effect.
#pragma once

#include <cstdint>
#include <vector>

#include "core/time.h"
#include "emulator/network/technique.h"
#include "emulator/parameters.h"
#include "emulator/tdm/working_set_store.h"
#include "emulator/traffic/commands.h"

namespace hybrid {

class CommandWorkingSets {
 public:
  /// `files` has one entry per port. Throws UserError, with file, line and column, for a name that no file
  /// stores and for a set that needs more slots than `parameters.preload`.
  CommandWorkingSets(Technique& technique, const SwitchParameters& parameters,
                     const std::vector<CommandFile>& files, bool hardware_multicast = false);

  /// Loads the first level. Call it at time 0, before the first command.
  void start();
  /// Executes a preload, swap-in, swap-out or flush of `pe`.
  void execute(Time now, Port pe, const PeCommand& command);

 private:
  void store_all(const std::vector<CommandFile>& files);
  std::vector<Configuration> first_used(const std::vector<CommandFile>& files) const;

  Technique& technique_;
  std::uint32_t ports_, slots_;
  bool hardware_multicast_;
  bool swaps_ = false;  // a file has preload or swap-in commands
  std::vector<Configuration> first_;
  WorkingSetStore sets_;
};

}  // namespace hybrid
