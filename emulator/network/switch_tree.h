// Worms through a fat tree, switch by switch. Each switch has a virtual queue for every input and output, a
// round-robin scheduler, and returns credits over each link. SwitchNode is the same for one crossbar.
//
// Route: d-mod-k. At level h a worm goes up by port (destination div w^h) mod w until it is above its
// destination, then down. It never goes up again, so that worms cannot wait for each other in a circle.
//
// Timing, at every switch as in emulator/network/switch_node.h
// - A word in Q_W, one NIC delay after it entered, starts on the link when the NIC knows of a place in the
//   first switch's queue for the worm's output. It is there one wire delay later.
// - The worm at the head of a queue requests its output when its first flit is there (or as much of it as the
//   queue can hold) and the worm before it has left. Passes are on the edges of the scheduler's clock, which
//   all switches share; grants hold one scheduler delay later. Input and output are busy from the pass until
//   the worm's last word has left the queue; with look-ahead, until one scheduler delay before that at most,
//   as in SwitchNode. The end is known when the places that the remaining words need are known, too.
// - A granted worm sends one word per `spacing`, as words arrive and, between switches, as places in the next
//   queue are known to be free, inside the open windows, which all switches share. A word is in the next
//   queue one `path` (fabric and wire) later. The last switch needs no place: a word is delivered after path
//   and NIC.
// - A place is free when its word leaves; the sender knows it one wire delay later.
// A worm keeps its input and output while the next queue is full or the window has ended, in every switch
// that it is in (head reservation). The switches report to the TDM controller above the top switches which
// inputs have worms (E_W of D 4.3); a report from level h takes (L - 1 - h) cables.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "emulator/network/event_queue.h"
#include "emulator/network/queue.h"
#include "emulator/network/switch_node.h"
#include "emulator/network/wormhole_scheduler.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

class SwitchTree : public WormSwitches {
 public:
  static constexpr bool kTree = true;

  using Kinds = SwitchNode::Kinds;
  using Delivery = SwitchNode::Delivery;
  using Source = SwitchNode::Source;
  using Fabric = SwitchNode::Fabric;  // of every switch; `path` leads into the next queue as well

  SwitchTree(const SwitchParameters& parameters, const Timing& timing, Fabric fabric, Kinds kinds);

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(sources_.size()); }

  void prefetch_source(Connection /*c*/) {}
  void enable_period_search(bool /*enabled*/) {}

  /// Message `transfer` with `payload` words of payload will enter `node`'s Q_W next.
  void announce_message(Port node, std::uint32_t transfer, Port destination, std::uint64_t payload);

  /// Moves words from `node`'s Q_W over its link (none starting after `latest`) and through the tree, as far
  /// as is certain now. Appends the messages whose last word left the tree to `delivered`, and the nodes for
  /// which this function may move more words to `touched`. Returns whether words left Q_W.
  bool move_worms(Time now, Port node, Time latest, EventQueue& events, std::vector<Delivery>& delivered,
                  std::vector<std::uint32_t>& touched);
  /// Handles tail, request and pass events.
  void handle_event(Time now, const SwitchEvent& event, EventQueue& events, std::vector<Delivery>& delivered,
                    std::vector<std::uint32_t>& touched);

  /// A window was added: moves the worms that waited for it.
  void apply_new_window(Time now, EventQueue& events, std::vector<Delivery>& delivered,
                        std::vector<std::uint32_t>& touched);

  /// Number of inputs of all switches at which a worm requests or holds its output, as known to the
  /// controller at `at`. Requires: `at` does not decrease from call to call.
  std::uint32_t inputs_with_worms(Time at);
  /// As those of SwitchNode, with the worms that left the tree, as known to the controller.
  void note_offered_worms(Time now, Port source, std::uint64_t words) {
    efficiency(now);
    meter_->note_offer(now, source, words);
  }
  Efficiency efficiency(Time at);
  /// Whether no worm requests or holds an output, and the controller knows it.
  bool is_idle() const;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// A message (from a NIC) or a worm (from a switch, where worms of several messages alternate) of which a
  /// word has arrived.
  struct Arriving {
    std::uint32_t transfer;
    Connection connection;
    std::uint64_t left;  // words of payload not yet in a granted worm
    bool ends_message;   // with the last of them
  };
  struct VirtualQueue {
    RunQueue arrived;  // arrival of the words that have not left
    RunQueue credit;   // places that the sender knows of and has not used
    Ring<Arriving> messages;
    bool requested = false;  // the head worm has requested its output, will do so, or is granted
    Time requested_at{};
    std::uint32_t output = 0;  // of the head worm, when it requested
  };
  /// The granted worm of an input.
  struct Worm {
    VirtualQueue* queue = nullptr;
    VirtualQueue* next = nullptr;  // the next queue; nullptr: the worm leaves to its node
    std::uint32_t next_input = 0;
    Arriving self{};          // the worm's entry in the next queue
    std::uint64_t words = 0;  // with overhead
    std::uint64_t left = 0;
    Time free{};  // earliest start of the next word
    Time last_left{};
  };
  /// The other end of an input's or an output's link.
  struct LinkEnd {
    std::uint32_t node = kNone;  // a node, or
    std::uint32_t port = 0;      // an output (of an input's link) or an input (of an output's), by number
  };

  // Inputs and outputs are numbered switch by switch, `ports_` each: ports down, then ports up.
  std::uint32_t switch_of(std::uint32_t input) const { return input / ports_; }
  std::uint32_t level_of(std::uint32_t number) const;
  LinkEnd find_link_end(std::uint32_t port) const;
  /// Port of the switch with `input` by which a worm continues to `destination`.
  std::uint32_t output_towards(std::uint32_t input, Port destination) const;
  VirtualQueue& get_queue(std::uint32_t input, std::uint32_t output);
  std::uint64_t head_worm_words(const VirtualQueue& queue) const;
  void request_output(Time now, std::uint32_t input, VirtualQueue& queue, EventQueue& events);
  void schedule_pass(Time now, std::uint32_t number, EventQueue& events);
  void start_worm(Time now, std::uint32_t number, Connection ports);
  void count_worms(Time now, std::uint32_t input, bool more);
  bool move_over_link(Time now, Port node, Time latest, EventQueue& events);
  bool move_worm(Time now, std::uint32_t input, EventQueue& events, std::vector<Delivery>& delivered);
  void move_ready_worms(Time now, EventQueue& events, std::vector<Delivery>& delivered,
                        std::vector<std::uint32_t>& touched);

  FatTree tree_;
  std::uint32_t ports_;
  std::vector<std::uint32_t> first_;               // by level: its first switch
  std::vector<std::vector<std::uint32_t>> place_;  // by input: of each output's queue in queues_, from 1 on
  std::deque<VirtualQueue> queues_;                // addresses stay
  std::vector<Worm> worms_;                        // by input
  std::vector<std::uint32_t> feeding_;             // by output: the input whose worm it is granted to
  struct Scheduling {
    WormholeScheduler scheduler;
    PassClock clock;
  };
  std::vector<Scheduling> schedulers_;       // by switch
  std::vector<std::uint32_t> ready_inputs_;  // inputs with a worm that may be able to move
  PortSet sending_;                          // inputs with a granted worm that has words left to send
  /// A change of E_W that is reported to the controller.
  struct Report {
    Time at{};
    bool more = false;
  };
  /// A worm that left the tree, for the meter.
  struct Departure {
    Time at{};
    Port source = 0;
    std::uint64_t words = 0;
  };
  std::vector<std::uint32_t> worms_at_;  // by input: worms that have requested their output and not left
  std::vector<Ring<Report>> reports_;    // under way, by level
  Ring<Departure> departures_;           // reports under way, from the lowest level
  std::uint32_t inputs_with_worms_ = 0;  // as known to the controller
  std::uint32_t inputs_busy_ = 0;        // at present
};

}  // namespace hybrid
