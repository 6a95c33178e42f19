// The basic TDM cycle controller, a counter (D 4.2.2, figure 4.4): every slot has its turn, empty or not.
#include "emulator/tdm/allocation.h"

namespace hybrid {

namespace {

class None final : public Allocation {
 public:
  explicit None(Time length) : length_(length) {}
  SlotChoice next(const CycleState& state) const override {
    const std::uint32_t last = state.wormhole_slot ? state.slots : state.slots - 1;
    return {state.previous >= last ? 0 : state.previous + 1, length_};
  }
  Time longest() const override { return length_; }

 private:
  Time length_;
};

const AllocationRegistration kNone{"none", "a plain counter: every slot has its turn, empty or not (D 4.2.2)",
                                   [](const SwitchParameters& p) -> std::unique_ptr<Allocation> {
                                     return std::make_unique<None>(p.slot_length);
                                   }};

}  // namespace

}  // namespace hybrid
