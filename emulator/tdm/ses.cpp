// SES, skip empty slots (D 4.3): slots without a connection, and S_W when no wormhole traffic is buffered,
// take no time. When all are empty the controller looks again one slot length later.
#include <bit>

#include "emulator/tdm/allocation.h"

namespace hybrid {

namespace {

class SkipEmptySlots final : public Allocation {
 public:
  explicit SkipEmptySlots(Time length) : length_(length) {}

  SlotChoice next(const CycleState& state) const override {
    const std::uint32_t after = first_occupied(state, state.previous + 1);
    if (after != kIdleSlot) return {after, length_};
    if (state.wormhole_slot && state.wormhole_buffered && state.previous < state.slots)
      return {state.slots, length_};
    const std::uint32_t around = first_occupied(state, 0);
    if (around != kIdleSlot) return {around, length_};
    if (state.wormhole_slot && state.wormhole_buffered) return {state.slots, length_};
    return {kIdleSlot, length_};
  }

 private:
  static std::uint32_t first_occupied(const CycleState& state, std::uint32_t from) {
    if (from >= state.slots) return kIdleSlot;
    const auto words = state.occupied.words();
    Word word = words[from / kWordBits] & ~(bit_of(from) - 1);
    for (std::size_t w = from / kWordBits;;) {
      if (word != 0)
        return static_cast<std::uint32_t>(w * kWordBits) + static_cast<std::uint32_t>(std::countr_zero(word));
      if (++w == words.size()) return kIdleSlot;
      word = words[w];
    }
  }

  Time length_;
};

const AllocationRegistration kSes{"ses", "skip empty slots (D 4.3)",
                                  [](const SwitchParameters& p) -> std::unique_ptr<Allocation> {
                                    return std::make_unique<SkipEmptySlots>(p.slot_length);
                                  }};

}  // namespace

}  // namespace hybrid
