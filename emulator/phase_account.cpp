#include "emulator/phase_account.h"

#include <utility>

namespace hybrid {

std::uint32_t PhaseAccount::add(std::string name) {
  phases_.emplace_back().name = std::move(name);
  times_.push_back(0);
  return static_cast<std::uint32_t>(phases_.size() - 1);
}

std::vector<PhaseMeasures> PhaseAccount::finish(std::uint64_t members) const {
  std::vector<PhaseMeasures> result;
  Sum before = 0;
  for (std::size_t i = 0; i < phases_.size(); ++i) {
    const Sum after = before + times_[i];
    if (phases_[i].messages != 0 || times_[i] != 0) {
      PhaseMeasures& phase = result.emplace_back(phases_[i]);
      const Sum n = members == 0 ? 1 : static_cast<Sum>(members);
      phase.time = {static_cast<std::int64_t>(after / n - before / n)};
    }
    before = after;
  }
  return result;
}

}  // namespace hybrid
