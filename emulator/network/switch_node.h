// Digital half of a switch node (D 3.4.2, 8.4.1): the virtual queues VQ_W at each input, one per destination,
// and the wormhole scheduler; and the sending side of the NICs, because credits for the places in VQ_W are
// exchanged between the two.
//
// Timing
// - A word can leave Q_W, the NIC's single queue, one NIC delay after it entered. Words start on the link in
//   order, one per word time, when the NIC knows of a place in VQ_W[source][destination]. A word is in that
//   queue one wire delay after its start. Its place in Q_W is free at its start.
// - A place in VQ_W is free when its word leaves; the NIC knows it one wire delay later (credit).
// - The worm at the head of a VQ_W requests its output when its first flit is there (or as much of it as the
//   queue can hold) and the worm before it has left. A scheduler pass runs on the first edge of the
//   scheduler's clock at or after a request or the instant at which ports become free; its grants hold one
//   `setup` later. Ports are busy from the pass until the worm's last word has left.
// - With look-ahead, ports are busy until at most one scheduler delay before the end of the worm: as soon as
//   the end is known, because the worm's remaining words are in VQ_W and the windows in which they leave are
//   known. The next worm's grant holds at or after that end. (An end is not known while words are under way
//   from the NIC: a switch does not know when they come.)
// - A granted worm sends its words one per `spacing` as they arrive, inside open windows: a word starts and
//   ends within one window. The last word of a message is delivered after `path` and one NIC delay.
// With `input_fifo`, VQ_W[source] is one queue for all destinations: only the worm at its head makes a
// request (head-of-line blocking).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/network/connection_table.h"
#include "emulator/network/event_queue.h"
#include "emulator/network/fabric_windows.h"
#include "emulator/network/pass_notes.h"
#include "emulator/network/queue.h"
#include "emulator/network/repetition.h"
#include "emulator/network/timing.h"
#include "emulator/network/worm_switches.h"
#include "emulator/network/wormhole_scheduler.h"

namespace hybrid {

class SwitchNode : public WormSwitches {
 public:
  static constexpr bool kTree = false;

  /// `kinds`: tail and request events are scheduled only if they are far ahead.
  SwitchNode(const SwitchParameters& parameters, const Timing& timing, Fabric fabric, Kinds kinds);

  /// Prefetches the state that announcing a message of `c` uses first.
  void prefetch_source(Connection c) {
    queue_numbers_.prefetch(c.source);
    prefetch_all(announced_[c.source]);
    prefetch_all(sources_[c.source]);
  }

  /// Message `transfer` with `payload` words of payload will enter `source`'s Q_W next.
  void announce_message(std::uint32_t source, std::uint32_t transfer, Port destination,
                        std::uint64_t payload);

  /// Moves words from `source`'s Q_W over the link (none starting after `latest`) and through the fabric, as
  /// far as is certain now. Appends the messages whose last word left. Returns whether a word left Q_W; words
  /// that enter in its place may move, too. (A fat tree adds to `touched`.)
  bool move_worms(Time now, std::uint32_t source, Time latest, EventQueue& events,
                  std::vector<Delivery>& delivered, std::vector<std::uint32_t>& /*touched*/) {
    return (may_leave(sources_[source]) || worms_of_[source].left != 0) &&
           move_known_words(now, source, latest, events, delivered);
  }

  /// Handles tail, request and pass events. Appends to `touched` the inputs for which move_worms() may move
  /// more words. (A fat tree adds to `delivered`.)
  void handle_event(Time now, const SwitchEvent& event, EventQueue& events, std::vector<Delivery>& delivered,
                    std::vector<std::uint32_t>& touched);
  /// A window was added. Appends to `touched` the inputs for which move_worms() may move more words.
  void apply_new_window(Time now, EventQueue& events, std::vector<Delivery>& delivered,
                        std::vector<std::uint32_t>& touched);

  /// Records, while enabled, what visit() needs to find a repeated state. It must be enabled during the whole
  /// period.
  void enable_period_search(bool enabled) { period_search_enabled_ = enabled; }

  /// Number of words that are in, or will enter, `source`'s Q_W, up to the last one for `destination`; 0:
  /// none is for it.
  std::uint64_t words_up_to(std::uint32_t source, Port destination) const;
  /// Whether the NIC knows, at `now`, of a place in VQ_W for the next word of Q_W. Requires: there is one.
  bool has_place(std::uint32_t source, Time now) {
    const VirtualQueue* to = find_queue({source, announced_[source].front().destination});
    return to == nullptr || (!to->credit.empty() && to->credit.front().first <= now);
  }
  /// Start of the next word of Q_W if the link stays free; Time::never(): not known yet.
  Time next_start(std::uint32_t source);

  /// Lists the state that changes while worms move (emulator/network/repetition.h).
  void visit(StateVisitor& v);
  /// Lists the arrivals of for_each_unfinished(), to be called in addition where they decide.
  void visit_arrivals(StateVisitor& v);

  /// The instant at which the NIC had all credits of `c` back, that is, no worm of `c` was under way;
  /// Time::never() if some words have not left.
  Time time_cleared(Connection c);
  /// Whether the NIC has, at `now`, all credits of all connections of `source`.
  bool is_cleared(std::uint32_t source, Time now) const {
    return sources_[source].under_way == 0 && sources_[source].last_left + clearing_ <= now;
  }
  /// Calls `visit(connection, arrived)` for the granted worms of which the switch does not know the end at
  /// `now`: not all words are in VQ_W, or no known window is left for them. Requires: inputs_with_worms(now)
  /// was called.
  template <class Visit>
  void for_each_unfinished(Time now, Visit&& visit) const {
    for_each_port(inputs_in_use_.words(), [&](Port input) {
      const Worm& worm = worms_of_[input];
      if (worm.left > 0 || worm.there > now) visit(worm.connection, worm.arrived);
    });
  }
  /// Inputs at which a worm requests or holds its output, and these outputs, as known to inputs_with_worms().
  const PortSet& inputs_in_use() const { return inputs_in_use_; }
  const PortSet& outputs_in_use() { return scheduler_.outputs_in_use(); }
  /// Number of inputs at which a worm requests or holds its output: "wormhole traffic is buffered" (E_W of
  /// D 4.3).
  std::uint32_t inputs_with_worms(Time now) {
    notes_.take_notes_until(now, [this](const PassNote& note) { apply_note(note); });
    return inputs_with_worms_;
  }
  /// Measures from the start how efficiently worms use S_W. Then notes are taken in the order of time.
  void measure_efficiency() {
    WormSwitches::measure_efficiency();
    notes_.order_by_time();
  }
  /// The switch knows from `now` on that this payload was offered. Requires: measure_efficiency().
  void note_offered_worms(Time now, Port source, std::uint64_t words) {
    inputs_with_worms(now);
    meter_->note_offer(now, source, words);
  }
  /// How efficiently worms used S_W until `now`. Requires: measure_efficiency().
  Efficiency efficiency(Time now) {
    inputs_with_worms(now);
    return meter_->until(now);
  }

 private:
  /// A message of which a word has arrived.
  struct Arriving {
    std::uint32_t transfer;
    Port destination;
    std::uint64_t words;  // of payload, not yet in a granted worm
  };
  static constexpr Time kLongAgo{-(std::int64_t{1} << 60)};
  /// Four cache lines. Cache misses on virtual queues dominate the emulation of a loaded switch.
  struct alignas(64) VirtualQueue {
    VirtualQueue(Connection c, const Run& places) { reset(c, places); }
    /// Resets the queue for connection `c`.
    void reset(Connection c, const Run& places) {
      connection = c;
      last_left = kLongAgo;
      credit.pop_all(credit.size());
      credit.push(places);
    }
    Connection connection;  // of the worm that makes a request or is granted
    RunQueue arrived;       // arrival of the words that have not left
    RunQueue credit;        // places that the NIC knows of and has not used
    Ring<Arriving> messages;
    // The head worm has requested its output, will do so, or is granted and has words left to send.
    bool requested : 1 = false;
    bool holds_output : 1 = false;  // a worm is granted, and the scheduler does not know its tail yet
    bool retired : 1 = false;       // in retired_
    bool used_again : 1 = false;    // since it was retired
    std::uint32_t place : 28 = 0;   // in queues_, from 1 on
    std::uint32_t unfinished = 0;   // messages announced whose last word has not left
    Time last_left = kLongAgo;      // start of the last word that left
  };
  static_assert(sizeof(VirtualQueue) == 256);
  struct Worm {
    VirtualQueue* queue = nullptr;
    Connection connection;
    std::uint64_t payload = 0, left = 0;  // words
    Time there{};    // if no word is left: the arrival of the last one, or the grant if that is later
    Time granted{};  // the pass that granted it
    Time arrived{};  // its first word, in VQ_W
    Time free{};     // earliest start of the next word
    std::uint32_t transfer = 0;
    bool ends_message = false;
    std::uint32_t under_way = 0;   // worms of this input that have requested their output and not left
    VirtualQueue* next = nullptr;  // the queue for the next word of Q_W; nullptr: not looked up yet
  };

  /// Key of a queue in queue_numbers_: the destination, or the input if it has one FIFO.
  Port queue_key(Connection c) const { return timing_.input_fifo ? c.source : c.destination; }
  /// Whether words in Q_W may start on the link.
  static bool may_leave(const Source& source) { return !source.no_place && !source.queue.entered.empty(); }
  bool move_known_words(Time now, std::uint32_t source, Time latest, EventQueue& events,
                        std::vector<Delivery>& delivered);
  bool move_over_link(std::uint32_t source, Time latest, Time now, EventQueue& events);
  bool move_through_fabric(Time now, std::uint32_t source, EventQueue& events,
                           std::vector<Delivery>& delivered);
  VirtualQueue* find_queue(Connection c) {
    const std::uint32_t number = queue_numbers_.find(c.source, queue_key(c));
    return number == 0 || number >= kAnnounced ? nullptr : places_[number - 1];
  }
  VirtualQueue& get_queue(Time now, Connection c);
  void retire_queue(VirtualQueue& queue);
  /// Prefetches the queue of `c`. Always inlined: g++ takes a function that only prefetches for one without
  /// effect, and removes its calls.
  [[gnu::always_inline]] void prefetch_queue(Connection c) {
    if (const VirtualQueue* queue = find_queue(c); queue != nullptr) prefetch_all(*queue);
  }
  std::uint64_t head_worm_words(const VirtualQueue& queue) const;
  /// Requests the output of `queue`'s head worm if the arrival of its first flit is known.
  void request_output(Time now, VirtualQueue& queue, EventQueue& events) {
    if (!queue.requested && !queue.messages.empty() && !queue.arrived.empty())
      request_head_worm(now, queue, events);
  }
  void request_head_worm(Time now, VirtualQueue& queue, EventQueue& events);
  [[gnu::cold]] void note_request_time(const VirtualQueue& queue, Time at);
  void note_change(Time now, Time at, Connection c, std::uint32_t place, bool free, EventQueue& events);
  void apply_note(const PassNote& note);
  void start_worm(Time now, Connection c);

  Time cycle_;  // of the scheduler's clock
  // A queue without words that has all credits back is reused for another connection. So the queues of a
  // loaded switch stay in the cache, and a large switch needs little memory.
  // queue_numbers_ maps a connection, or an input with one FIFO, to the place of its queue in queues_, from 1
  // on. Without a queue the number is kAnnounced plus the number of announced messages, or 0.
  static constexpr std::uint32_t kAnnounced = std::uint32_t{1} << 31;
  ConnectionNumbers queue_numbers_;
  std::deque<VirtualQueue> queues_;  // addresses stay
  std::vector<VirtualQueue*> places_;
  static constexpr std::size_t kInCache = 512;  // so many queues stay in the cache
  bool prefetches_ = false;                     // prefetch_queue() is of use: there are more queues
  std::vector<Time> requested_at_;              // by place; for the timeline
  Ring<std::uint32_t> retired_;  // places of queues that had no announced messages when they were added
  std::vector<Worm> worms_of_;   // the granted worm of each input
  PortSet sending_;              // inputs with a granted worm that has words left
  WormholeScheduler scheduler_;
  PassNotes notes_;
  WormsUnderWay under_way_;  // if connections share a queue; otherwise their queues have this state
  std::uint32_t inputs_with_worms_ = 0;
  PortSet inputs_in_use_;

 protected:
  /// From a word's departure from VQ_W until the queue's credits are back and a circuit of the connection may
  /// send.
  Time clearing_;
  bool period_search_enabled_ = false;
};

}  // namespace hybrid
