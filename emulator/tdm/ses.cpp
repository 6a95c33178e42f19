// SES, skip empty slots (D 4.3): slots without a connection, and S_W when no wormhole traffic is buffered,
// take no time. When all are empty the controller looks again one slot length later.
#include "emulator/tdm/allocation.h"

namespace hybrid {

namespace {

class SkipEmptySlots final : public Allocation {
 public:
  explicit SkipEmptySlots(Time length) : length_(length) {}

  SlotChoice next(const CycleState& state) const override { return {next_occupied(state), length_}; }
  Time longest() const override { return length_; }

 private:
  Time length_;
};

const AllocationRegistration kSes{"ses", "skip empty slots (D 4.3)",
                                  [](const SwitchParameters& p) -> std::unique_ptr<Allocation> {
                                    return std::make_unique<SkipEmptySlots>(p.slot_length);
                                  }};

}  // namespace

}  // namespace hybrid
