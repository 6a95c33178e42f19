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
  if (boundary_ < limit)
    repeat(static_cast<std::uint64_t>((limit - boundary_) / cycle), cycle, begun_ - begun, grants_ - grants);
  while (boundary_ < limit) step(false);
}

void CycleController::repeat(std::uint64_t times, Time cycle, std::uint64_t begun, std::uint64_t grants) {
  boundary_ += cycle * static_cast<std::int64_t>(times);
  begun_ += begun * times;
  grants_ += grants * times;
}

void CycleController::visit(StateVisitor& v) {
  v.same(previous_);
  v.same(in_fabric_);
  v.instant(boundary_);
  v.total(begun_);
  v.total(grants_);
  for (const char stale : stale_) v.same(stale != 0 ? 1 : 0);
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
