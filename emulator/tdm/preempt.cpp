// PREEMPT, preempt virtual channels (D 4.5, figure 4.10): while no predictive traffic exists (R_valid = 0),
// the predictive slots are in the background and all time is S_W; otherwise the sequence is that of SES.
//
// R_valid as the switch knows it: a NIC tells when data begins and ends to wait for an established
// connection.
#include "emulator/tdm/allocation.h"

namespace hybrid {

namespace {

class Preempt final : public Allocation {
 public:
  explicit Preempt(Time length) : length_(length) {}

  SlotChoice next(const CycleState& state) const override {
    if (state.wanted.any()) return {next_occupied(state), length_};
    return {state.wormhole_slot ? state.slots : kIdleSlot, length_};
  }
  bool needs_signals() const override { return true; }
  Time longest() const override { return length_; }

 private:
  Time length_;
};

const AllocationRegistration kPreempt{"preempt",
                                      "predictive slots only while predictive traffic exists (D 4.5)",
                                      [](const SwitchParameters& p) -> std::unique_ptr<Allocation> {
                                        return std::make_unique<Preempt>(p.slot_length);
                                      }};

}  // namespace

}  // namespace hybrid
