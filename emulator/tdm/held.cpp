// Allocation HELD (ours): a slot is a tick at which the switch decides, port by port, which circuits go on
// and which begin (emulator/tdm/circuit_plan.h). Messages run to completion instead of taking turns slot by
// slot; worms use the ports without a circuit.
//
// A port pays the reconfiguration exactly when its own partner changes. No parameter is measured: the quantum
// of a circuit follows from the reconfiguration, the guard, the wires and the slot.
#include "emulator/tdm/allocation.h"

namespace hybrid {

namespace {

class Held final : public Allocation {
 public:
  explicit Held(Time length) : length_(length) {}

  SlotChoice choose_slot(const CycleState& state) const override {
    const std::uint32_t after = first_from(state.wanted, state.previous_predictive + 1);
    const std::uint32_t next = after != kIdleSlot ? after : first_from(state.wanted, 0);
    return {next != kIdleSlot ? next : state.previous_predictive, length_, true};
  }
  Time longest_slot() const override { return length_; }
  bool needs_signals() const override { return true; }
  bool keeps_circuits() const override { return true; }

 private:
  Time length_;
};

const AllocationRegistration kHeld{"held",
                                   "ours: circuits run messages to completion, worms at the other ports",
                                   [](const SwitchParameters& p) -> std::unique_ptr<Allocation> {
                                     return std::make_unique<Held>(p.slot_length);
                                   }};

}  // namespace

}  // namespace hybrid
