// Base class of `tdm` and `hybrid`: predictive circuit switching (D 3.3.2, 3.3.3, 5.2, 5.3). It contains the
// NICs' virtual queues VQ_PCKT (one per destination), their predicted circuit switching tables and
// predictors, the scheduler port behind the wire, the TDM cycle and its slots.
//
// Timing
// - Control words (request, release, preload, flush) leave a NIC one NIC delay after the decision and are at
//   the scheduler port one wire delay later; they take no bandwidth from data. The NIC's table shows a
//   connection that the port establishes or releases one wire delay later.
// - The NICs see a slot that the controller begins at t, with the configuration B^(s) as of t, one wire delay
//   later: in [t + wire, t + wire + length) a NIC holds the grant G for its connection in B^(s), also if
//   B^(s) changes meanwhile. Words may start on the link from `guard` (and `reconfiguration`, if the fabric
//   did not have this configuration already) after the begin, and must be completely on it by the end.
// - Words of a granted connection start one per word time, at the earliest one NIC delay after they entered
//   VQ_PCKT. Each arrives after serialiser, cable, analog fabric, cable, deserialiser and is delivered one
//   NIC delay later.
// - The NIC sees a message when it is offered: it consults the predictor, and requests the connection if the
//   table does not show it (and the technique requests on demand).
// - A predictor's release waits until no data waits for the connection; then the predictor is consulted
// again,
//   with the instant of the last use (Predictor::take_back). Worms need no circuit: while some of the
//   connection are under way in the hybrid switch, only a predictor that depends on use (would_take_back)
//   waits for their end. A connection that is lost while data waits for it (flush, preload, demand guard) is
//   requested again: the data stays in its queue and is sent in order.
// A message is a hit if the table showed its connection when its first word was offered to the NIC.
//
// Demand guard: a connection that data waits for must not starve behind unused connections, which the
// dissertation's predictors may keep for ever. If the switch holds such a request for `patience` (two TDM
// cycles with S_W, or two sweeps of the scheduler if that is longer), it releases the connections that block
// it in one slot. Of the slots that are not preloaded it selects the one in which the connections at the two
// ports (and, in a fat tree, on the links of one path: core/scheduler_port.h, find_blocking()) are idle
// (their NICs reported no data, one wire delay ago) for longest: least recently used or established. If all
// of them are busy, it tries again every `patience`, and from the fourth time on selects the slot with
// connections that are established for longest; they are requested again if data waits for them. Requests due
// at one instant are handled by ascending connection. Preloaded connections are "not effected by" requests
// (D 3.3.3). Only if every slot is preloaded, and one of them has been idle at all ports for `patience` since
// its preload and its last use, it is returned to the scheduler; of several, the one idle for longest, of
// these the last.
//
// With `evicts_at_once` the guard also acts on every request that finds no slot with both ports free: at
// once, for idle connections only, and for waiting data again after each sweep of the scheduler.
//
// With an allocation that keeps circuits (Allocation::keeps_circuits) a CircuitPlan composes each slot from
// the connections of all slots, and the circuits become usable one by one (window_opens()). The NIC reports
// to it which destination it expects to use next (that which the predictor expects, else the last one), while
// enough of its expectations are right. It reports, W and one NIC delay before they are effective at the
// switch, that data waits that can leave (a message whose predecessor will leave in this window counts as the
// first one), that a message came to the head of the queue, and in advance that all data has left. Reports of
// one instant are handled by ascending connection. `patience` is then at least the plan's protection().
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/scheduler_port.h"
#include "emulator/network/connection_table.h"
#include "emulator/network/engine.h"
#include "emulator/tdm/circuit_plan.h"
#include "emulator/tdm/circuits_held.h"
#include "emulator/tdm/cycle_controller.h"
#include "emulator/tdm/expected_destination.h"
#include "predictor/predictor.h"

namespace hybrid {

class PredictiveCircuits : public Engine {
 public:
  /// `wormhole_slot`: the cycle has an S_W.
  PredictiveCircuits(const SwitchParameters& parameters, bool wormhole_slot);

  void preload(Time at, std::uint32_t slot, const Configuration& configuration) override;
  void load_hinted(Time at, std::uint32_t slot, const Configuration& configuration) override;
  void flush(Time at, Port source) override;
  void begin_phase(Time at, Port source, std::uint32_t phase) override;
  TechniqueStatistics statistics() const override;

 protected:
  /// Event kinds (see EventKinds), in the order of an instant: NIC, control words at the switch (16 to 31 are
  /// for arrivals of a technique), demand guard, scheduler port, slots. 64 and larger are for techniques.
  enum Kinds : std::uint32_t {
    kNotice = kFirstOwnKind,
    kDeadline,
    kDrained,
    kControl = 32,
    kSignal,
    kPatience,
    kPort,
    kBoundary,
    kWindow
  };

  /// Flag in the destination of a notice: released.
  static constexpr std::uint32_t kMark = std::uint32_t{1} << 31;
  /// Destination of a notice about foreground or background, to all NICs.
  static constexpr std::uint32_t kEveryone = ~std::uint32_t{0};

  struct Circuit;
  /// Queue of a connection in the NIC. Only connections with waiting data have one; when all its places are
  /// free again, it is reused for another connection.
  struct alignas(64) CircuitQueue : WordQueue {
    explicit CircuitQueue(const Timing& timing) : WordQueue(timing) {}
    bool rests = false;          // in resting_
    Time due{};                  // an unloaded network would deliver the message at the head by then
    Circuit* circuit = nullptr;  // the circuit that uses it or used it last
  };

  /// State of a connection in the NIC and in the switch: two cache lines, because in a large switch nearly
  /// every access is a miss. The demand guard reads only the first line.
  struct alignas(64) Circuit {
    Circuit(const Timing& timing, Connection c) : connection(c), path(timing.circuit_of(c)) {}
    /// Resets the state for `c`.
    void reset(const Timing& timing, Connection c) { *this = Circuit(timing, c); }
    /// Whether no data waits and none will enter the queue.
    bool finished() const { return !holds_data; }
    operator WordQueue&() { return *queue; }  // requires: not finished

    Connection connection;
    Time busy_since{}, gone{};           // NIC: data waits from, until (last word completely on the link)
    Time gone_before{};                  // `gone` before busy_since
    Time established_since{};            // switch
    Time patience_ends = Time::never();  // of the demand guard; never: it does not watch the connection
    std::uint32_t attempts = 0;          // of the guard
    std::uint32_t slot = 0;              // that it is established in
    bool established = false;
    bool holds_data = false;  // as queue->finished() would say
    // NIC
    bool in_table = false;
    bool requested = false;       // and not notified yet
    bool demanding = false;       // requested because data waits
    bool releasing = false;       // release sent while in the table
    bool release_due = false;     // release when no data waits
    bool in_reuse_queue = false;  // in reuse_queue_
    bool by_worms = false;        // worms under way count as a use of it
    CircuitQueue* queue = nullptr;
    Time path;  // from the link to the receiver's NIC
    Time requested_at{};
    Time gate{};                        // earliest start of words, after all worms
    Time used_in{-1};                   // end of the last window with a word
    std::uint32_t waiting_signals = 0;  // switch: signals that data waits, less those that none does
    Time due{};                         // switch: of the last signal
  };
  static_assert(sizeof(Circuit) == 128);

  /// A slot as seen by the NICs.
  struct Window {
    const Configuration* configuration = nullptr;  // nullptr: no circuits
    Time seen{};                                   // visible from here until the next window
    Time open{}, close{};                          // words start and end in here
    std::uint32_t latched = 0;
    std::uint32_t slot = 0;
  };

  WordQueue& select_queue(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) override;
  void prefetch_state(Connection c) override {
    const Circuit* circuit = circuits_.find(c.source, c.destination);
    if (circuit != nullptr) prefetch_all(*circuit);
  }
  void forward_words(Time now, std::uint32_t pe, WordQueue& queue) override;
  void handle_event(Time now, const SwitchEvent& event) override;
  bool is_steady(std::uint32_t kind) const override { return kind == kBoundary || kind == kWindow; }
  void visit(StateVisitor& v) override;

  // Functions of techniques.
  /// Whether a message without an established connection requests it.
  virtual bool requests_on_demand() const { return true; }
  /// Earliest instant at which the words of a message that enters the circuit's queue may leave.
  virtual Time gate_time(Time /*now*/, Connection /*c*/) { return Time{}; }
  /// The instant from which the NIC knows that no worm of `c` is under way; Time::never(): not certain.
  virtual Time time_worms_cleared(Time /*now*/, Connection /*c*/) { return Time{}; }
  /// A slot in which worms may pass began at the switch; `circuits` share it (nullptr: S_W).
  virtual void open_worm_window(Time /*now*/, const CycleController::Slot& /*slot*/,
                                const Configuration* /*circuits*/) {}
  /// Number of inputs at which wormhole traffic waits, as known to the controller at `at`, which does not
  /// decrease.
  virtual std::uint32_t inputs_with_worms(Time /*at*/) { return 0; }
  /// Whether the controller knows that no wormhole traffic waits; true until a message is sent.
  virtual bool worms_are_idle() const { return true; }
  /// Sends data that waits for `c`, for which the NIC holds the grant now.
  virtual void use_grant(Time now, Circuit& c) { send_words(now, c); }
  /// Adds the worms, and the ports that they need, to `plan`, for the slot that begins now.
  virtual void add_worms(Time /*now*/, CircuitPlan& /*plan*/) {}
  /// The last word of a message leaves the NIC over its circuit at `at`.
  virtual void circuit_message_leaves(Port /*source*/, std::uint32_t /*transfer*/, Time /*at*/) {}
  /// The NICs see window_, and use_grant() was called for its circuits with waiting data.
  virtual void on_window_seen(Time /*now*/) {}

  /// The state of `c`. The state of connections that are unused for long is reused, so that few states are
  /// kept if most connections are used once.
  Circuit& circuit(Connection c) {
    if (Circuit* known = find_circuit(c); known != nullptr) return *known;
    return new_circuit(c);
  }
  /// The state of `c`; nullptr: it was not used or its state was reused.
  Circuit* find_circuit(Connection c) { return circuits_.find(c.source, c.destination); }
  bool waits(const Circuit& c, Time now) const { return !c.finished() || now < c.gone; }
  /// Passes `message` to the predictor. `waits_for_it`: it waits in the queue of its connection.
  void consult_predictor(Time now, const Message& message, bool waits_for_it);
  /// A message for `c` was offered, which an unloaded network would deliver by `due`.
  void enter_circuit(Time now, Circuit& c, Time due);
  /// A message that travels as worms was announced: it uses the circuit, if this is in the table or
  /// requested.
  void serve_by_worms(Time now, Connection c);
  /// The worms that were under way have left. The NIC knows it from `known` on, which is not before now.
  void worms_left(Time known, Circuit& c);
  /// Number of circuits of `source` with worms under way.
  std::uint32_t served_by_worms(Port source) const { return served_by_worms_[source]; }
  void send_words(Time now, Circuit& c);
  /// Report of a NIC to the switch about the queue of a connection.
  struct Signal {
    enum class What : std::uint8_t {
      waits,         // data that can leave waits
      next_message,  // the next message is at the head
      is_empty
    };
    Connection connection;
    What what;
    Time due;  // of the message at the head
  };
  /// Reports it at `at`, if the allocation needs it.
  void send_signal(Time at, Connection c, Signal::What what, Time due);
  /// Reports the message that is at the head of `queue` from `at` on, if there is one, to a plan.
  void report_next_message(CircuitQueue& queue, Time at);
  /// Reports an offered message with these words to the switch, if the allocation needs it.
  void signal_offer(Time now, Traffic words);
  bool window_grants(const Window& window, Connection c) const {
    return window.configuration != nullptr && window.configuration->destination_of(c.source) == c.destination;
  }
  bool keeps_circuits() const { return plan_.has_value(); }
  /// Whether the scheduler fills some slot, so that a request can be granted.
  bool has_dynamic_slot() const {
    return std::any_of(preloaded_.begin(), preloaded_.end(),
                       [](const Configuration& c) { return c.empty(); });
  }
  /// Number of connections of `source` with data that waits for a circuit or leaves over it.
  std::uint32_t connections_with_data(Port source, Time now) const {
    return queues_with_data_[source] + (now < last_leaves_until_[source] ? 1 : 0);
  }
  /// Whether `c.source` has not reported that it expects to use another circuit next.
  bool keeps(Connection c) const {
    return !plan_ || expected_[c.source].reported() == kNoPort ||
           expected_[c.source].reported() == c.destination;
  }
  /// From here on words of `source` may start in window_.
  Time window_opens(Port source) const { return std::max(window_.open, ready_[source]); }
  /// Starts to follow the controller's slots, which continues while messages are in flight.
  void start_slots(Time now);
  /// The windows of the NICs are known until here.
  Time known_until() const { return known_until_; }

  bool foreground_ = true;       // the NICs use circuits if possible
  Window window_;                // of the slot that the NICs see
  std::vector<Time> link_free_;  // by source
  std::vector<Time> ready_;      // by source: its last circuit in the fabric can carry words from here on
  PortSet has_data_;             // sources with an unfinished circuit queue

 private:
  struct Control {
    enum class What : std::uint8_t { request, demand, release, preload, load, flush, offer, expect } what;
    Connection connection;
    std::uint32_t slot = 0;
    Traffic words{};
  };

  void apply_decisions(Time now, std::uint32_t port, const Predictor::Decisions& decisions, Port offered);
  void release_when_drained(Time now, Circuit& c, bool offered);
  /// Records worms of `c` that are under way as a use of its circuit: until worms_left(), if their end is not
  /// known.
  void note_worms(Time now, Circuit& c);
  void watch_deadline(std::uint32_t port);
  void report_expected(Time now, std::uint32_t port, Port last);
  void send_control(Time now, const Control& control);
  void send_request(Time now, Circuit& c, bool demand);
  void send_release(Time now, Circuit& c);
  void forget_requests(Time now, std::uint32_t port);
  Circuit& new_circuit(Connection c);
  void queue_for_reuse(Circuit& c);
  bool is_unused(const Circuit& c) const;

  void on_control(Time now);
  void note_preload(Time now, std::uint32_t slot, const Configuration& configuration);
  void note_flush(Port source);
  void request_at_switch(Time now, Connection c);
  void on_signal(Time now, std::uint32_t index);
  void note_wanted(const Circuit& c);
  void on_port(Time now);
  void watch_port(Time now);
  void apply_grant(const Grant& grant);
  void on_notice(Time now, Circuit& c, bool established);
  void on_deadline(Time now, std::uint32_t port);
  void begin_slots_until(Time limit);
  void on_boundary(Time now);
  void begin_slot(Time now);
  void see_next_window();
  void on_window(Time now);

  void on_patience(Time now, Circuit& c);
  void make_room(Time now, Connection wanted, bool busy_too);
  bool has_room(Time now, Connection wanted);
  void watch_demand(Time now, Circuit& c);
  void release_idle_slot(Time now);
  bool seen_idle(const Circuit& c, Time now) const;
  Time seen_idle_since(const Circuit& c, Time now) const;

  std::unique_ptr<SchedulerPort> port_;
  std::vector<Grant> grants_;
  std::vector<Connection> blocking_;
  Time port_watched_ = Time::never();
  std::vector<Configuration> schedule_;   // B^(s) at the switch
  CircuitsHeld<Circuit> held_;            // the same, by port
  std::vector<Configuration> preloaded_;  // by slot: preloaded connections that are still held
  std::vector<Time> preloaded_since_;     // by slot
  CycleController controller_;
  std::optional<CircuitPlan> plan_;  // if the allocation keeps circuits
  bool slots_running_ = false;
  Time known_until_{};

  /// Copy of a B^(s) as loaded into the fabric, kept while a window uses it.
  struct Latched {
    Configuration configuration;
    // With plan_ only:
    std::vector<Connection> fresh;  // circuits that the fabric did not have before
    PortSet parked;                 // sources of circuits that no data waited for
    std::uint32_t users = 0;
  };
  void load_slot(Time begin, std::uint32_t slot, bool shared);
  bool continues_previous(const Window& window) const;
  void release_latched(std::uint32_t latched);
  std::deque<Latched> latched_;
  std::vector<std::uint32_t> unused_latched_;
  std::vector<std::uint32_t> latest_;              // by slot: index of the copy last loaded
  std::vector<char> changed_;                      // by slot: schedule_ differs from that copy
  std::vector<PortSet> wanted_;                    // by slot: sources of the connections that data waits for
  std::vector<std::uint32_t> wanted_connections_;  // by slot: number of them
  Ring<Window> upcoming_;                          // begun at the switch, not yet seen by the NICs

  Ring<Control> control_;  // on the wire
  Pool<Signal> signals_;   // on the wire
  Ring<Configuration> preloads_;

  std::vector<std::unique_ptr<Predictor>> predictors_;
  std::vector<ExpectedDestination> expected_;  // by source; with plan_ only
  double least_accuracy_ = 0;                  // for a report
  std::vector<Time> deadline_watched_;
  std::vector<std::uint32_t> served_by_worms_;
  ConnectionTable<Circuit> circuits_;
  Ring<Circuit*> reuse_queue_;  // neither established nor requested when added
  CircuitQueue& queue_for(Time now, Circuit& c);
  StableArray<CircuitQueue> queues_;
  Ring<CircuitQueue*> resting_;                  // finished, or in use again
  std::vector<std::uint32_t> queues_with_data_;  // by source
  std::vector<Time> last_leaves_until_;          // by source: `gone` of the circuit that finished last
  Time patience_;                                // of the demand guard
  Time sweep_;                                   // of the scheduler, in which it grants what has room
  bool evicts_at_once_;
  std::uint64_t slots_used_ = 0;
};

}  // namespace hybrid
