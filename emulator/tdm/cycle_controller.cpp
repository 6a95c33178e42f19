#include "emulator/tdm/cycle_controller.h"

#include <algorithm>

namespace hybrid {

namespace {
// In units of a slot full of data from every port. The mean is over all words offered until there are
// kShareSlots units; then it is an exponential mean over that many. It starts with kFirstSlots units of
// predictable words.
constexpr std::int64_t kShareSlots = 128, kFirstSlots = 1;
}  // namespace

CycleController::CycleController(const SwitchParameters& parameters, bool wormhole_slot)
    : allocation_(AllocationRegistration::make(parameters.allocation, parameters)),
      slots_(parameters.slots),
      wormhole_slot_(wormhole_slot),
      occupied_(parameters.slots),
      connections_(parameters.slots + 1, 0),
      wanted_connections_(parameters.slots, 0),
      passed_over_(parameters.slots + 1, 0),
      stale_(parameters.slots + 1, 0),
      previous_(wormhole_slot ? parameters.slots : parameters.slots - 1),
      previous_predictive_(parameters.slots - 1),
      wanted_(parameters.slots),
      window_words_(std::max<std::int64_t>(1, parameters.slot_length / parameters.word_time()) *
                    parameters.nodes * kShareSlots),
      counted_words_(window_words_ / kShareSlots * kFirstSlots),
      word_(parameters.word_time()),
      unusable_(parameters.unusable_slot_time(false)),
      unusable_after_change_(parameters.unusable_slot_time(true)) {}

CycleState CycleController::state(std::uint32_t wormhole_inputs) const {
  return {slots_,       wormhole_slot_,        occupied_,    wormhole_inputs != 0,
          previous_,    previous_predictive_,  wanted_,      wanted_connections_,
          passed_over_, wormhole_inputs,       predictable_, foreground_,
          traffic_,     circuits_passed_over_, circuits_,    worms_};
}

bool CycleController::add_offered_traffic(Traffic more) {
  traffic_.predictive += more.predictive;
  traffic_.wormhole += more.wormhole;
  const auto words = static_cast<std::int64_t>(
      std::min<std::uint64_t>(more.predictive + more.wormhole, static_cast<std::uint64_t>(window_words_)));
  const Share now = more.predictive != 0 ? kWhole : 0;
  counted_words_ = std::min(counted_words_ + words, window_words_);
  predictable_ += (now - predictable_) * words / counted_words_;
  const bool before = foreground_;
  foreground_ = allocation_->foreground(state(0));
  return foreground_ != before;
}

CycleController::Slot CycleController::begin_slot(std::uint32_t wormhole_inputs) {
  measure_circuits();
  const SlotChoice choice = allocation_->choose_slot(state(wormhole_inputs));
  Slot slot{boundary_, boundary_ + choice.length, choice.slot};
  boundary_ = slot.end;
  ++begun_;
  for (std::uint32_t s = 0; s <= slots_; ++s) {
    const bool waits = s < slots_ ? wanted_.test(s) : wormhole_inputs != 0;
    passed_over_[s] = waits && s != choice.slot ? passed_over_[s] + 1 : 0;
  }
  circuits_passed_over_ = wanted_.any() && choice.slot == slots_ ? circuits_passed_over_ + 1 : 0;
  if (choice.slot == kIdleSlot) return current_ = slot;
  if (!choice.shared) grants_ += connections_[choice.slot];
  slot.shared = choice.shared;
  slot.reconfigures = in_fabric_ != choice.slot || stale_[choice.slot] != 0;
  stale_[choice.slot] = choice.shared ? 1 : 0;  // other connections of it may be configured next time
  in_fabric_ = previous_ = choice.slot;
  if (choice.slot < slots_) previous_predictive_ = choice.slot;
  return current_ = slot;
}

/// At the end of a predictive slot: if data still waits for its circuits, it was used as far as possible.
void CycleController::measure_circuits() {
  if (current_.slot >= slots_ || !wanted_.test(current_.slot)) return;
  const Time all = current_.end - current_.begin;
  const Time usable = all - (current_.reconfigures ? unusable_after_change_ : unusable_);
  circuits_.used += static_cast<std::uint64_t>((word_ * (usable / word_)).ps);
  circuits_.all += static_cast<std::uint64_t>(all.ps);
}

void CycleController::skip_to(Time limit) {
  // After one round of the slots the controller is in a periodic state; then skip whole cycles.
  const std::uint32_t once = slots_ + 1;
  for (std::uint32_t i = 0; i <= once; ++i) {
    if (boundary_ >= limit) return;
    begin_slot(0);
  }
  const std::uint32_t anchor = previous_, predictive = previous_predictive_;
  const Time begin = boundary_;
  const std::uint64_t begun = begun_, grants = grants_;
  const Efficiency circuits = circuits_;
  do {
    if (boundary_ >= limit) return;
    begin_slot(0);
  } while (previous_ != anchor || previous_predictive_ != predictive);
  const Time cycle = boundary_ - begin;
  if (boundary_ < limit)
    repeat(static_cast<std::uint64_t>((limit - boundary_) / cycle), cycle, begun_ - begun, grants_ - grants,
           {circuits_.used - circuits.used, circuits_.all - circuits.all});
  while (boundary_ < limit) begin_slot(0);
}

void CycleController::repeat(std::uint64_t times, Time cycle, std::uint64_t begun, std::uint64_t grants,
                             Efficiency circuits) {
  boundary_ += cycle * static_cast<std::int64_t>(times);
  begun_ += begun * times;
  grants_ += grants * times;
  circuits_.used += circuits.used * times;
  circuits_.all += circuits.all * times;
  current_.begin += cycle * static_cast<std::int64_t>(times);
  current_.end = boundary_;
}

void CycleController::set_waiting_connections(std::uint32_t slot, std::uint32_t connections) {
  wanted_connections_[slot] = connections;
  if (connections != 0) {
    wanted_.set(slot);
  } else {
    wanted_.reset(slot);
  }
}

void CycleController::visit(StateVisitor& v) {
  v.same(previous_);
  v.same(previous_predictive_);
  for (const std::uint32_t times : passed_over_) v.same(times);
  v.same(circuits_passed_over_);
  v.same(in_fabric_);
  v.instant(boundary_);
  v.total(begun_);
  v.total(grants_);
  for (const char stale : stale_) v.same(stale != 0 ? 1 : 0);
  if (!needs_efficiency()) return;
  v.same(circuits_.used);  // the length of S_W depends on it
  v.instant(current_.begin);
  v.instant(current_.end);
}

void CycleController::set_connections(std::uint32_t slot, std::size_t connections) {
  connections_[slot] = connections;
  stale_[slot] = 1;
  if (connections == 0)
    occupied_.reset(slot);
  else
    occupied_.set(slot);
}

}  // namespace hybrid
