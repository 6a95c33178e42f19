#include "emulator/tdm/slot_windows.h"

namespace hybrid {

SlotWindows::SlotWindows(const SwitchParameters& parameters, const Timing& timing, EventQueue& events,
                         const SlotSchedule& schedule, QueueReports& reports, WormTraffic& worms,
                         CycleController& controller, CircuitPlan* plan)
    : parameters_(parameters),
      timing_(timing),
      events_(events),
      schedule_(schedule),
      reports_(reports),
      worms_(worms),
      controller_(controller),
      plan_(plan),
      usable_from_(plan == nullptr ? 0 : parameters.nodes),
      ready_(parameters.nodes),
      loaded_(parameters.slots, Loaded{Configuration(parameters.nodes), {}, {}, {}, 1}),
      changed_(parameters.slots, 0) {
  for (std::uint32_t slot = 0; slot < parameters.slots; ++slot) latest_.push_back(slot);
}

void SlotWindows::start(Time now) {
  if (running_) return;
  running_ = true;
  begin_until(now);
  for (std::size_t i = 0; i < upcoming_.size(); ++i) events_.push(upcoming_[i].seen, kWindow);
  events_.push(controller_.boundary(), kBoundary);
  known_until_ = upcoming_.empty() ? controller_.boundary() + timing_.control : upcoming_.front().seen;
}

/// Begins the slots before `limit`. Requires: no message is in flight. Slots that the NICs and the fabric
/// have completely seen by then are skipped, the others are begun one by one.
void SlotWindows::begin_until(Time limit) {
  while (plan_ != nullptr && !plan_->is_settled() && controller_.boundary() < limit) begin_slot(limit);
  if (controller_.boundary() < limit)
    controller_.skip_to(limit - timing_.control - timing_.to_fabric - 2 * controller_.longest_slot());
  while (controller_.boundary() < limit) begin_slot(limit);
  while (!upcoming_.empty() && upcoming_.front().seen < limit) see_next();
}

void SlotWindows::on_boundary(Time now, bool idle) {
  if (idle) {
    running_ = false;
    return;
  }
  begin_slot(now);
  events_.push(upcoming_.back().seen, kWindow);
  events_.push(controller_.boundary(), kBoundary);
}

void SlotWindows::begin_slot(Time now) {
  if (controller_.needs_efficiency())
    controller_.set_worm_efficiency(worms_.worm_efficiency(controller_.boundary()));
  const CycleController::Slot slot = controller_.begin_slot(worms_.inputs_with_worms(controller_.boundary()));
  SlotWindow window;
  window.seen = slot.begin + timing_.control;
  window.open = window.seen + parameters_.unusable_slot_time(slot.reconfigures);
  window.close = slot.end + timing_.control;
  window.slot = slot.slot;
  if (timeline_ != nullptr && slot.slot != kIdleSlot)
    timeline_->slot(slot.begin, slot.end, slot.slot, slot.slot >= parameters_.slots,
                    window.open - window.seen);
  if (slot.slot < parameters_.slots) {
    load(slot.begin, slot.slot, slot.shared);
    window.loaded = latest_[slot.slot];
    window.configuration = &loaded_[window.loaded].configuration;
    ++loaded_[window.loaded].users;
    if (plan_ != nullptr)
      window.open = window.seen;  // ready_ has the circuits that begin
    else if (slot.shared && continues_previous(window))
      window.open = window.seen + parameters_.unusable_slot_time(false);
    if (slot.shared) worms_.open_worm_window(now, slot, window.configuration);
  } else if (slot.slot != kIdleSlot) {
    if (plan_ != nullptr) plan_->note_worms_only();
    worms_.open_worm_window(now, slot, nullptr);
  }
  upcoming_.push(window);
}

/// Whether all circuits of `window`, which begins next, are in the previous window, which ends at its begin.
bool SlotWindows::continues_previous(const SlotWindow& window) const {
  const SlotWindow& before = upcoming_.empty() ? window_ : upcoming_.back();
  if (before.configuration == nullptr || before.close != window.seen) return false;
  bool all = true;
  for_each_port(window.configuration->inputs().words(), [&](Port source) {
    all = all && before.grants({source, window.configuration->destination_of(source)});
  });
  return all;
}

/// Loads B^(slot) into the fabric if it changed since it was last loaded; if shared, loads the connections
/// that data waits for.
void SlotWindows::load(Time begin, std::uint32_t slot, bool shared) {
  if (changed_[slot] == 0 && !shared) return;
  changed_[slot] = shared ? 1 : 0;
  release(latest_[slot]);
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(loaded_.size()));
    loaded_.emplace_back();
  }
  latest_[slot] = unused_.back();
  unused_.pop_back();
  Loaded& loaded = loaded_[latest_[slot]];
  loaded.users = 1;
  if (!shared) {
    loaded.configuration = schedule_.slots()[slot];
    return;
  }
  if (loaded.configuration.ports() == 0) loaded.configuration = Configuration(parameters_.nodes);
  if (plan_ != nullptr) {
    worms_.add_worms(begin, *plan_);
    loaded.fresh.clear();
    if (loaded.parked.size() == 0) loaded.parked = PortSet(parameters_.nodes);
    plan_->compose(begin, slot, schedule_.slots(), reports_.wanted(), loaded.configuration, loaded.parked,
                   loaded.fresh);
    controller_.add_grants(loaded.configuration.count() - loaded.parked.count());
    count_words(begin, loaded);
    return;
  }
  loaded.configuration.clear();
  for (std::uint32_t k = 0; k < parameters_.slots; ++k) {
    const std::uint32_t s = (slot + k) % parameters_.slots;
    for_each_port(reports_.wanted()[s].words(), [&](Port source) {
      const Connection c{source, schedule_.slots()[s].destination_of(source)};
      if (loaded.configuration.fits(c)) loaded.configuration.add(c);
    });
  }
  controller_.add_grants(loaded.configuration.count());
}

/// Subtracts the words that the circuits of `loaded`, whose slot begins now, carry from those that wait.
void SlotWindows::count_words(Time begin, Loaded& loaded) {
  if (loaded.last.size() == 0) loaded.last = PortSet(parameters_.nodes);
  loaded.last.clear();
  for (const Connection c : loaded.fresh)
    usable_from_[c.source] = begin + parameters_.unusable_slot_time(true);
  const Time end = begin + parameters_.slot_length;
  const Time word = std::max(timing_.word, timing_.generation);
  for_each_port(loaded.configuration.inputs().words(), [&](Port source) {
    if (loaded.parked.test(source)) return;
    CircuitState& c = *schedule_.of_source(source, plan_->slot_of(source));
    const Time usable = end - std::max(begin, std::min(end, usable_from_[source]));
    if (reports_.count_down(c, static_cast<std::uint64_t>(usable / word))) loaded.last.set(source);
    const std::uint64_t outside = c.words - std::min(c.words, timing_.room);
    plan_->set_outside(source, timing_.word * static_cast<std::int64_t>(outside));
  });
}

void SlotWindows::release(std::uint32_t loaded) {
  if (--loaded_[loaded].users == 0) unused_.push_back(loaded);
}

void SlotWindows::see_next() {
  if (window_.configuration != nullptr) release(window_.loaded);
  window_ = upcoming_.front();
  upcoming_.pop();
  if (plan_ != nullptr && window_.configuration != nullptr)
    for (const Connection c : loaded_[window_.loaded].fresh)
      ready_[c.source] = window_.seen + parameters_.unusable_slot_time(true);
}

bool SlotWindows::on_window(Time now) {
  if (upcoming_.empty() || upcoming_.front().seen != now) return false;  // seen already by begin_until()
  see_next();
  known_until_ = window_.close;
  return true;
}

void SlotWindows::note_schedule(std::uint32_t slot) {
  if (plan_ != nullptr) plan_->note_schedule();
  changed_[slot] = 1;
  controller_.set_connections(slot, schedule_.slots()[slot].count());
}

void SlotWindows::visit(StateVisitor& v) {
  const bool shared = controller_.needs_signals();  // slots may be shared and depend on the waiting data
  const auto visit_window = [&v, shared](SlotWindow& w) {
    if (w.configuration == nullptr)
      v.same(0);
    else if (!shared)
      v.same(w.loaded + 1);
    else
      for_each_port(w.configuration->inputs().words(), [&](Port source) {
        v.same((std::uint64_t{source} << 32 | w.configuration->destination_of(source)) + 1);
      });
    v.instant(w.seen);
    v.instant(w.open);
    v.instant(w.close);
  };
  visit_window(window_);
  v.same(upcoming_.size());
  if (v.failed()) return;
  for (std::size_t i = 0; i < upcoming_.size(); ++i) visit_window(upcoming_[i]);
  v.same(running_ ? 1 : 0);
  v.instant(known_until_);
  if (plan_ != nullptr)
    for (Time& ready : ready_) v.instant(ready);
  for (Time& usable : usable_from_) v.instant(usable);
  for (const char changed : changed_) v.same(changed != 0 ? 1 : 0);
}

}  // namespace hybrid
