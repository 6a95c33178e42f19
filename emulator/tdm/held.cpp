// Allocation HELD (ours): a slot is a tick at which the switch decides, port by port, which circuits go on
// and which begin (emulator/tdm/circuit_plan.h). Messages run to completion instead of taking turns slot by
// slot; worms use the ports without a circuit.
//
// In a fat tree worms and circuits share links inside the network, so that worms have slots of their own
// (S_W). While both wait they take turns, each for the time for which a circuit is protected
// (CircuitPlan::protection()), so that reconfiguration takes at most a tenth of it.
//
// A port pays the reconfiguration exactly when its own partner changes. No parameter is measured: the quantum
// of a circuit follows from the reconfiguration, the guard, the wires and the slot.
#include "emulator/tdm/allocation.h"
#include "emulator/tdm/circuit_plan.h"

namespace hybrid {

namespace {

class Held final : public Allocation {
 public:
  explicit Held(const SwitchParameters& p) : length_(p.slot_length) {
    if (!p.is_tree()) return;
    const Time turn = CircuitPlan::protection(p) + length_ - picoseconds(1);
    turn_ = static_cast<std::uint32_t>(turn / length_);
  }

  SlotChoice choose_slot(const CycleState& state) const override {
    const std::uint32_t after = first_from(state.wanted, state.previous_predictive + 1);
    const std::uint32_t next = after != kIdleSlot ? after : first_from(state.wanted, 0);
    if (turn_ != 0 && state.wormhole_buffered) {
      const bool worms_turn = state.previous == state.slots ? state.circuits_passed_over < turn_
                                                            : state.passed_over[state.slots] >= turn_;
      if (worms_turn || next == kIdleSlot) return {state.slots, length_};
    }
    return {next != kIdleSlot ? next : state.previous_predictive, length_, true};
  }
  Time longest_slot() const override { return length_; }
  bool needs_signals() const override { return true; }
  bool keeps_circuits() const override { return true; }

 private:
  Time length_;
  std::uint32_t turn_ = 0;  // slots of a turn; 0: worms have no slots of their own
};

const AllocationRegistration kHeld{
    "held",
    "ours: circuits run messages to completion, worms at the other ports",
    [](const SwitchParameters& p) -> std::unique_ptr<Allocation> { return std::make_unique<Held>(p); },
    {.fat_trees = true}};

}  // namespace

}  // namespace hybrid
