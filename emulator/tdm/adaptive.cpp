// ADAPTIVE (ours): the slot that most data waits for, and worms beside it.
//
// - A predictive slot is shared: only connections that data waits for are configured; the ports of the others
//   go on carrying worms (each port is preempted by itself, partial reconfiguration).
// - A predictive slot has its turn when at least as many of its connections are wanted as 9 in 10 of the
//   inputs at which worms wait: of those slots the one wanted most. Otherwise the time is S_W's.
// - What waits (S_W too) and was passed over kPatience times has its turn, the one passed over most.
#include "emulator/tdm/allocation.h"

namespace hybrid {

namespace {

class Adaptive final : public Allocation {
 public:
  explicit Adaptive(Time length) : length_(length) {}

  SlotChoice next(const CycleState& state) const override {
    if (!state.wanted.any()) return {state.wormhole_slot ? state.slots : kIdleSlot, length_};
    std::uint32_t best = kIdleSlot, oldest = kIdleSlot;
    for (std::uint32_t k = 1; k <= state.slots; ++k) {
      const std::uint32_t slot = (state.previous_predictive + k) % state.slots;
      if (!state.wanted.test(slot)) continue;
      if (best == kIdleSlot || state.wanted_connections[slot] > state.wanted_connections[best]) best = slot;
      if (state.passed_over[slot] >= kPatience &&
          (oldest == kIdleSlot || state.passed_over[slot] > state.passed_over[oldest]))
        oldest = slot;
    }
    if (state.wormhole_slot && state.passed_over[state.slots] >= kPatience &&
        (oldest == kIdleSlot || state.passed_over[state.slots] >= state.passed_over[oldest]))
      return {state.slots, length_};
    if (oldest != kIdleSlot) return {oldest, length_, true};
    if (!state.wormhole_slot || state.wanted_connections[best] * 10 >= state.wormhole_inputs * 9)
      return {best, length_, true};
    return {state.slots, length_};
  }
  Time longest() const override { return length_; }
  bool needs_signals() const override { return true; }

 private:
  static constexpr std::uint32_t kPatience = 8;
  Time length_;
};

const AllocationRegistration kAdaptive{
    "adaptive", "ours: the slot that most data waits for, worms at the ports it does not need",
    [](const SwitchParameters& p) -> std::unique_ptr<Allocation> {
      return std::make_unique<Adaptive>(p.slot_length);
    }};

}  // namespace

}  // namespace hybrid
