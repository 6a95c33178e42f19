// Ticked switch: demand guard.
#include <algorithm>

#include "emulator/ticked/ticked_switch.h"

namespace hybrid {

std::int64_t TickedSwitch::sweep() const {
  return p_.scheduler.cycle.ps * p_.slots + p_.scheduler.delay().ps;
}

std::int64_t TickedSwitch::patience() const {
  const std::int64_t cycles = 2 * std::max(p_.slot_length.ps * (p_.slots + 1), sweep());
  return plan_ ? std::max(cycles, plan_->protection().ps) : cycles;
}

bool TickedSwitch::seen_idle(const Circuit& c) const {
  const std::int64_t known = t_ - control_wire_;
  return c.waits(t_) ? c.busy_since > known && c.gone_before <= known : c.gone <= known;
}

std::int64_t TickedSwitch::seen_idle_since(const Circuit& c) const {
  return c.waits(t_) ? c.gone_before : c.gone;
}

void TickedSwitch::run_demand_guard() {
  std::vector<Connection> due;
  for (auto& [key, c] : circuits_)
    if (c.patience == t_) due.push_back({key.first, key.second});
  const std::int64_t attempts_of_patience = std::max<std::int64_t>(1, patience() / retry());
  for (const Connection wanted : due) {
    Circuit& c = circuit(wanted.source, wanted.destination);
    c.patience = t_ + retry();
    ++c.attempts;
    make_room(wanted, c.attempts >= 4 * attempts_of_patience && c.attempts % attempts_of_patience == 0);
  }
}

/// The connections that must be released before `slot` can hold `wanted`.
std::vector<Connection> TickedSwitch::blockers(std::uint32_t slot, Connection wanted) {
  std::vector<Connection> found;
  const auto [i, j] = wanted;
  if (schedule_[slot].destination_of(i) != kNoPort) found.push_back({i, schedule_[slot].destination_of(i)});
  if (schedule_[slot].source_of(j) != kNoPort) found.push_back({schedule_[slot].source_of(j), j});
  scheduler_->find_blocking(Time{t_}, slot, wanted, found);
  return found;
}

bool TickedSwitch::has_room(Connection wanted) {
  for (std::uint32_t s = 0; s < p_.slots; ++s)
    if (preloaded_[s].empty() && blockers(s, wanted).empty()) return true;
  return false;
}

void TickedSwitch::make_room(Connection wanted, bool busy_too) {
  bool dynamic = false;
  int best = -1;
  std::int64_t best_key = 0;
  for (std::uint32_t s = 0; s < p_.slots; ++s) {
    if (!preloaded_[s].empty()) continue;
    dynamic = true;
    std::int64_t key = -1;
    bool possible = true;
    for (const Connection b : blockers(s, wanted)) {
      const Circuit& blocker = circuit(b.source, b.destination);
      possible = possible && (busy_too || seen_idle(blocker));
      key = std::max({key, blocker.established_since, busy_too ? 0 : seen_idle_since(blocker)});
    }
    if (possible && (best < 0 || key < best_key)) {
      best = static_cast<int>(s);
      best_key = key;
    }
  }
  if (!dynamic) return release_idle_slot();
  if (best < 0) return;
  for (const Connection b : blockers(static_cast<std::uint32_t>(best), wanted))
    scheduler_->release(Time{t_}, b);
}

/// Returns the preloaded slot that has been idle for longest to the scheduler; of several, the last one.
void TickedSwitch::release_idle_slot() {
  std::map<std::int64_t, std::uint32_t> idle;  // since when
  for (std::uint32_t s = 0; s < p_.slots; ++s) {
    std::int64_t since = preloaded_since_[s];
    bool all = true;
    for (const Connection c : preloaded_[s].connections()) {
      const Circuit& held = circuit(c.source, c.destination);
      if (!held.established) continue;
      all = all && seen_idle(held);
      since = std::max({since, seen_idle_since(held), held.established_since});
    }
    if (all && since + patience() <= t_) idle[since] = s;
  }
  if (idle.empty()) return;
  const std::uint32_t slot = idle.begin()->second;
  preloaded_[slot].clear();
  scheduler_->preload(Time{t_}, slot, Configuration(p_.nodes));
}

}  // namespace hybrid
