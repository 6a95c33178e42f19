#include "emulator/tdm/allocation.h"

#include <bit>

namespace hybrid {

std::uint32_t first_from(const PortSet& slots, std::uint32_t from) {
  if (from >= slots.size()) return kIdleSlot;
  const auto words = slots.words();
  Word word = words[from / kWordBits] & ~(bit_of(from) - 1);
  for (std::size_t w = from / kWordBits;;) {
    if (word != 0)
      return static_cast<std::uint32_t>(w * kWordBits) + static_cast<std::uint32_t>(std::countr_zero(word));
    if (++w == words.size()) return kIdleSlot;
    word = words[w];
  }
}

std::uint32_t next_occupied(const CycleState& state) {
  const bool worms = state.wormhole_slot && state.wormhole_buffered;
  if (const std::uint32_t after = first_from(state.occupied, state.previous + 1); after != kIdleSlot)
    return after;
  if (worms && state.previous < state.slots) return state.slots;
  if (const std::uint32_t around = first_from(state.occupied, 0); around != kIdleSlot) return around;
  return worms ? state.slots : kIdleSlot;
}

}  // namespace hybrid
