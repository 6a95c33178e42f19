#include "emulator/tdm/working_set_store.h"

#include <stdexcept>
#include <utility>

#include "core/error.h"

namespace hybrid {

void WorkingSetStore::store(const std::string& name, std::vector<Configuration> set) {
  if (sets_.contains(name))
    throw UserError("working set '" + name + "': the name is taken", "Give it another name.");
  if (set.size() > slots_)
    throw UserError("working set '" + name + "': " + std::to_string(set.size()) +
                        " configurations, but only " + std::to_string(slots_) + " slots are preloaded",
                    "Give more --preload slots, or a smaller working set.");
  for (const Configuration& configuration : set)
    if (configuration.ports() != nothing_.ports())
      throw UserError("working set '" + name + "': a configuration of " +
                          std::to_string(configuration.ports()) + " ports, in a switch of " +
                          std::to_string(nothing_.ports()),
                      "Give configurations with the number of ports of the switch.");
  sets_.emplace(name, std::move(set));
}

const std::string* WorkingSetStore::name_of(const std::string& name) const {
  const auto found = sets_.find(name);
  if (found == sets_.end()) throw std::out_of_range("no working set '" + name + "' is stored");
  return &found->first;
}

void WorkingSetStore::load_first(const std::string& name, const Load& load) {
  const std::string* own = name_of(name);
  const std::string* before = current();
  levels_.assign(1, own);
  load_current(before, load);
}

void WorkingSetStore::swap_in(const std::string& name, const Load& load) {
  const std::string* own = name_of(name);
  if (levels_.empty()) levels_.push_back(nullptr);
  const std::string* before = current();
  levels_.push_back(own);
  load_current(before, load);
}

void WorkingSetStore::swap_out(const Load& load) {
  if (levels_.size() < 2) throw std::logic_error("no working set is swapped in");
  const std::string* before = current();
  levels_.pop_back();
  load_current(before, load);
}

void WorkingSetStore::swap_out(const std::string& name, const Load& load) {
  const std::string* before = current();
  for (std::size_t level = levels_.size(); level-- > 1;) {
    if (levels_[level] == nullptr || *levels_[level] != name) continue;
    levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(level));
    return load_current(before, load);
  }
}

/// Changes the slots from the set `before` to the current set.
void WorkingSetStore::load_current(const std::string* before, const Load& load) {
  const auto set_of = [this](const std::string* name) {
    return name == nullptr ? nullptr : &sets_.at(*name);
  };
  const std::vector<Configuration>*held = set_of(before), *set = set_of(current());
  const bool same = held == set || (held != nullptr && set != nullptr && *held == *set);
  if (same && intact_) return;
  intact_ = true;
  for (std::uint32_t slot = 0; slot < slots_; ++slot)
    load(slot, set != nullptr && slot < set->size() ? (*set)[slot] : nothing_);
}

}  // namespace hybrid
