// The working sets of command files (docs/commands.md): what is in the preloaded slots, and when it changes.
//
// - A working set is what all files store under one name, whenever they do; it is known from the start, and
//   one with no room in the `preload` slots is refused.
// - The first level is what `preload` named last. Where no file has a `preload`, it is there at 0: of the
//   connections that the commands outside any swapped-in set use (not those of broadcasts and barriers that
//   the fabric does by itself), in order of first use (PE by PE), each goes
//   into the first configuration that can hold it, and the first `preload` of these are loaded.
// - What is in is what was swapped in last of all that PEs have not swapped out; else the first level. So
//   when several PEs swap in the same, it stays until the last of them has swapped it out.
// - Nothing of this takes a PE any time. Without preloaded slots, it does nothing.
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
  /// `files` has an entry a port. Throws UserError, with file, line and column, where a name is nowhere
  /// stored or a stored set needs more slots than `parameters.preload`.
  CommandWorkingSets(Technique& technique, const SwitchParameters& parameters,
                     const std::vector<CommandFile>& files, bool hardware_multicast = false);

  /// At 0, before the first command.
  void start();
  /// `pe` comes to one of preload, swap-in, swap-out, flush.
  void carry_out(Time now, Port pe, const PeCommand& command);

 private:
  void store_all(const std::vector<CommandFile>& files);
  std::vector<Configuration> used_first(const std::vector<CommandFile>& files) const;

  Technique& technique_;
  std::uint32_t ports_, slots_;
  bool hardware_multicast_;
  bool swaps_ = false;  // some file has commands for working sets
  std::vector<Configuration> first_;
  WorkingSetStore sets_;
};

}  // namespace hybrid
