// Named working sets that the switch stores as configurations of the preloaded slots, and swaps in on
// command. D 5.2.3: the compiler knows the communication of a conditional's branch, and can "store a second
// level working set that is swapped in only when the conditional is true".
//
// A first level is loaded, and any number of sets can be swapped in over it: a branch within a branch.
// Swapping one out restores the set below. A swap fills all P slots; slots for which a set has no
// configuration are returned to dynamic scheduling (an empty preload, core/scheduler_port.h), so that no
// connection of another set remains. The caller receives the content of every slot and passes it to a
// technique or a scheduler port.
//
//   WorkingSetStore store(ports, slots);
//   store.store("loop", configurations);
//   store.load_first("loop", [&](std::uint32_t slot, const Configuration& c) { port.preload(now, slot, c);
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/configuration.h"

namespace hybrid {

class WorkingSetStore {
 public:
  /// Called for the slots 0 to P - 1 in order, or not at all if the slots hold the set already.
  using Load = std::function<void(std::uint32_t slot, const Configuration& content)>;

  /// A store for P = `slots` preloaded slots of a switch with `ports` ports.
  WorkingSetStore(std::uint32_t ports, std::uint32_t slots) : slots_(slots), nothing_(ports) {}

  /// Stores `set` as `name`, permanently. Throws UserError if the name is taken, if there are more
  /// configurations than slots, or if one is for another number of ports.
  void store(const std::string& name, std::vector<Configuration> set);
  bool stored(const std::string& name) const { return sets_.contains(name); }

  /// Makes `name` the first level and removes all other levels. Throws std::out_of_range if it is not stored.
  void load_first(const std::string& name, const Load& load);
  /// Swaps in `name` over the current set. Throws std::out_of_range if it is not stored.
  void swap_in(const std::string& name, const Load& load);
  /// Restores the set that the last swap_in() replaced; if there was none, returns all slots to the
  /// scheduler. Throws std::logic_error if no set is swapped in.
  void swap_out(const Load& load);
  /// Swaps out the last set of that name. Sets that were swapped in over it are kept. No effect if there is
  /// none.
  void swap_out(const std::string& name, const Load& load);

  /// The current set; nullptr: none.
  const std::string* current() const { return levels_.empty() ? nullptr : levels_.back(); }
  /// The switch was flushed: the slots hold no connections.
  void flushed() { intact_ = false; }

 private:
  void load_current(const std::string* before, const Load& load);
  const std::string* name_of(const std::string& name) const;

  std::uint32_t slots_;
  Configuration nothing_;
  std::map<std::string, std::vector<Configuration>> sets_;
  std::vector<const std::string*> levels_;  // keys of sets_; nullptr: no first level
  bool intact_ = true;                      // the slots hold the current set
};

}  // namespace hybrid
