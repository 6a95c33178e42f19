#include "emulator/tdm/cycle_controller.h"

namespace hybrid {

CycleController::CycleController(const SwitchParameters& parameters, bool wormhole_slot)
    : allocation_(AllocationRegistration::make(parameters.allocation, parameters)),
      slots_(parameters.slots),
      wormhole_slot_(wormhole_slot),
      occupied_(parameters.slots),
      connections_(parameters.slots + 1, 0),
      stale_(parameters.slots + 1, 0),
      previous_(wormhole_slot ? parameters.slots : parameters.slots - 1) {}

SlotChoice CycleController::choose(bool wormhole_buffered) const {
  return allocation_->next({slots_, wormhole_slot_, occupied_, wormhole_buffered, previous_});
}

void CycleController::count(std::uint32_t slot, std::uint64_t times) {
  begun_ += times;
  if (slot != kIdleSlot) grants_ += times * connections_[slot];
}

CycleController::Slot CycleController::step(bool wormhole_buffered) {
  const SlotChoice choice = choose(wormhole_buffered);
  Slot slot{boundary_, boundary_ + choice.length, choice.slot, false};
  boundary_ = slot.end;
  count(choice.slot, 1);
  if (choice.slot == kIdleSlot) return slot;
  slot.reconfigures = in_fabric_ != choice.slot || stale_[choice.slot] != 0;
  stale_[choice.slot] = 0;
  in_fabric_ = previous_ = choice.slot;
  return slot;
}

void CycleController::skip_to(Time limit) {
  // One time through the slots brings the controller to where it comes again and again; then whole cycles.
  const std::uint32_t once = slots_ + 1;
  for (std::uint32_t i = 0; i <= once; ++i) {
    if (boundary_ >= limit) return;
    step(false);
  }
  const std::uint32_t anchor = previous_;
  const Time begin = boundary_;
  const std::uint64_t begun = begun_, grants = grants_;
  do {
    if (boundary_ >= limit) return;
    step(false);
  } while (previous_ != anchor);
  const Time cycle = boundary_ - begin;
  if (boundary_ < limit) {
    const std::int64_t cycles = (limit - boundary_) / cycle;
    const std::uint64_t per_cycle_begun = begun_ - begun, per_cycle_grants = grants_ - grants;
    boundary_ += cycle * cycles;
    begun_ += per_cycle_begun * static_cast<std::uint64_t>(cycles);
    grants_ += per_cycle_grants * static_cast<std::uint64_t>(cycles);
  }
  while (boundary_ < limit) step(false);
}

void CycleController::changed(std::uint32_t slot, std::size_t connections) {
  connections_[slot] = connections;
  stale_[slot] = 1;
  if (connections == 0)
    occupied_.reset(slot);
  else
    occupied_.set(slot);
}

}  // namespace hybrid
