// Demand guard of predictive circuit switching: a connection that data waits for must not starve behind
// unused connections, which the dissertation's predictors may keep for ever.
//
// Rule. If the switch holds a request for waiting data for `patience` (two TDM cycles with S_W, or two sweeps
// of the scheduler if that is longer), the guard releases the connections that block it in one slot. Of the
// slots that are not preloaded it selects the one in which the connections at the two ports (and, in a fat
// tree, on the links of one path: core/scheduler_port.h, find_blocking()) are idle (their NICs reported no
// data, one wire delay ago) for longest: least recently used or established. If all of them are busy, it
// tries again every `patience`, and from the fourth time on selects the slot with connections that are
// established for longest; they are requested again if data waits for them. Requests due at one instant are
// handled by ascending connection. Only if every slot is preloaded, and one of them has been idle at all
// ports for `patience` since its preload and its last use, it is returned to the scheduler; of several, the
// one idle for longest, of these the last.
//
// Without the guard (--demand-guard off) such a request waits until the predictors release a circuit, which
// is what D 4.2.2 and 5.2 describe; it may wait for ever.
//
// With `evicts_at_once` the guard acts at once on a request for waiting data, or for hinted connections, that
// finds no slot with both ports free, for idle connections only. For waiting data it acts again after the
// longest of a sweep of the scheduler, 1/64 of a slot and 1/256 of the reconfiguration; the last one delays a
// new circuit by at most 0.4 % of what it takes. On a slow fabric a slot is as long as millions of sweeps. A
// request of a predictor waits for a free slot: the connections that it would replace are predicted, too, and
// their NICs would request them again.
#pragma once

#include <cstdint>

#include "emulator/tdm/slot_schedule.h"

namespace hybrid {

class DemandGuard {
 public:
  /// `least_patience`: lower bound of `patience`.
  DemandGuard(const SwitchParameters& parameters, Time least_patience, SlotSchedule& schedule,
              CircuitTable& circuits, EventQueue& events, TechniqueStatistics& statistics);

  /// A request for `c`, which data waits for or hints contain, arrives at the switch, before the schedule has
  /// it. Requires: not established.
  void on_request(Time now, Connection c) {
    if (evicts_at_once_ && !has_room(now, c)) make_room(now, c, false);
  }
  /// It is for waiting data: an event kPatience will come, unless `c` is established before.
  void watch(Time now, CircuitState& c) {
    if (!watches_ || c.patience_ends != Time::never()) return;
    c.attempts = 0;
    schedule_attempt(now, c);
  }
  void on_patience(Time now, CircuitState& c);

 private:
  bool has_room(Time now, Connection wanted);
  void make_room(Time now, Connection wanted, bool busy_too);
  void schedule_attempt(Time now, CircuitState& c);
  void release_idle_slot(Time now);
  bool seen_idle(const CircuitState& c, Time now) const;
  Time seen_idle_since(const CircuitState& c, Time now) const;

  SlotSchedule& schedule_;
  CircuitTable& circuits_;
  EventQueue& events_;
  TechniqueStatistics& statistics_;
  Time report_;  // delay of the NICs' reports
  Time patience_;
  Time retry_;  // from one attempt to the next
  std::uint32_t attempts_of_patience_;
  bool evicts_at_once_;
  bool watches_;
};

}  // namespace hybrid
