#include "emulator/traffic/preloader.h"

#include <optional>

namespace hybrid {

void Preloader::start(Time at) {
  for (std::uint32_t slot = 0; slot < slots_ && fill(at, slot); ++slot) {
  }
}

void Preloader::delivered(Time at, std::uint64_t step) {
  if (slots_ == 0 || step == Pattern::kNoStep) return;
  // A step may be served before it is loaded: the switch carried its messages in another way.
  Turn& turn = turns_[step];
  ++turn.served;
  if (turn.slot == kNotLoaded || turn.served < turn.messages) return;
  const std::uint32_t slot = turn.slot;
  turns_.erase(step);
  fill(at, slot);
}

std::uint32_t Preloader::holder(const Configuration& configuration) const {
  for (std::uint32_t slot = 0; slot < loaded_.size(); ++slot)
    if (loaded_[slot] == configuration) return slot;
  return kNotLoaded;
}

/// Loads the next configuration that has messages left; false when there is none (what is in the slot stays).
bool Preloader::fill(Time at, std::uint32_t slot) {
  while (const std::optional<Pattern::Known> known = pattern_.known(next_)) {
    const std::uint64_t step = next_++;
    const std::uint32_t held = holder(known->configuration);
    if (known->messages != 0) {
      Turn& turn = turns_[step];
      if (turn.served == known->messages) {
        turns_.erase(step);
        continue;
      }
      turn.messages = known->messages;
      turn.slot = held == kNotLoaded ? slot : held;
    }
    if (held == slot) return true;
    if (held != kNotLoaded) continue;
    if (loaded_.size() <= slot) loaded_.resize(slot + 1);
    loaded_[slot] = known->configuration;
    technique_.preload(at, slot, known->configuration);
    return true;
  }
  return false;
}

}  // namespace hybrid
