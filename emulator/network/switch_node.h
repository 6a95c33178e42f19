// The digital half of a switch node (D 3.4.2, 8.4.1): at each input the virtual queues VQ_W, one per
// destination, and the wormhole scheduler; and the NICs' sending side of it, since the credits for the places
// in VQ_W run between the two.
//
// Timing
// - A word can leave Q_W, the NIC's single queue, one NIC delay after it entered. It starts on the link in
//   its turn, one word per word time, when the NIC knows of a place in VQ_W[source][destination]; it is in
//   that queue one wire delay after its start. The place it left in Q_W is free at its start.
// - A place in VQ_W is free when its word leaves; the NIC knows of it one wire delay later (credit).
// - The worm at the head of a VQ_W asks for its output when its first flit is there (or as much of it as the
//   queue can hold) and the worm before it has left. A scheduler pass runs on the first edge of the
//   scheduler's clock at or after the instant at which somebody requested or ports came free; its grants hold
//   one `setup` later. Ports are busy from the pass on until the worm's last word has left.
// - A granted worm sends its words one per `spacing` as they are there, inside open windows: a word starts
//   and ends within one window. The last word of a message is delivered after `path` and one NIC delay.
// With `input_fifo`, VQ_W[source] is one queue for all destinations: only the worm at its head asks, whatever
// waits behind it (head-of-line blocking).
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
#include "emulator/network/timeline.h"
#include "emulator/network/timing.h"
#include "emulator/network/wormhole_scheduler.h"
#include "emulator/network/worms_under_way.h"

namespace hybrid {

class SwitchNode {
 public:
  /// Kinds of the events that the node schedules and that must come back through handle_event(): passes, and
  /// tails and requests that are far ahead.
  struct Kinds {
    std::uint32_t tail, request, pass;
  };
  struct Delivery {
    std::uint32_t transfer;
    Time at;
  };

  /// What differs between the digital switch and the hybrid one.
  struct Fabric {
    Time spacing;  // from one word of a worm to the next
    Time path;     // from a word's start until it is in the receiving NIC
    Time setup;    // from a scheduler pass until its grants hold
  };

  SwitchNode(std::uint32_t ports, const Timing& timing, Time scheduler_cycle, Fabric fabric, Kinds kinds);

  void observe(PortTimeline& timeline) { timeline_ = &timeline; }

  /// What a NIC sends from: Q_W and its link.
  struct Source {
    explicit Source(const Timing& timing) : queue(timing) {}
    WordQueue queue;        // Q_W
    Time link_free{};       // earliest start of the next word
    bool no_place = false;  // for the word in front, as far as is known: only words leaving VQ_W change that
    std::uint32_t under_way = 0;  // messages announced whose last word has not left VQ_W
    Time last_left{};             // start of the last word of a message that left VQ_W
  };
  Source& source(std::uint32_t port) { return sources_[port]; }

  /// A message of `c` is announced soon: brings what is looked at first into the cache.
  void prefetch_source(Connection c) {
    queue_numbers_.prefetch(c.source);
    prefetch_all(announced_[c.source]);
    prefetch_all(sources_[c.source]);
  }

  /// `transfer` of `payload` words of payload is about to enter `source`'s Q_W.
  void announce_message(std::uint32_t source, std::uint32_t transfer, Port destination,
                        std::uint64_t payload);

  /// Moves words from `source`'s Q_W over the link (none starting after `latest`) and through the fabric as
  /// far as is certain now. Returns whether any word left Q_W; what enters into its place may move, too.
  bool move_worms(Time now, std::uint32_t source, Time latest, EventQueue& events,
                  std::vector<Delivery>& delivered);

  /// When words may leave VQ_W; at first never.
  FabricWindows& windows() { return windows_; }
  /// Inputs with a granted worm that has words left to send.
  const PortSet& sending_inputs() const { return sending_; }

  /// Whether visit() is called soon to find what repeats; from then on it must have been so throughout.
  void enable_period_search(bool sought) { period_search_enabled_ = sought; }
  /// Handles tail, request and pass events; `touched` receives the inputs for which move_worms() may do more.
  void handle_event(Time now, const SwitchEvent& event, EventQueue& events,
                    std::vector<std::uint32_t>& touched);

  /// Words in `source`'s Q_W, or on their way into it, up to the last one for `destination`; 0: none.
  std::uint64_t words_up_to(std::uint32_t source, Port destination) const;
  /// When the next word of Q_W starts, if the link stays free: Time::never() where that is not known yet.
  Time next_start(std::uint32_t source);

  /// Lists what changes while worms move (emulator/network/repetition.h).
  void visit(StateVisitor& v);

  /// Words that are in VQ_W or on their way there, of one connection: 0 once the NIC got all credits back.
  /// The instant at which it did, Time::never() while some have not left.
  Time time_cleared(std::uint32_t source, Port destination);
  /// Whether it did by `now`, for all connections of `source`: spares a look at any of them.
  bool is_cleared(std::uint32_t source, Time now) const {
    return sources_[source].under_way == 0 && sources_[source].last_left + timing_.wire <= now;
  }
  /// Inputs at which a worm asks for its output or holds_output it: "wormhole traffic is buffered" (E_W of
  /// D 4.3).
  std::uint32_t inputs_with_worms(Time now) {
    notes_.take_notes_until(now, [this](const PassNote& note) { apply_note(note); });
    return inputs_with_worms_;
  }

 private:
  struct Announced {
    std::uint32_t transfer;
    Port destination;
    std::uint64_t payload;
  };
  /// A message that has begun to arrive.
  struct Arriving {
    std::uint32_t transfer;
    Port destination;
    std::uint64_t words;  // of payload, not yet in a granted worm
  };
  static constexpr Time kLongAgo{-(std::int64_t{1} << 60)};
  /// Four cache lines: what a loaded switch waits for is these.
  struct alignas(64) VirtualQueue {
    VirtualQueue(Connection c, const Timing& timing) { serve(c, timing); }
    /// As at first, for `c`.
    void serve(Connection c, const Timing& timing) {
      connection = c;
      last_left = kLongAgo;
      credit.pop_all(credit.size());
      credit.push({Time{}, Time{}, timing.bounded() ? timing.room : ~std::uint64_t{0}});
    }
    Connection connection;  // of the worm that asks or is granted
    RunQueue arrived;       // words that have not left: their arrival
    RunQueue credit;        // places that the NIC knows of and has not used
    Ring<Arriving> messages;
    bool requested : 1 =
        false;  // the head worm has requested, is about to, or is granted and has words left to send
    bool holds_output : 1 = false;  // its output: a worm of it is granted, and the scheduler knows of no tail
    bool retired : 1 = false;       // in retired_
    bool used_again : 1 = false;    // since it came there
    std::uint32_t place : 28 = 0;   // in queues_, from 1 on
    std::uint32_t unfinished = 0;   // messages announced whose last word has not left
    Time last_left = kLongAgo;      // start of the last word that left
  };
  static_assert(sizeof(VirtualQueue) == 256);
  struct Worm {
    VirtualQueue* queue = nullptr;
    std::uint64_t left = 0;  // words
    Time free{};             // earliest start of the next
    std::uint32_t transfer = 0;
    bool ends_message = false;
    std::uint32_t under_way = 0;  // worms of this input that have requested and not wholly left
  };

  /// VQ_W is one queue per destination, or one FIFO per input, which stands under the input's own number.
  Port queue_key(Connection c) const { return timing_.input_fifo ? c.source : c.destination; }
  bool move_over_link(std::uint32_t source, Time latest, Time now, EventQueue& events);
  bool move_through_fabric(Time now, std::uint32_t source, EventQueue& events,
                           std::vector<Delivery>& delivered);
  VirtualQueue* find_queue(Connection c) {
    const std::uint32_t number = queue_numbers_.find(c.source, queue_key(c));
    return number == 0 || number >= kAnnounced ? nullptr : places_[number - 1];
  }
  VirtualQueue& get_queue(Time now, Connection c);
  void retire_queue(VirtualQueue& queue);
  /// It is the turn of c's queue soon: brings it into the cache.
  void prefetch_queue(Connection c) {
    if (const VirtualQueue* queue = find_queue(c); queue != nullptr) prefetch_all(*queue);
  }
  std::uint64_t head_worm_words(const VirtualQueue& queue) const;
  void request_output(Time now, VirtualQueue& queue, EventQueue& events);
  void note_change(Time now, Time at, Connection c, std::uint32_t place, bool free, EventQueue& events);
  void apply_note(const PassNote& note);
  void start_worm(Time now, Connection c);

  PortTimeline* timeline_ = nullptr;
  Timing timing_;
  Time cycle_;  // of the scheduler's clock
  Fabric fabric_;
  Kinds kinds_;
  std::vector<Source> sources_;
  std::vector<Ring<Announced>> announced_;  // of each source, in Q_W's order
  // A queue in which all is as at first, all credits being back, serves another connection: so what a loaded
  // switch works on is little enough to stay in the cache, and a large one needs little memory.
  // queue_numbers_ has, of a connection or of an input with one FIFO, the place of its queue in queues_, from
  // 1 on; while it has none, kAnnounced and its messages that are announced, if any.
  static constexpr std::uint32_t kAnnounced = std::uint32_t{1} << 31;
  ConnectionNumbers queue_numbers_;
  std::deque<VirtualQueue> queues_;  // addresses stay
  std::vector<VirtualQueue*> places_;
  std::vector<Time> requested_at_;  // by place; for the timeline
  Ring<std::uint32_t> retired_;     // places of queues that had nothing left to do when they came here
  std::vector<Worm> worms_of_;      // the granted worm of each input
  PortSet sending_;
  WormholeScheduler scheduler_;
  PassNotes notes_;
  FabricWindows windows_;
  WormsUnderWay under_way_;  // where connections share a queue; otherwise it is in theirs
  std::uint32_t inputs_with_worms_ = 0;
  bool period_search_enabled_ = false;
};

}  // namespace hybrid
