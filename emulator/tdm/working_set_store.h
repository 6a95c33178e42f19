// Working sets that the switch keeps under names, each as the configurations of the preloaded slots, to be
// swapped in when told. D 5.2.3: the compiler knows what a conditional's branch communicates, and can "store
// a second level working set that is swapped in only when the conditional is true".
//
// There is a first level, loaded, and what is swapped in over it, any number deep: a branch within a branch.
// To swap one out brings back what was there before. A swap fills all of the P slots; those for which a set
// has no configuration are given back to dynamic scheduling (an empty preload, core/scheduler_port.h), so
// that nothing of another set stays. The caller is given every slot's content and hands it on, to a technique
// or to a scheduler port.
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
  /// Called for slots 0 ... P - 1 in order, or not at all when what the set has is in already.
  using Load = std::function<void(std::uint32_t slot, const Configuration& content)>;

  /// P = `slots` preloaded slots of a switch with so many ports.
  WorkingSetStore(std::uint32_t ports, std::uint32_t slots) : slots_(slots), nothing_(ports) {}

  /// Keeps `set` as `name`, for good. Throws UserError when the name is taken, when there are more
  /// configurations than slots, or when one is for another number of ports.
  void store(const std::string& name, std::vector<Configuration> set);
  bool stored(const std::string& name) const { return sets_.contains(name); }

  /// The first level is now `name`, which is stored (else std::out_of_range); nothing is swapped in over it.
  void load_first(const std::string& name, const Load& load);
  /// `name` comes in over what is there.
  void swap_in(const std::string& name, const Load& load);
  /// What the last swap_in replaced comes back; where that was nothing, all slots are given back. Without a
  /// swap_in before, std::logic_error.
  void swap_out(const Load& load);
  /// The same, of the last one of that name, where others may have come in over it: these stay. Nothing where
  /// there is none any more.
  void swap_out(const std::string& name, const Load& load);

  /// The set that is in, nullptr: none.
  const std::string* current() const { return levels_.empty() ? nullptr : levels_.back(); }
  /// The switch was flushed: the slots hold nothing, whatever the level.
  void flushed() { intact_ = false; }

 private:
  void fill(const std::string* before, const Load& load);
  const std::string* name_of(const std::string& name) const;

  std::uint32_t slots_;
  Configuration nothing_;
  std::map<std::string, std::vector<Configuration>> sets_;
  std::vector<const std::string*> levels_;  // keys of sets_; nullptr: no first level
  bool intact_ = true;                      // the slots hold the last level
};

}  // namespace hybrid
