// Reference model of the dissertation's techniques, without runs, events or instants computed ahead: every
// component is evaluated at every picosecond and moves single words. It is slow and simple on purpose, and
// shares with the emulator only the parameters and the units that decide: the scheduler port, the predictors,
// the allocations, the circuit plan, the path choice. For fat trees it models tdm and hybrid;
// ticked_tree_switches.h models the worms of a tree.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "emulator/scheduler/model_port.h"
#include "emulator/tdm/allocation.h"
#include "emulator/tdm/circuit_plan.h"
#include "emulator/tdm/expected_destination.h"
#include "emulator/tdm/path_choice.h"
#include "emulator/ticked/script.h"
#include "emulator/ticked/ticked_tree_switches.h"
#include "emulator/ticked/worm_words.h"
#include "predictor/predictor.h"

namespace hybrid {

class TickedSwitch {
 public:
  /// Whether this class is the reference of the technique.
  static bool models(std::string_view technique) {
    return technique == "packet" || technique == "wormhole" || technique == "circuit" || technique == "tdm" ||
           technique == "hybrid";
  }

  explicit TickedSwitch(const SwitchParameters& p);

  std::vector<Outcome> run(const std::vector<Action>& script, std::int64_t give_up);

 private:
  struct Word {
    std::int64_t at = 0;  // entry or arrival
    std::uint64_t message = 0;
    Port destination = 0;
    bool first = false, last = false;
    int worm = 0;  // words of its worm, on the worm's first word
    MadeBy made_by = MadeBy::pe;
  };
  struct Circuit {
    std::deque<Word> words;
    std::uint64_t unsent = 0;  // words of offered messages that have not left
    std::int64_t gone = 0, gone_before = 0, busy_since = 0;
    // circuit switching
    int state = 0;  // idle, requested, held, waiting for the request width
    // slotted
    bool in_table = false, requested = false, at_switch = false, demanding = false, releasing = false,
         release_due = false;
    bool established = false;
    std::uint32_t slot = 0;  // that it is or was established in
    std::int64_t established_since = 0, patience = -1;
    unsigned attempts = 0;
    bool finished = true;        // the NIC knows that no data is left, with a plan: at the end of this window
    bool signals = false;        // it reported that data waits that can leave
    std::int64_t due = 0;        // an unloaded network would deliver the message at the head by then
    int waiting_signals = 0;     // as the switch knows
    std::int64_t known_due = 0;  // also
    std::uint64_t known_words = 0;  // also: offered, less those that its slots have room for
    struct Offered {
      std::uint64_t words = 0;
      bool was_head = false;  // when it was offered
    };
    std::deque<Offered> messages;  // that have not left
    // worms of the same connection
    std::uint64_t worm_words = 0;  // offered and not out of VQ_W
    std::int64_t worm_left = -(std::int64_t{1} << 60);
    bool served_by_worms = false;    // since the circuit was in the table or requested
    std::int64_t worms_cleared = 0;  // the NIC has all credits of those worms back
    bool due_after_worms = false;    // with release_due: as soon as the worms are cleared
    bool waits(std::int64_t t) const { return unsent > 0 || t < gone; }
  };
  struct VirtualQueue {
    std::deque<Word> words;
    int credits_used = 0;
    std::size_t granted_words = 0;            // at the front: words of granted worms
    bool requested = false, granted = false;  // granted: until the ports of the worm are free again
  };
  struct GrantedWorm {
    Port to = 0;
    int left = 0;              // words
    std::int64_t from = 0;     // earliest start
    std::int64_t arrived = 0;  // its first word
  };
  struct PortState {
    std::deque<std::pair<std::int64_t, Message>> waiting;
    std::int64_t pe_free = 0;
    std::deque<Word> handing;  // words of the offered message still in the PE
    bool by_worm = false;
    std::deque<Word> wormhole;                       // Q_W
    std::int64_t link_free = 0, worm_link_free = 0;  // one link, without a packet plane
    std::int64_t ready = 0;        // with a circuit plan: its last circuit carries words from here on
    std::int64_t usable_from = 0;  // as `ready`, but at the switch
    bool owned = false;            // the link, by a circuit, in this window
    // switch input
    std::deque<GrantedWorm> worms;   // more than one only with look-ahead
    Port worm_to = 0;                // of the last one that was granted
    std::uint64_t worm_payload = 0;  // also, words
    std::int64_t worm_free = 0;      // end of the last word that left
    bool input_busy = false, output_busy = false;
    Port output_turn = 0;
    std::int64_t circuit_to = -1;
    std::uint32_t without_grant = 0;  // requests of circuits
    std::deque<Port> waiting_to_request;
    WorkAhead circuits_ahead, worms_ahead;
    std::uint64_t words_as_worms = 0;  // offered, and not out of the switch, as known to the controller
  };

  Circuit& circuit(Port i, Port j) { return circuits_[{i, j}]; }
  void later(std::int64_t at, int phase, std::function<void()> f);

  void act_on(const Action& a);
  void control(std::function<void()> f) { later(t_ + nic_ + control_wire_, 2, std::move(f)); }

  void tick();
  void run_phase(int phase);

  void offer(Port i);
  /// Whether the NIC chooses the circuit for a message of `words` words that is offered now.
  bool chooses_circuit(Port i, Port j, std::uint64_t words);
  PathChoice::Offer offer_of(Port i, Port j, std::uint64_t words);
  /// The words of a message in worms, in the PE or in the NIC.
  std::vector<Word> words_in_worms(std::uint64_t message, Port destination);
  /// No worm of `i` is under way: messages that wait for a circuit may become worms.
  void choose_again(Port i);
  bool prefers_worms(const PathChoice& choice, Port i, Port j);
  /// Whether the slot that the NICs see has the circuit.
  bool window_grants(Port i, Port j) const;

  void send_request(Port i, Port j, bool demand);
  void release(Port i, Port j);
  void consult_predictor(const Message& message, Port offered);
  void apply_decisions(Port i, const Predictor::Decisions& d, Port offered);
  /// Counts worms under way as a use of the circuit.
  void note_worms(Port i, Port j);
  void release_unless_used(Port i, Port j);

  // Demand guard.
  std::int64_t sweep() const;
  std::int64_t patience() const;
  std::int64_t retry() const {
    return p_.evicts_at_once
               ? std::max({sweep(), p_.slot_length.ps / 64, p_.network_reconfiguration().ps / 256})
               : patience();
  }
  bool seen_idle(const Circuit& c) const;
  std::int64_t seen_idle_since(const Circuit& c) const;
  std::vector<Connection> blockers(std::uint32_t slot, Connection wanted);
  void run_demand_guard();
  bool has_room(Connection wanted);
  void make_room(Connection wanted, bool busy_too);
  void release_idle_slot();

  // Circuit plan.
  /// Reports of a NIC about the queue of a connection, in the order of an instant.
  enum class Report : std::uint8_t { waits, next_message, still_waits, is_empty };
  struct Signal {
    Port source, destination;
    Report report;
    std::int64_t due;
    std::uint64_t words;  // left, if still_waits
    auto operator<=>(const Signal&) const = default;
  };
  /// The NIC reports at `at`.
  void signal(std::int64_t at, Port i, Port j, Report report, std::int64_t due = 0, std::uint64_t words = 0) {
    signals_[at + nic_ + control_wire_].insert({i, j, report, due, words});
  }
  void receive_signals();
  /// Updates the connections that data waits for.
  void note_wanted(Port i, Port j);
  struct Window;
  /// The circuits of the window's slot.
  void compose(std::uint32_t slot, Window& window);
  /// At the end of the window: the switch has counted too few words for some circuits.
  void report_words_left(const Window& window);
  /// The circuits of the slot that the NICs see now, and did not see before, are in the fabric.
  void see_circuits();
  /// End of the last word of the circuit on the link of `i`, if all its words leave in this window; else -1.
  std::int64_t known_end_of_data(Port i, Port j);
  void report_ends_of_data();
  /// Whether words of Q_W go before the circuit that waits for the link.
  bool worms_go_first(Port i);

  void advance_slots();
  std::int64_t switches_between(Port i, Port j) const;  // on the path of worms
  std::int64_t switches_on_circuit(Port i, Port j) const;
  /// Counts words offered by the NICs, with a connection that is in the table or not.
  void count_offered(std::uint64_t words, bool known);
  void begin_slot();

  std::int64_t spacing() const {
    return shares_fabric_ ? word_ : std::max(worm_word_, p_.digital_fabric.cycle.ps);
  }
  /// From the begin of a word of a worm in VQ_W to the receiving NIC.
  std::int64_t worm_path() const {
    return (shares_fabric_ ? p_.analog_fabric : p_.digital_fabric).delay().ps + wire_;
  }
  /// From the departure of a connection's last worm until its circuit may send: the NIC knows it, and a word
  /// over the circuit does not overtake the worm.
  std::int64_t clearing(Port i, Port j) const {
    const std::int64_t circuit = (p_.serialise + p_.cable + p_.deserialise).ps +
                                 switches_on_circuit(i, j) * (p_.analog_fabric.delay() + p_.cable).ps;
    return std::max(switches_between(i, j) * wire_, worm_path() - circuit);
  }
  std::int64_t worm_setup() const {
    return p_.scheduler.delay().ps + (shares_fabric_ ? p_.fabric_reconfiguration().ps : 0);
  }
  /// Whether a word of a worm from `i` to `j` that starts at `at` can pass: within one opening, or
  /// consecutive openings without a gap.
  bool can_pass(Port i, Port j, std::int64_t at) const;
  /// The first start of such a word at or after `at`; -1: not known yet.
  std::int64_t known_start(Port i, Port j, std::int64_t at) const;
  /// The end of the last worm granted to input `i`; -1: not known yet.
  std::int64_t known_end(Port i) const;

  /// Frees the ports of worms that have left or, with look-ahead, are known to leave soon.
  void end_worms();
  void request_for_worms();

  void pass();
  void finish_circuit(Port i);
  /// Requests the circuits of input `i` that wait, as far as the request width allows.
  void request_circuits(Port i);

  /// Key of the queue at switch input `i`: the destination, or the input if it has one FIFO.
  Port queue_key(Port i, Port j) const { return p_.input_queues == "fifo" ? i : j; }
  bool move_words();
  bool circuit_word(Port i);
  /// Whether the NIC has a place in the switch for a word of a worm from `i` to `j`.
  bool has_credit(Port i, Port j);
  bool wormhole_word(Port i);
  bool fabric_word(Port i);
  bool tree_words();
  std::uint32_t inputs_with_worms() const;
  /// A worm from `i` has left, as known to the controller.
  void note_departed_worm(Port i, std::uint64_t words);
  /// Counts the demand until the next instant.
  void measure_worms();
  void message_left_as_worms(Port i, Port j, std::uint64_t message);
  bool cleared(Port i, Port j);
  /// Free places for words of circuits from `i` to `j`.
  int places(Port i, Port j);
  bool pe_word(Port i);

  struct Window {
    std::int64_t seen, open, close;
    Configuration configuration;
    std::vector<Connection> fresh;  // circuits that the fabric did not have before
    std::set<Port> last;            // sources of which the switch counted no words after this window
  };
  struct Opening {
    std::int64_t begin, until;
    std::vector<std::int64_t> input_ready, output_ready;  // worms pass from here on; circuits have it: kNever
  };
  static constexpr std::int64_t kNever = std::int64_t{1} << 60;
  /// Opens the ports without one of `circuits`. Those that were not open until now need `setup`.
  void open_for_worms(std::int64_t begin, std::int64_t until, std::int64_t setup,
                      const Configuration& circuits);

  SwitchParameters p_;
  bool slotted_, has_worms_;
  bool plane_;          // worms have a fabric and links of their own
  bool shares_fabric_;  // worms and circuits share one fabric
  std::int64_t word_, worm_word_, nic_, wire_;
  std::int64_t control_wire_, spread_ = 0;  // of a fat tree
  int room_, worm_room_, input_room_;       // words
  std::int64_t t_ = 0;
  std::size_t delivered_ = 0;
  std::vector<Outcome> outcomes_;
  std::vector<PortState> ports_;
  std::map<std::pair<Port, Port>, Circuit> circuits_;
  std::map<std::pair<Port, Port>, VirtualQueue> queues_;
  std::map<std::pair<Port, Port>, std::deque<std::int64_t>> credits_;
  std::map<std::pair<std::int64_t, int>, std::vector<std::function<void()>>> events_;
  std::map<std::int64_t, std::multiset<Signal>> signals_;
  std::map<std::int64_t, std::vector<std::uint64_t>> arriving_;
  std::set<std::pair<Port, Port>> requests_;
  Port first_output_ = 0;

  std::unique_ptr<SchedulerPort> scheduler_;
  std::unique_ptr<Allocation> allocation_;
  std::vector<ExpectedDestination> expected_;
  std::optional<CircuitPlan> plan_;        // if the allocation keeps circuits
  std::optional<PathChoice> path_choice_;  // none: a message without a circuit travels as worms
  std::vector<std::uint64_t> payload_;     // words, by message
  std::vector<std::unique_ptr<Predictor>> predictors_;
  std::vector<Configuration> schedule_, preloaded_;
  std::vector<PortSet> wanted_;  // by slot: sources of the connections that data waits for
  std::vector<std::int64_t> preloaded_since_;
  std::vector<bool> changed_;
  std::uint32_t previous_slot_ = 0, in_fabric_ = kIdleSlot;
  std::int64_t boundary_ = 0;
  std::deque<Window> windows_;
  std::deque<Opening> openings_;  // for worms
  std::unique_ptr<TickedTreeSwitches> tree_;
  std::int64_t worms_until_ = 0;                                     // the last word of one, in any switch
  std::deque<std::pair<std::int64_t, std::int64_t>> circuit_words_;  // from the first switch to the last
  std::vector<std::vector<std::uint32_t>> worms_seen_;               // by level, at each instant
  std::uint32_t previous_predictive_;
  std::vector<std::uint32_t> passed_over_;
  std::uint32_t circuits_passed_over_ = 0;
  Efficiency circuit_efficiency_, worm_efficiency_;
  std::uint32_t slot_now_ = kIdleSlot;
  std::int64_t slot_began_ = 0, slot_lost_ = 0;  // time lost at its begin
  Traffic traffic_;
  std::int64_t counted_words_ = -1;  // words in the share of predictable words
  Share predictable_ = kWhole;
  bool foreground_ = true, nics_foreground_ = true;  // at the switch, at the NICs
};

}  // namespace hybrid
