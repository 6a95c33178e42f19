// Slots of predictive circuit switching as windows: the controller begins them at the switch, the fabric
// loads their configuration, and the NICs see them one wire delay later.
//
// The NICs see a slot that the controller begins at t, with the configuration B^(s) as of t, one wire delay
// later: in [t + wire, t + wire + length) a NIC holds the grant G for its connection in B^(s), also if B^(s)
// changes meanwhile. Words may start on the link from `guard` (and `reconfiguration`, if the fabric did not
// have this configuration already) after the begin, and must be completely on it by the end. With a
// CircuitPlan the circuits become usable one by one (opens()).
//
// The slots are followed by events (kBoundary, kWindow) from start() on, while messages are in flight.
// Otherwise they are begun when needed: call catch_up() before anything that changes what the controller
// depends on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/network/ring.h"
#include "emulator/network/timeline.h"
#include "emulator/tdm/queue_reports.h"
#include "emulator/tdm/slot_schedule.h"
#include "emulator/tdm/worm_traffic.h"

namespace hybrid {

/// A slot as seen by the NICs.
struct SlotWindow {
  const Configuration* configuration = nullptr;  // nullptr: no circuits
  Time seen{};                                   // visible from here until the next window
  Time open{}, close{};                          // words start and end in here
  std::uint32_t loaded = 0;                      // number of the configuration as loaded
  std::uint32_t slot = 0;

  bool grants(Connection c) const {
    return configuration != nullptr && configuration->destination_of(c.source) == c.destination;
  }
};

class SlotWindows {
 public:
  /// `plan`: nullptr if the allocation keeps no circuits.
  SlotWindows(const SwitchParameters& parameters, const Timing& timing, EventQueue& events,
              const SlotSchedule& schedule, QueueReports& reports, WormTraffic& worms,
              CycleController& controller, CircuitPlan* plan);
  void observe(PortTimeline& timeline) { timeline_ = &timeline; }

  /// The slot that the NICs see.
  const SlotWindow& current() const { return window_; }
  /// From here on words of `source` may start in current().
  Time opens(Port source) const { return std::max(window_.open, ready_[source]); }
  /// Whether no data waited at the switch for the circuit of `source` in current(). Requires: with a plan.
  bool is_parked(Port source) const { return loaded_[window_.loaded].parked.test(source); }
  /// Sources for the data of which the switch reserved no slot after current(): its count of their words ran
  /// out. Requires: with a plan, and current() has circuits.
  const PortSet& last_by_count() const { return loaded_[window_.loaded].last; }
  /// The windows are known until here.
  Time known_until() const { return known_until_; }

  /// Follows the slots from now on.
  void start(Time now);
  /// Begins the slots before `now`, if they are not followed.
  void catch_up(Time now) {
    if (!running_) begin_until(now);
  }
  /// At an event kBoundary. `idle`: no message is in flight and no worm waits, so that the slots need not be
  /// followed.
  void on_boundary(Time now, bool idle);
  /// At an event kWindow. Returns whether the NICs see another window.
  bool on_window(Time now);
  /// `slot` of the schedule changed.
  void note_schedule(std::uint32_t slot);

  void visit(StateVisitor& v);

 private:
  /// A configuration as loaded into the fabric, kept while a window uses it.
  struct Loaded {
    Configuration configuration;
    // With a plan only:
    std::vector<Connection> fresh;  // circuits that the fabric did not have before
    PortSet parked;                 // sources of circuits that no data waited for
    PortSet last;                   // see last_by_count()
    std::uint32_t users = 0;
  };

  void begin_until(Time limit);
  void begin_slot(Time now);
  void load(Time begin, std::uint32_t slot, bool shared);
  void count_words(Time begin, Loaded& loaded);
  void release(std::uint32_t loaded);
  bool continues_previous(const SlotWindow& window) const;
  void see_next();

  const SwitchParameters& parameters_;
  const Timing& timing_;
  EventQueue& events_;
  const SlotSchedule& schedule_;
  QueueReports& reports_;
  WormTraffic& worms_;
  CycleController& controller_;
  CircuitPlan* plan_;
  PortTimeline* timeline_ = nullptr;

  bool running_ = false;
  Time known_until_{};
  SlotWindow window_;
  std::vector<Time> usable_from_;  // by source, with a plan: as ready_, but at the switch, as it counts words
  std::vector<Time> ready_;        // by source: its last circuit in the fabric can carry words from here on
  Ring<SlotWindow> upcoming_;      // begun at the switch, not yet seen by the NICs
  std::deque<Loaded> loaded_;
  std::vector<std::uint32_t> unused_;  // of loaded_
  std::vector<std::uint32_t> latest_;  // by slot: its last one in loaded_
  std::vector<char> changed_;          // by slot: the schedule differs from that one
};

}  // namespace hybrid
