// The demand guard of predictive circuit switching: a connection that data waits for does not starve
// (emulator/tdm/predictive_circuits.h has the rule).
#include <algorithm>

#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

/// Whether the switch has been told that no data waits for `c`.
bool PredictiveCircuits::idle_seen(const Circuit& c, Time now) const {
  const Time told = now - timing_.control;
  return waits(c, now) ? c.busy_since > told && c.gone_before <= told : c.gone <= told;
}

void PredictiveCircuits::on_patience(Time now, Circuit& c) {
  if (c.patience_ends != now) return;
  constexpr std::uint32_t kAttemptsBeforeBusy = 4;
  make_room(now, c.connection, ++c.attempts >= kAttemptsBeforeBusy);
  c.patience_ends = now + patience_;
  events_.push_sorted(c.patience_ends, kPatience, c.connection.source, c.connection.destination);
}

void PredictiveCircuits::make_room(Time now, Connection wanted, bool busy_too) {
  std::uint32_t best = kIdleSlot;
  Time best_key = Time::never();
  bool dynamic = false;
  const auto blockers = [&](std::uint32_t slot, auto&& visit) {
    const Port output = schedule_[slot].destination_of(wanted.source);
    const Port input = schedule_[slot].source_of(wanted.destination);
    in_the_way_.clear();
    if (output != kNoPort) in_the_way_.push_back({wanted.source, output});
    if (input != kNoPort) in_the_way_.push_back({input, wanted.destination});
    port_->in_the_way(now, slot, wanted, in_the_way_);
    for (const Connection c : in_the_way_) visit(circuit(c));
  };
  for (std::uint32_t slot = 0; slot < parameters_.slots; ++slot) {
    if (!preloaded_[slot].empty()) continue;
    dynamic = true;
    bool possible = true;
    Time key{-1};
    blockers(slot, [&](const Circuit& c) {
      possible = possible && (busy_too || idle_seen(c, now));
      key = std::max({key, c.established_since, busy_too ? Time{} : c.gone});
    });
    if (!possible || key >= best_key) continue;
    best = slot;
    best_key = key;
  }
  if (!dynamic) {
    const std::uint32_t last = parameters_.slots - 1;
    preloaded_[last].clear();
    port_->preload(now, last, Configuration(parameters_.nodes));
  } else if (best != kIdleSlot) {
    blockers(best, [&](const Circuit& c) {
      ++statistics_.releases;
      port_->release(now, c.connection);
    });
  }
  watch_port(now);
}

}  // namespace hybrid
