#include "emulator/tdm/cycle_controller.h"

namespace hybrid {

CycleController::CycleController(const SwitchParameters& parameters, bool wormhole_slot)
    : allocation_(AllocationRegistration::make(parameters.allocation, parameters)),
      slots_(parameters.slots),
      wormhole_slot_(wormhole_slot),
      occupied_(parameters.slots),
      connections_(parameters.slots + 1, 0),
      wanted_connections_(parameters.slots + 1, 0),
      stale_(parameters.slots + 1, 0),
      previous_(wormhole_slot ? parameters.slots : parameters.slots - 1),
      previous_predictive_(parameters.slots - 1),
      wanted_(parameters.slots) {}

SlotChoice CycleController::choose(bool wormhole_buffered) const {
  return allocation_->next({slots_, wormhole_slot_, occupied_, wormhole_buffered, previous_,
                            previous_predictive_, wanted_, traffic_});
}

CycleController::Slot CycleController::step(bool wormhole_buffered) {
  const SlotChoice choice = choose(wormhole_buffered);
  Slot slot{boundary_, boundary_ + choice.length, choice.slot};
  boundary_ = slot.end;
  ++begun_;
  if (choice.slot == kIdleSlot) return slot;
  grants_ += (choice.shared ? wanted_connections_ : connections_)[choice.slot];
  slot.shared = choice.shared;
  slot.reconfigures = in_fabric_ != choice.slot || stale_[choice.slot] != 0;
  stale_[choice.slot] = choice.shared ? 1 : 0;  // another part of it may be wanted next time
  in_fabric_ = previous_ = choice.slot;
  if (choice.slot < slots_) previous_predictive_ = choice.slot;
  return slot;
}

void CycleController::skip_to(Time limit) {
  // One time through the slots brings the controller to where it comes again and again; then whole cycles.
  const std::uint32_t once = slots_ + 1;
  for (std::uint32_t i = 0; i <= once; ++i) {
    if (boundary_ >= limit) return;
    step(false);
  }
  const std::uint32_t anchor = previous_, predictive = previous_predictive_;
  const Time begin = boundary_;
  const std::uint64_t begun = begun_, grants = grants_;
  do {
    if (boundary_ >= limit) return;
    step(false);
  } while (previous_ != anchor || previous_predictive_ != predictive);
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

void CycleController::wanted(std::uint32_t slot, std::size_t connections) {
  wanted_connections_[slot] = connections;
  if (connections != 0)
    wanted_.set(slot);
  else
    wanted_.reset(slot);
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
