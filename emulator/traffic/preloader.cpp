#include "emulator/traffic/preloader.h"

#include <optional>

namespace hybrid {

void Preloader::start(Time at) {
  for (std::uint32_t slot = 0; slot < slots_ && fill(at, slot); ++slot) {
  }
}

void Preloader::delivered(Time at, std::uint64_t step) {
  if (slots_ == 0 || step == Pattern::kNoStep) return;
  // A step may be served before it is loaded if the switch carried its messages without the preloaded slot.
  Turn& turn = turns_[step];
  ++turn.served;
  if (turn.slot == kNotLoaded || turn.served < turn.messages) return;
  const std::uint32_t slot = turn.slot;
  turns_.erase(step);
  fill(at, slot);
}

std::uint32_t Preloader::find_slot(const Configuration& configuration) const {
  for (std::uint32_t slot = 0; slot < loaded_.size(); ++slot)
    if (loaded_[slot] == configuration) return slot;
  return kNotLoaded;
}

/// Loads the next configuration that has messages left into `slot`. Returns false if there is none; the slot
/// then keeps its content.
bool Preloader::fill(Time at, std::uint32_t slot) {
  while (const std::optional<Pattern::Known> known = pattern_.known(next_)) {
    const std::uint64_t step = next_++;
    const std::uint32_t held = find_slot(known->configuration);
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

TrafficMatrix measure_traffic(Pattern& pattern, std::uint32_t nodes, Bytes message) {
  TrafficMatrix traffic;
  for (Port source = 0; source < nodes; ++source)
    for (std::uint64_t left = pattern.messages(source); left > 0; --left) {
      const Pattern::Send send = pattern.next(source);
      traffic[{source, send.destination}] += (message == 0 ? 1 : message) * send.blocks;
    }
  return traffic;
}

}  // namespace hybrid
