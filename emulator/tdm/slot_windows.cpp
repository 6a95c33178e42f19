// Slots of predictive circuit switching: the controller begins them at the switch, the fabric loads their
// configuration, and the NICs see them one wire delay later (emulator/tdm/predictive_circuits.h).
#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

void PredictiveCircuits::start_slots(Time now) {
  if (slots_running_) return;
  slots_running_ = true;
  begin_slots_until(now);
  for (std::size_t i = 0; i < upcoming_.size(); ++i) events_.push(upcoming_[i].seen, kWindow);
  events_.push(controller_.boundary(), kBoundary);
  known_until_ = upcoming_.empty() ? controller_.boundary() + timing_.control : upcoming_.front().seen;
}

/// Begins the slots before `limit`. Requires: no message is in flight. Slots that the NICs and the fabric
/// have completely seen by then are skipped, the others are begun one by one.
void PredictiveCircuits::begin_slots_until(Time limit) {
  while (plan_ && !plan_->is_settled() && controller_.boundary() < limit) begin_slot(limit);
  if (controller_.boundary() < limit)
    controller_.skip_to(limit - timing_.control - timing_.to_fabric - 2 * controller_.longest_slot());
  while (controller_.boundary() < limit) begin_slot(limit);
  while (!upcoming_.empty() && upcoming_.front().seen < limit) see_next_window();
}

void PredictiveCircuits::on_boundary(Time now) {
  if (in_flight() == 0 && worms_are_idle()) {
    slots_running_ = false;
    return;
  }
  begin_slot(now);
  events_.push(upcoming_.back().seen, kWindow);
  events_.push(controller_.boundary(), kBoundary);
}

void PredictiveCircuits::begin_slot(Time now) {
  const CycleController::Slot slot = controller_.begin_slot(inputs_with_worms(controller_.boundary()));
  Window window;
  window.seen = slot.begin + timing_.control;
  window.open = window.seen + parameters_.unusable_slot_time(slot.reconfigures);
  window.close = slot.end + timing_.control;
  window.slot = slot.slot;
  if (timeline_ != nullptr && slot.slot != kIdleSlot)
    timeline_->slot(slot.begin, slot.end, slot.slot, slot.slot >= parameters_.slots,
                    window.open - window.seen);
  if (slot.slot < parameters_.slots) {
    load_slot(slot.begin, slot.slot, slot.shared);
    window.latched = latest_[slot.slot];
    window.configuration = &latched_[window.latched].configuration;
    ++latched_[window.latched].users;
    if (plan_)
      window.open = window.seen;  // ready_ has the circuits that begin
    else if (slot.shared && continues_previous(window))
      window.open = window.seen + parameters_.unusable_slot_time(false);
    if (slot.shared) open_worm_window(now, slot, window.configuration);
  } else if (slot.slot != kIdleSlot) {
    open_worm_window(now, slot, nullptr);
  }
  upcoming_.push(window);
}

/// Whether all circuits of `window`, which begins next, are in the previous window, which ends at its begin.
bool PredictiveCircuits::continues_previous(const Window& window) const {
  const Window& before = upcoming_.empty() ? window_ : upcoming_.back();
  if (before.configuration == nullptr || before.close != window.seen) return false;
  bool all = true;
  for_each_port(window.configuration->inputs().words(), [&](Port source) {
    all = all && window_grants(before, {source, window.configuration->destination_of(source)});
  });
  return all;
}

/// Loads B^(slot) into the fabric if it changed since it was last loaded; if shared, loads the connections
/// that data waits for.
void PredictiveCircuits::load_slot(Time begin, std::uint32_t slot, bool shared) {
  if (changed_[slot] == 0 && !shared) return;
  changed_[slot] = shared ? 1 : 0;
  release_latched(latest_[slot]);
  if (unused_latched_.empty()) {
    unused_latched_.push_back(static_cast<std::uint32_t>(latched_.size()));
    latched_.emplace_back();
  }
  latest_[slot] = unused_latched_.back();
  unused_latched_.pop_back();
  Latched& latched = latched_[latest_[slot]];
  latched.users = 1;
  if (!shared) {
    latched.configuration = schedule_[slot];
    return;
  }
  if (latched.configuration.ports() == 0) latched.configuration = Configuration(parameters_.nodes);
  if (plan_) {
    add_worms(begin, *plan_);
    latched.fresh.clear();
    if (latched.parked.size() == 0) latched.parked = PortSet(parameters_.nodes);
    plan_->compose(begin, slot, schedule_, wanted_, latched.configuration, latched.parked, latched.fresh);
    controller_.add_grants(latched.configuration.count() - latched.parked.count());
    return;
  }
  latched.configuration.clear();
  for (std::uint32_t k = 0; k < parameters_.slots; ++k) {
    const std::uint32_t s = (slot + k) % parameters_.slots;
    for_each_port(wanted_[s].words(), [&](Port source) {
      const Connection c{source, schedule_[s].destination_of(source)};
      if (latched.configuration.fits(c)) latched.configuration.add(c);
    });
  }
  controller_.add_grants(latched.configuration.count());
}

void PredictiveCircuits::release_latched(std::uint32_t latched) {
  if (--latched_[latched].users == 0) unused_latched_.push_back(latched);
}

void PredictiveCircuits::see_next_window() {
  if (window_.configuration != nullptr) release_latched(window_.latched);
  window_ = upcoming_.front();
  upcoming_.pop();
  if (plan_ && window_.configuration != nullptr)
    for (const Connection c : latched_[window_.latched].fresh)
      ready_[c.source] = window_.seen + parameters_.unusable_slot_time(true);
}

void PredictiveCircuits::on_window(Time now) {
  if (upcoming_.empty() || upcoming_.front().seen != now) return;  // seen already by begin_slots_until()
  see_next_window();
  known_until_ = window_.close;
  if (window_.configuration == nullptr) return on_window_seen(now);
  for_each_port(has_data_.words(), [&](Port source) {
    const Port destination = window_.configuration->destination_of(source);
    if (destination == kNoPort) return;
    Circuit* c = window_.slot < parameters_.slots ? held_.of_source(source, window_.slot) : nullptr;
    if (c == nullptr || c->connection.destination != destination) c = find_circuit({source, destination});
    if (c != nullptr && !c->finished()) use_grant(now, *c);
  });
  on_window_seen(now);
}

}  // namespace hybrid
