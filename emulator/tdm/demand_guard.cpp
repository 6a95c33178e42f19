#include "emulator/tdm/demand_guard.h"

#include <algorithm>

namespace hybrid {

namespace {

/// Time in which the scheduler grants what has room.
Time sweep(const SwitchParameters& p) { return p.scheduler.cycle * p.slots + p.scheduler.delay(); }

/// From one attempt of the guard that acts at once to the next.
Time retry(const SwitchParameters& p) {
  return std::max({sweep(p), Time{p.slot_length.ps / 64}, Time{p.network_reconfiguration().ps / 256}});
}

}  // namespace

DemandGuard::DemandGuard(const SwitchParameters& parameters, Time least_patience, SlotSchedule& schedule,
                         CircuitTable& circuits, EventQueue& events, TechniqueStatistics& statistics)
    : schedule_(schedule),
      circuits_(circuits),
      events_(events),
      statistics_(statistics),
      report_(Timing(parameters).control),
      patience_(std::max(2 * std::max(parameters.slot_length * (parameters.slots + 1), sweep(parameters)),
                         least_patience)),
      retry_(parameters.evicts_at_once ? retry(parameters) : patience_),
      attempts_of_patience_(static_cast<std::uint32_t>(std::max<std::int64_t>(1, patience_ / retry_))),
      evicts_at_once_(parameters.evicts_at_once),
      watches_(parameters.demand_guard) {}

/// Whether the switch knows that no data waits for `c`.
bool DemandGuard::seen_idle(const CircuitState& c, Time now) const {
  const Time known = now - report_;
  return c.waits(now) ? c.busy_since > known && c.gone_before <= known : c.gone <= known;
}

/// The instant from which no data has waited, if seen_idle().
Time DemandGuard::seen_idle_since(const CircuitState& c, Time now) const {
  return c.waits(now) ? c.gone_before : c.gone;
}

void DemandGuard::on_patience(Time now, CircuitState& c) {
  if (c.patience_ends != now) return;
  constexpr std::uint32_t kAttemptsBeforeBusy = 4;
  // Circuits in use are released at most once per `patience`, so that those that replace them can be used.
  ++c.attempts;
  make_room(
      now, c.connection,
      c.attempts >= kAttemptsBeforeBusy * attempts_of_patience_ && c.attempts % attempts_of_patience_ == 0);
  schedule_attempt(now, c);
}

/// Tries to make room for `c` again later, if it is not established then.
void DemandGuard::schedule_attempt(Time now, CircuitState& c) {
  c.patience_ends = now + retry_;
  events_.push_sorted(c.patience_ends, kPatience, c.connection.source, c.connection.destination);
}

/// Whether some dynamic slot has room for `wanted`.
bool DemandGuard::has_room(Time now, Connection wanted) {
  for (std::uint32_t slot = 0; slot < schedule_.slots().size(); ++slot) {
    if (!schedule_.is_dynamic(slot)) continue;
    bool room = true;
    schedule_.for_each_blocking(now, slot, wanted, [&](const CircuitState&) { return room = false; });
    if (room) return true;
  }
  return false;
}

void DemandGuard::make_room(Time now, Connection wanted, bool busy_too) {
  std::uint32_t best = kIdleSlot;
  Time best_key = Time::never();
  bool dynamic = false;
  for (std::uint32_t slot = 0; slot < schedule_.slots().size(); ++slot) {
    if (!schedule_.is_dynamic(slot)) continue;
    dynamic = true;
    bool better = true;
    Time key{-1};
    schedule_.for_each_blocking(now, slot, wanted, [&](const CircuitState& c) {
      key = std::max({key, c.established_since, busy_too ? Time{} : seen_idle_since(c, now)});
      return better = key < best_key && (busy_too || seen_idle(c, now));
    });
    if (!better || key >= best_key) continue;
    best = slot;
    best_key = key;
  }
  if (!dynamic) {
    release_idle_slot(now);
  } else if (best != kIdleSlot) {
    schedule_.for_each_blocking(now, best, wanted, [&](const CircuitState& c) {
      ++statistics_.releases;
      schedule_.release(now, c.connection);
      return true;
    });
  }
  schedule_.watch(now);
}

/// Returns the slot idle for longest to the scheduler. Requires: every slot is preloaded.
void DemandGuard::release_idle_slot(Time now) {
  std::uint32_t idle = kIdleSlot;
  Time idle_since = now - patience_;
  for (std::uint32_t slot = 0; slot < schedule_.slots().size(); ++slot) {
    const Configuration& held = schedule_.preloaded(slot);
    Time since = schedule_.preloaded_since(slot);
    for (Port source = 0; source < schedule_.ports() && since <= idle_since; ++source) {
      const Port destination = held.destination_of(source);
      const CircuitState* const c = destination == kNoPort ? nullptr : circuits_.find({source, destination});
      if (c == nullptr || !c->established) continue;  // connections without a path are not in use
      since = seen_idle(*c, now) ? std::max({since, seen_idle_since(*c, now), c->established_since}) : now;
    }
    if (since > idle_since) continue;
    idle = slot;
    idle_since = since;
  }
  if (idle != kIdleSlot) schedule_.make_dynamic(now, idle);
}

}  // namespace hybrid
