// Base class of `tdm` and `hybrid`: predictive circuit switching (D 3.3.2, 3.3.3, 5.2, 5.3). It sends the
// words of the NICs' virtual queues VQ_PCKT (one per destination) over circuits, and connects the parts, each
// of which has one job:
//
//   NICs    NicRequests     requests and releases by the predictors, the predicted circuit switching tables
//   wire    ControlWire     control words to the switch;  QueueReports  reports about the queues
//   switch  SlotSchedule    the scheduler port and what its grants establish
//           DemandGuard     a connection that data waits for does not starve
//           SlotWindows     the TDM cycle: what the fabric holds, and what the NICs see of it
//           CircuitPlan     which circuits a slot keeps, if the allocation keeps circuits
//   both    CircuitTable    the state of the connections
//
// Timing
// - Control words (request, release, preload, flush) are at the switch one NIC delay and one wire delay after
//   the decision. The NIC's table shows what the port establishes or releases one wire delay later.
// - Words of a granted connection (emulator/tdm/slot_windows.h) start one per word time, at the earliest one
//   NIC delay after they entered VQ_PCKT. Each arrives after serialiser, cable, analog fabric, cable,
//   deserialiser and is delivered one NIC delay later.
// - The NIC sees a message when it is offered: it consults the predictor, and requests the connection if the
//   table does not show it (and the technique requests on demand).
//
// A message is a hit if the table showed its connection when its first word was offered to the NIC.
//
// With an allocation that keeps circuits (Allocation::keeps_circuits) a CircuitPlan composes each slot from
// the connections of all slots. The NIC reports to it for which destination it expects to need a circuit next
// (emulator/tdm/expected_destination.h). It reports, W and one NIC delay before they are effective at the
// switch, that data waits that can leave (a message whose predecessor will leave in this window counts as the
// first one), that a message came to the head of the queue, in advance that all data has left, and how many
// words were left in a slot that the switch took for the last one (emulator/tdm/queue_reports.h). The
// patience of the guard is then at least the plan's protection().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/network/engine.h"
#include "emulator/tdm/circuit_plan.h"
#include "emulator/tdm/circuit_table.h"
#include "emulator/tdm/control_wire.h"
#include "emulator/tdm/cycle_controller.h"
#include "emulator/tdm/demand_guard.h"
#include "emulator/tdm/nic_requests.h"
#include "emulator/tdm/queue_reports.h"
#include "emulator/tdm/slot_schedule.h"
#include "emulator/tdm/slot_windows.h"
#include "emulator/tdm/worm_traffic.h"
#include "predictor/predictor.h"

namespace hybrid {

class PredictiveCircuits : public Engine, protected WormTraffic {
 public:
  /// `wormhole_slot`: the cycle has an S_W.
  PredictiveCircuits(const SwitchParameters& parameters, bool wormhole_slot);

  void preload(Time at, std::uint32_t slot, const Configuration& configuration) override;
  void load_hinted(Time at, std::uint32_t slot, const Configuration& configuration) override;
  void flush(Time at, Port source) override;
  void begin_phase(Time at, Port source, std::uint32_t phase) override;
  void observe(PortTimeline& timeline) override;
  TechniqueStatistics statistics() const override;

 protected:
  WordQueue& select_queue(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) override;
  void prefetch_state(Connection c) override {
    const CircuitState* circuit = circuits_.find(c);
    if (circuit != nullptr) prefetch_all(*circuit);
  }
  void forward_words(Time now, std::uint32_t pe, WordQueue& queue) override;
  void handle_event(Time now, const SwitchEvent& event) override;
  bool is_steady(std::uint32_t kind) const override { return kind == kBoundary || kind == kWindow; }
  void visit(StateVisitor& v) override;

  // Functions of techniques; WormTraffic has more.
  /// Whether a message without an established connection requests it.
  virtual bool requests_on_demand() const { return true; }
  /// Earliest instant at which the words of a message that enters the circuit's queue may leave.
  virtual Time gate_time(Time /*now*/, Connection /*c*/) { return Time{}; }
  /// Sends data that waits for `c`, for which the NIC holds the grant now.
  virtual void use_grant(Time now, CircuitState& c) { send_words(now, c); }
  /// The last word of a message leaves the NIC over its circuit at `at`.
  virtual void circuit_message_leaves(Port /*source*/, std::uint32_t /*transfer*/, Time /*at*/) {}
  /// The NICs see another window, and use_grant() was called for its circuits with waiting data.
  virtual void on_window_seen(Time /*now*/) {}

  /// A message for `c` was offered, which an unloaded network would deliver by `due`.
  void enter_circuit(Time now, CircuitState& c, Time due);
  void send_words(Time now, CircuitState& c);
  /// The last words have left the queue of `c`, or will leave it in the current window.
  void finish_queue(Time now, CircuitState& c);
  /// Reports an offered message with these words to the switch, if the allocation needs it. The destination
  /// of `connection` is kNoPort if the message travels as worms.
  void report_offer(Time now, Traffic words, Connection connection);
  bool keeps_circuits() const { return plan_.has_value(); }
  /// Whether the next configuration depends on when worms came (CircuitPlan).
  bool has_waiting_circuits() const { return plan_ && plan_->has_waiting(); }
  bool needs_efficiency() const { return controller_.needs_efficiency(); }
  /// The slot that the NICs see.
  const SlotWindow& window() const { return windows_.current(); }
  /// Number of connections of `source` with data that waits for a circuit or leaves over it.
  std::uint32_t connections_with_data(Port source, Time now) const {
    return queues_with_data_[source] + (now < last_leaves_until_[source] ? 1 : 0);
  }

 private:  // in the order of construction: each refers to those before it
  std::vector<std::unique_ptr<Predictor>> predictors_;  // by source
  CycleController controller_;
  std::optional<CircuitPlan> plan_;  // if the allocation keeps circuits

 protected:
  CircuitTable circuits_;

 private:
  ControlWire wire_;

 protected:
  NicRequests requests_;
  QueueReports reports_;
  SlotSchedule schedule_;

 private:
  DemandGuard guard_;

 protected:
  SlotWindows windows_;
  bool foreground_ = true;       // the NICs use circuits if possible
  std::vector<Time> link_free_;  // by source

 private:
  void on_control(Time now);
  void request_with_room(Time now, Connection c);
  void on_port(Time now);
  void on_window(Time now);
  void report_words_left(Time now);

  PortSet has_data_;                             // sources with an unfinished circuit queue
  std::vector<std::uint32_t> queues_with_data_;  // by source
  std::vector<Time> last_leaves_until_;          // by source: `gone` of the circuit that finished last
  std::uint64_t slots_used_ = 0;
};

}  // namespace hybrid
