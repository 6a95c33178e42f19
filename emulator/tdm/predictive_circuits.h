// Predictive circuit switching (D 3.3.2, 3.3.3, 5.2, 5.3): what the techniques `tdm` and `hybrid` share. The
// NICs' virtual queues VQ_PCKT (one per destination), their predicted circuit switching tables and
// predictors, the scheduler port behind the wire, the TDM cycle and its slots.
//
// Timing
// - Control words (request, release, preload, flush) leave a NIC one NIC delay after they were decided and
//   are at the scheduler port one wire delay later; they do not take bandwidth from data. What the port
//   establishes or releases at an instant, the NIC's table shows one wire delay later.
// - A slot that the controller begins at t with the configuration B^(s) as of t is seen by the NICs one wire
//   delay later: in [t + wire, t + wire + length) a NIC holds the grant G for its connection in B^(s),
//   whatever changes meanwhile. Words may start on the link from `guard` (and `reconfiguration`, where the
//   fabric was not configured like this already) after the begin, and must be wholly on it by the end.
// - Words of a granted connection start one per word time, at the earliest one NIC delay after they entered
//   VQ_PCKT; each arrives after serialiser, cable, analog fabric, cable, deserialiser and is delivered one
//   NIC delay later.
// - The NIC sees a message when it is offered: then the predictor is asked, and a message whose connection
//   the table does not show asks for it (where the technique says so).
// - A predictor's release waits until no data waits for that connection; then the predictor is asked again,
//   with the instant of the last use (Predictor::take_back). Worms need no circuit: while some of the
//   connection are under way in the hybrid switch, only a predictor that goes by use (would_take_back) waits
//   for their end. A connection that goes away while data waits for it (flush, preload, the demand guard) is
//   asked for again: the data stays where it is and goes out in order.
// A message is a hit when the table showed its connection when its first word was offered to the NIC.
//
// Demand guard: a connection that data waits for must not starve behind connections that nobody uses (the
// dissertation's predictors may keep them for ever). When the switch holds such a request for `patience` (two
// TDM cycles with S_W, or two sweeps of the scheduler if that is longer), it releases what stands in the way
// in one slot: of the slots that are not preloaded, the one where the connections at the two ports (and, in a
// fat tree, on the links of one path: core/scheduler_port.h, find_blocking()) are idle
// (their NICs reported no data, one wire delay ago) for longest: least recently used or established. Where
// all of them are busy, it tries again every `patience`, and from the fourth time on takes the slot whose
// connections are established for longest; they ask again when their data waits. Requests due at one instant
// have their turn by ascending connection. Preloaded connections are "not effected by" requests (D 3.3.3):
// only where every slot is preloaded, and one of them has been idle at all ports for `patience` since it was
// told and used, it is given back to the scheduler; of several the one idle for longest, of those the last.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/scheduler_port.h"
#include "emulator/network/connection_table.h"
#include "emulator/network/engine.h"
#include "emulator/tdm/circuits_held.h"
#include "emulator/tdm/cycle_controller.h"
#include "predictor/predictor.h"

namespace hybrid {

class PredictiveCircuits : public Engine {
 public:
  /// `wormhole_slot`: whether the cycle has an S_W.
  PredictiveCircuits(const SwitchParameters& parameters, bool wormhole_slot);

  void preload(Time at, std::uint32_t slot, const Configuration& configuration) override;
  void flush(Time at, Port source) override;
  void begin_phase(Time at, Port source, std::uint32_t phase) override;
  TechniqueStatistics statistics() const override;

 protected:
  /// Phases of an instant (see EventKinds): NIC, then control words at the switch (and, 16 to 31, what a
  /// technique has arrive there), then the demand guard, the scheduler port, the slots; 64 and on are a
  /// technique's.
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

  /// In an event's destination: of a notice, released; of a signal, no data waits.
  static constexpr std::uint32_t kMark = std::uint32_t{1} << 31;
  /// A notice's destination: foreground or background, to all.
  static constexpr std::uint32_t kEveryone = ~std::uint32_t{0};

  struct Circuit;
  /// A connection's queue in the NIC. Few connections have data that waits, so it is only theirs; afterwards,
  /// when the last of its places has come free, it is the next one's.
  struct alignas(64) CircuitQueue : WordQueue {
    explicit CircuitQueue(const Timing& timing) : WordQueue(timing) {}
    bool rests = false;          // it is in resting_
    Circuit* circuit = nullptr;  // whose it is or was last
  };

  /// A connection's side in the NIC and in the switch: two lines of the cache, since in a large switch nearly
  /// every message's is out of it. All that the demand guard looks at is in the first.
  struct alignas(64) Circuit {
    Circuit(const Timing& timing, Connection c) : connection(c), path(timing.circuit_of(c)) {}
    /// As at first, for `c`.
    void serve(const Timing& timing, Connection c) { *this = Circuit(timing, c); }
    /// No data waits, and none is on its way into the queue.
    bool finished() const { return !holds_data; }
    operator WordQueue&() { return *queue; }  // of one that is not finished

    Connection connection;
    Time busy_since{}, gone{};           // NIC: data waits from, until (last word wholly on the link)
    Time gone_before{};                  // `gone` before busy_since
    Time established_since{};            // switch
    Time patience_ends = Time::never();  // of the demand guard; never: it does not watch
    std::uint32_t attempts = 0;          // of the guard
    std::uint32_t slot = 0;              // that it is established in
    bool established = false;
    bool holds_data = false;  // as queue->finished() would say
    // NIC
    bool in_table = false;
    bool requested = false;       // and no notice of it yet
    bool demanding = false;       // and asked because data waits
    bool releasing = false;       // release sent while in the table
    bool release_due = false;     // release when no data waits
    bool in_reuse_queue = false;  // in reuse_queue_
    bool by_worms = false;        // worms are under way that count as a use of it
    CircuitQueue* queue = nullptr;
    Time path;  // from the link to the receiver's NIC
    Time requested_at{};
    Time gate{};                        // words leave from here on; worms of it had left
    Time used_in{-1};                   // end of the last window with a word
    std::uint32_t waiting_signals = 0;  // switch: signals that data waits, less those that none does
  };
  static_assert(sizeof(Circuit) == 128);

  /// What the NICs see of a slot.
  struct Window {
    const Configuration* configuration = nullptr;  // nullptr: no circuits
    Time seen{};                                   // from here on, until the next one
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

  // What a technique adds.
  virtual bool requests_on_demand() const { return true; }
  /// A circuit's message is about to enter: from when its words may leave.
  virtual Time gate_time(Time /*now*/, Connection /*c*/) { return Time{}; }
  /// When the NIC knows that no worm of `c` is on its way: never, while that is not certain.
  virtual Time time_worms_cleared(Time /*now*/, Connection /*c*/) { return Time{}; }
  /// A slot with time for worms began at the switch; `circuits` share it (nullptr: S_W).
  virtual void open_worm_window(Time /*now*/, const CycleController::Slot& /*slot*/,
                                const Configuration* /*circuits*/) {}
  /// Inputs at which wormhole traffic waits, as the controller knows at `at`, which does not decrease.
  virtual std::uint32_t inputs_with_worms(Time /*at*/) { return 0; }
  /// The controller knows that none waits, and so it stays until a message is sent.
  virtual bool worms_are_idle() const { return true; }
  /// Data waits for `c`, whose grant the NIC now holds.
  virtual void use_grant(Time now, Circuit& c) { send_words(now, c); }
  /// The NICs see window_, and use_grant() was called where data waits.
  virtual void on_window_seen(Time /*now*/) {}

  /// The state of `c`. That of connections which are long at rest serves others, so that few are kept where
  /// most are used once.
  Circuit& circuit(Connection c) {
    if (Circuit* known = find_circuit(c); known != nullptr) return *known;
    return new_circuit(c);
  }
  /// nullptr where it is as at first.
  Circuit* find_circuit(Connection c) { return circuits_.find(c.source, c.destination); }
  bool waits(const Circuit& c, Time now) const { return !c.finished() || now < c.gone; }
  /// The predictor sees `message`; `waits_for_it`: in the queue of its connection.
  void consult_predictor(Time now, const Message& message, bool waits_for_it);
  void enter_circuit(Time now, Circuit& c);
  /// A message that goes by worms was announced: they use its circuit, if in the table or asked for.
  void serve_by_worms(Time now, Connection c);
  /// The worms that were under way have left, as the NIC knows from `known` on, which is not before now.
  void worms_left(Time known, Circuit& c);
  /// By source: circuits that worms are under way for.
  std::uint32_t served_by_worms(Port source) const { return served_by_worms_[source]; }
  void send_words(Time now, Circuit& c);
  /// From `at` on data waits for `c` that can leave (or none); the switch is told, where it needs to know.
  void signal_waiting(Time at, const Circuit& c, bool waiting);
  /// A message of so many words is offered; the switch is told, where it needs to know.
  void signal_offer(Time now, Traffic words);
  bool window_grants(const Window& window, Connection c) const {
    return window.configuration != nullptr && window.configuration->destination_of(c.source) == c.destination;
  }
  /// Sees to it that the controller's slots are followed while messages are in flight.
  void start_slots(Time now);
  /// What the NICs will see is known until here.
  Time known_until() const { return known_until_; }

  bool foreground_ = true;       // the NICs send over circuits what they can
  Window window_;                // of the slot that the NICs see
  std::vector<Time> link_free_;  // by source
  PortSet has_data_;             // sources with an unfinished circuit queue

 private:
  struct Control {
    enum class What : std::uint8_t { request, demand, release, preload, flush, offer } what;
    Connection connection;
    std::uint32_t slot = 0;
    Traffic words{};
  };

  void apply_decisions(Time now, std::uint32_t port, const Predictor::Decisions& decisions, Port offered);
  void release_when_drained(Time now, Circuit& c, bool offered);
  /// Worms of `c` that are under way are a use of its circuit: until worms_left(), where it is not known when
  /// they have.
  void note_worms(Time now, Circuit& c);
  void watch_deadline(std::uint32_t port);
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
  void on_signal(Time now, Circuit& c, bool waiting);
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
  void release_idle_slot(Time now);
  bool seen_idle(const Circuit& c, Time now) const;
  Time seen_idle_since(const Circuit& c, Time now) const;

  std::unique_ptr<SchedulerPort> port_;
  std::vector<Grant> grants_;
  std::vector<Connection> blocking_;
  Time port_watched_ = Time::never();
  std::vector<Configuration> schedule_;   // B^(s) at the switch
  CircuitsHeld<Circuit> held_;            // the same, of each port
  std::vector<Configuration> preloaded_;  // by slot: what the port was told to hold there and still does
  std::vector<Time> preloaded_since_;     // by slot
  CycleController controller_;
  bool slots_running_ = false;
  Time known_until_{};

  /// A B^(s) as loaded into the fabric, kept while a window shows it.
  struct Latched {
    Configuration configuration;
    std::uint32_t users = 0;
  };
  void load_slot(std::uint32_t slot, bool shared);
  bool continues_previous(const Window& window) const;
  void release_latched(std::uint32_t latched);
  std::deque<Latched> latched_;
  std::vector<std::uint32_t> unused_latched_;
  std::vector<std::uint32_t> latest_;              // by slot: index of the copy last loaded
  std::vector<char> changed_;                      // by slot: schedule_ is no longer like that copy
  std::vector<PortSet> wanted_;                    // by slot: sources of the connections that data waits for
  std::vector<std::uint32_t> wanted_connections_;  // by slot: how many
  Ring<Window> upcoming_;                          // begun at the switch, not yet seen by the NICs

  Ring<Control> control_;  // on the wire
  Ring<Configuration> preloads_;

  std::vector<std::unique_ptr<Predictor>> predictors_;
  std::vector<Time> deadline_watched_;
  std::vector<std::uint32_t> served_by_worms_;
  ConnectionTable<Circuit> circuits_;
  Ring<Circuit*> reuse_queue_;  // neither established nor asked for when they came here
  CircuitQueue& queue_for(Time now, Circuit& c);
  StableArray<CircuitQueue> queues_;
  Ring<CircuitQueue*> resting_;                  // finished, or in use again
  std::vector<std::uint32_t> queues_with_data_;  // by source
  Time patience_;
  std::uint64_t slots_used_ = 0;
};

}  // namespace hybrid
