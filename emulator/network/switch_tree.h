// Worms through a fat tree, switch by switch: each switch with a virtual queue for every input and output,
// its own round-robin scheduler, and credits back over each link. What SwitchNode is for one crossbar.
//
// Route: d-mod-k. At level h a worm goes up by port (destination div w^h) mod w until it is above its
// destination, then down. So it never goes up again, and no ring of worms can wait for each other.
//
// Timing, at every switch as in emulator/network/switch_node.h
// - A word in Q_W, one NIC delay after it entered, starts on the link when the NIC knows of a place in the
//   first switch's queue for its way on, and is there one wire delay later.
// - The worm at the head of a queue asks for its output when its first flit is there (or as much of it as the
//   queue can hold) and the worm before it has left. Passes are on the edges of the scheduler's clock, which
//   all switches share; grants hold one scheduler delay later. Input and output are busy from the pass until
//   the worm's last word has left the queue.
// - A granted worm sends one word per `spacing`, as they are there and, between switches, as places in the
//   next queue are known to be free, inside the open windows, which all switches share; a word is there one
//   `path` (fabric and wire) later. Towards a node no place is needed: it is delivered after path and NIC.
// - A place is free when its word leaves, and known to be one wire delay later where it is waited for.
// A worm whose next queue is full, or whose window is over, keeps its input and output, all the way back
// (head reservation). What the TDM controller above the top switches knows of worms (E_W of D 4.3) it is told
// by the switches: by one at level h, (L - 1 - h) cables late.
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

class SwitchTree {
 public:
  using Kinds = SwitchNode::Kinds;
  using Delivery = SwitchNode::Delivery;
  using Source = SwitchNode::Source;
  using Fabric = SwitchNode::Fabric;  // of every switch; `path` leads into the next queue as well

  SwitchTree(const FatTreeShape& shape, const Timing& timing, Time scheduler_cycle, Fabric fabric,
             Kinds kinds);

  void observe(PortTimeline& timeline) { timeline_ = &timeline; }
  Source& source(Port node) { return sources_[node]; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(sources_.size()); }

  /// `transfer` of `payload` words of payload is about to enter `node`'s Q_W.
  void announce_message(Port node, std::uint32_t transfer, Port destination, std::uint64_t payload);

  /// Moves words from `node`'s Q_W over its link (none starting after `latest`), and on through the tree as
  /// far as is certain now. Returns whether words left Q_W. `touched` receives nodes for which it may do
  /// more.
  bool move_worms(Time now, Port node, Time latest, EventQueue& events, std::vector<Delivery>& delivered,
                  std::vector<std::uint32_t>& touched);
  /// Handles tail, request and pass events; likewise.
  void handle_event(Time now, const SwitchEvent& event, EventQueue& events, std::vector<Delivery>& delivered,
                    std::vector<std::uint32_t>& touched);

  /// When words may leave the switches' queues; at first never.
  FabricWindows& windows() { return windows_; }
  /// A window was added: moves on what waited for it, likewise.
  void apply_new_window(Time now, EventQueue& events, std::vector<Delivery>& delivered,
                        std::vector<std::uint32_t>& touched);

  /// Inputs, of all switches, at which a worm asks for its output or holds it, as the controller knows at
  /// `at`, which does not decrease.
  std::uint32_t inputs_with_worms(Time at);
  /// No worm asks or holds anywhere, and the controller knows.
  bool is_idle() const;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Announced {
    std::uint32_t transfer;
    Port destination;
    std::uint64_t payload;
  };
  /// What has begun to arrive: from a NIC a message, from a switch a worm, since worms of several messages
  /// come in turns there.
  struct Arriving {
    std::uint32_t transfer;
    Connection connection;
    std::uint64_t left;  // words of payload not yet in a granted worm
    bool ends_message;   // with the last of them
  };
  struct VirtualQueue {
    RunQueue arrived;  // words that have not left: their arrival
    RunQueue credit;   // places that the sender knows of and has not used
    Ring<Arriving> messages;
    bool requested = false;  // the head worm has requested, is about to, or is granted
    Time requested_at{};
    std::uint32_t output = 0;  // of the head worm, when it requested
  };
  /// The granted worm of an input.
  struct Worm {
    VirtualQueue* queue = nullptr;
    VirtualQueue* next = nullptr;  // where it goes; nullptr: to its node
    std::uint32_t next_input = 0;
    Arriving self{};          // as the next queue is told of it
    std::uint64_t words = 0;  // with overhead
    std::uint64_t left = 0;
    Time free{};  // earliest start of the next
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
  /// The port, of the switch that `input` is at, by which a worm goes on to `destination`.
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

  PortTimeline* timeline_ = nullptr;
  FatTree tree_;
  Timing timing_;
  Time cycle_;
  Fabric fabric_;
  Kinds kinds_;
  std::uint32_t ports_;
  std::vector<std::uint32_t> first_;  // by level: its first switch
  std::vector<Source> sources_;
  std::vector<Ring<Announced>> announced_;
  std::vector<std::vector<std::uint32_t>> place_;  // by input: of each output's queue in queues_, from 1 on
  std::deque<VirtualQueue> queues_;                // addresses stay
  std::vector<Worm> worms_;                        // by input
  std::vector<std::uint32_t> feeding_;             // by output: the input whose worm it is granted to
  struct Scheduling {
    WormholeScheduler scheduler;
    Time pass_at = Time::never();
    Time last_pass{-1};
  };
  std::vector<Scheduling> schedulers_;       // by switch
  std::vector<std::uint32_t> ready_inputs_;  // inputs whose worm may be able to move
  PortSet sending_;                          // inputs with a granted worm that has words left to send
  FabricWindows windows_;                    // of all ports together
  /// E_W on its way to the controller.
  struct Report {
    Time at{};
    bool more = false;
  };
  std::vector<std::uint32_t> worms_at_;  // by input: worms that have requested and not wholly left
  std::vector<Ring<Report>> reports_;    // by level
  std::uint32_t inputs_with_worms_ = 0;  // as the controller knows
  std::uint32_t inputs_busy_ = 0;        // as it is
};

}  // namespace hybrid
