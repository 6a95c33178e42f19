// Reports of the NICs to the switch about their queues (R_valid of D 4.5, by slot): control words, for
// allocations that need them (Allocation::needs_signals()).
//
// A NIC reports that data that can leave waits for a connection, that a message came to the head of the queue
// (for a CircuitPlan only), and that no data waits. The reports of one instant are handled by ascending
// connection; of one connection, new data comes first: then data waits without interruption.
//
// With a CircuitPlan the switch also counts the words that wait for each circuit: those of the messages that
// it knows to be offered (ControlWord::What::offer), less those that the slots of the circuit have room for.
// At 0 no data waits, one round trip before a report could say so. If the NIC could not send all words in the
// slots (its link was busy, or the data late), it reports those that are left at the end of the last one.
//
//   reports.send(at, {c, QueueReport::What::waits, due});     // NIC
//   const QueueReport report = reports.receive(event.a);      // switch, at the event kSignal
//   reports.apply(report, circuits.at(report.connection));
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/pool.h"
#include "core/port_set.h"
#include "emulator/network/event_queue.h"
#include "emulator/network/timeline.h"
#include "emulator/tdm/circuit_plan.h"
#include "emulator/tdm/circuit_table.h"
#include "emulator/tdm/cycle_controller.h"

namespace hybrid {

struct QueueReport {
  enum class What : std::uint8_t {
    waits,         // data that can leave waits
    next_message,  // the next message is at the head
    still_waits,   // words were left in the last slot that the switch had counted for them
    is_empty
  };
  Connection connection;
  What what;
  Time due{};               // of the message at the head
  std::uint64_t words = 0;  // left, if still_waits
};

class QueueReports {
 public:
  /// `plan`: nullptr if the allocation keeps no circuits.
  QueueReports(const SwitchParameters& parameters, const Timing& timing, EventQueue& events,
               CycleController& controller, CircuitPlan* plan);
  void observe(PortTimeline& timeline) { timeline_ = &timeline; }

  /// Sends a report at `at`, which is effective at the switch one NIC and one wire delay later, with an event
  /// kSignal; nothing if the allocation needs no reports.
  void send(Time at, const QueueReport& report);
  /// Reports the message that is at the head of `queue` from `at` on, if there is one, to a plan.
  void send_next_message(CircuitQueue& queue, Time at);

  /// The report of the event kSignal with this number. Each can be received once.
  QueueReport receive(std::uint32_t index) {
    const QueueReport report = on_wire_[index];
    on_wire_.release(index);
    return report;
  }
  /// The switch knows `report`, of the connection of `c`.
  void apply(const QueueReport& report, CircuitState& c);
  /// The switch knows that a message with these words was offered for `c`. Requires: with a plan.
  void add_words(CircuitState& c, std::uint64_t words);
  /// A slot that begins now carries up to `words` words of `c`. Returns whether the switch knows of no more.
  bool count_down(CircuitState& c, std::uint64_t words);
  /// `c` was established or released. Requires: c.slot holds, or held, `c`.
  void note_schedule(const CircuitState& c) {
    if (controller_.needs_signals()) update(c);
  }

  /// By slot: the sources of its connections that data waits for.
  std::span<const PortSet> wanted() const { return wanted_; }

 private:
  void update(const CircuitState& c);

  const Timing& timing_;
  EventQueue& events_;
  CycleController& controller_;
  CircuitPlan* plan_;
  PortTimeline* timeline_ = nullptr;
  Pool<QueueReport> on_wire_;
  std::vector<PortSet> wanted_;                    // by slot
  std::vector<std::uint32_t> wanted_connections_;  // by slot: number of them
};

}  // namespace hybrid
