// Demand guard of predictive circuit switching: a connection that data waits for does not starve
// (emulator/tdm/predictive_circuits.h has the rule).
#include <algorithm>

#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

/// Whether the switch knows that no data waits for `c`.
bool PredictiveCircuits::seen_idle(const Circuit& c, Time now) const {
  const Time known = now - timing_.control;
  return waits(c, now) ? c.busy_since > known && c.gone_before <= known : c.gone <= known;
}

/// The instant from which no data has waited, if seen_idle().
Time PredictiveCircuits::seen_idle_since(const Circuit& c, Time now) const {
  return waits(c, now) ? c.gone_before : c.gone;
}

void PredictiveCircuits::on_patience(Time now, Circuit& c) {
  if (c.patience_ends != now) return;
  constexpr std::uint32_t kAttemptsBeforeBusy = 4;
  // Circuits in use are released at most once per `patience`, so that those that replace them can be used.
  const std::int64_t attempts_of_patience =
      evicts_at_once_ ? std::max<std::int64_t>(1, patience_ / sweep_) : 1;
  const std::int64_t attempts = ++c.attempts;
  make_room(now, c.connection,
            attempts >= kAttemptsBeforeBusy * attempts_of_patience && attempts % attempts_of_patience == 0);
  watch_demand(now, c);
}

/// Tries to make room for `c` again later, if it is not established then.
void PredictiveCircuits::watch_demand(Time now, Circuit& c) {
  c.patience_ends = now + (evicts_at_once_ ? sweep_ : patience_);
  events_.push_sorted(c.patience_ends, kPatience, c.connection.source, c.connection.destination);
}

/// Whether some dynamic slot has room for `wanted`.
bool PredictiveCircuits::has_room(Time now, Connection wanted) {
  for (std::uint32_t slot = 0; slot < parameters_.slots; ++slot) {
    if (!preloaded_[slot].empty() || held_.of_source(wanted.source, slot) != nullptr ||
        held_.of_destination(wanted.destination, slot) != nullptr)
      continue;
    blocking_.clear();
    port_->find_blocking(now, slot, wanted, blocking_);
    if (blocking_.empty()) return true;
  }
  return false;
}

void PredictiveCircuits::make_room(Time now, Connection wanted, bool busy_too) {
  std::uint32_t best = kIdleSlot;
  Time best_key = Time::never();
  bool dynamic = false;
  // Calls `visit` for the connections that block `wanted` in `slot`, until it returns false.
  const auto blockers = [&](std::uint32_t slot, auto&& visit) {
    if (const Circuit* c = held_.of_source(wanted.source, slot); c != nullptr && !visit(*c)) return;
    if (const Circuit* c = held_.of_destination(wanted.destination, slot); c != nullptr && !visit(*c)) return;
    blocking_.clear();
    port_->find_blocking(now, slot, wanted, blocking_);
    for (const Connection c : blocking_)
      if (!visit(circuit(c))) return;
  };
  for (std::uint32_t slot = 0; slot < parameters_.slots; ++slot) {
    if (!preloaded_[slot].empty()) continue;
    dynamic = true;
    bool better = true;
    Time key{-1};
    blockers(slot, [&](const Circuit& c) {
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
    blockers(best, [&](const Circuit& c) {
      ++statistics_.releases;
      port_->release(now, c.connection);
      return true;
    });
  }
  watch_port(now);
}

/// Returns the slot idle for longest to the scheduler. Requires: every slot is preloaded.
void PredictiveCircuits::release_idle_slot(Time now) {
  std::uint32_t idle = kIdleSlot;
  Time idle_since = now - patience_;
  for (std::uint32_t slot = 0; slot < parameters_.slots; ++slot) {
    const Configuration& held = preloaded_[slot];
    Time since = preloaded_since_[slot];
    for (Port source = 0; source < parameters_.nodes && since <= idle_since; ++source) {
      const Port destination = held.destination_of(source);
      const Circuit* const c = destination == kNoPort ? nullptr : find_circuit({source, destination});
      if (c == nullptr || !c->established) continue;  // connections without a path are not in use
      since = seen_idle(*c, now) ? std::max({since, seen_idle_since(*c, now), c->established_since}) : now;
    }
    if (since > idle_since) continue;
    idle = slot;
    idle_since = since;
  }
  if (idle == kIdleSlot) return;
  preloaded_[idle].clear();
  port_->preload(now, idle, Configuration(parameters_.nodes));
}

}  // namespace hybrid
