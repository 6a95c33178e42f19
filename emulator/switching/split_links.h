// What wave, coll and chen-liu share: links that are split for good between worms and circuits.
//
// "A certain number switches are dedicated for packet switching and a separate number of switches are
// dedicated for circuit switching. In other words, the network bandwidth assigned for packet switch and
// circuit switch is unchangeable" (D 1.0 of these earlier designs, D 2.3). So each link is two:
// `circuit_share` of its rate carries circuits through the analog fabric, on `channels` channels of equal
// rate, and the rest carries worms through the digital one, by emulator/network/switch_node.h with words that
// take so much longer. Neither waits for the other, but for the order of a connection:
// - A message takes the circuit queue of its connection if the technique says so (it is long), or if words
//   wait there, or could be overtaken from there; otherwise it goes as worms.
// - Words in a circuit queue leave only after the NIC got back the credits of all worms of the connection and
//   so late that they cannot overtake them behind the switch.
// Words on a circuit: as in emulator/switching/circuit.cpp, one per word time of the channel. Control words
// take the wire's time and no bandwidth, and pass the switch, where they do, in the digital fabric's latency.
#pragma once

#include <vector>

#include "emulator/network/connection_table.h"
#include "emulator/network/engine.h"
#include "emulator/network/switch_node.h"

namespace hybrid {

class SplitLinks : public Engine {
 public:
  SplitLinks(const SwitchParameters& parameters, std::uint32_t channels);
  void observe(PortTimeline& timeline) override {
    Engine::observe(timeline);
    node_.observe(timeline);
  }

 protected:
  /// What waits in a NIC for the circuit of one connection.
  struct CircuitQueue : WordQueue {
    CircuitQueue(const Timing& timing, Connection c) : WordQueue(timing), connection(c) {}
    Connection connection;
    Time gate{};  // its words may leave from here on; Time::never() while worms are under way
    Time gone{};  // when the last word that left was wholly on the link
    Time safe{};  // no worm offered from here on can overtake that word
    Time requested_at = Time::never();  // when the NIC first asked for a circuit that it has not got
    Time established{};                 // of its circuit, at the switch
    std::uint64_t carried = 0;          // words since then
  };

  /// Event kinds of derived classes: those of NICs, then those of control words at the switch, which come
  /// before the worms', then scheduler passes.
  enum SplitKinds : std::uint32_t {
    kOwnNic = kFirstOwnKind,
    kOwnSwitch = 64,
    kTail = 96,
    kWormRequest,
    kWormPass,
    kOwnPass = 128
  };

  /// Whether a message of that size, whose connection has nothing in its circuit queue, takes the circuit.
  virtual bool takes_circuit(const CircuitQueue& queue, Bytes bytes) = 0;
  /// Whether the NIC knows the circuit of `queue` as established.
  virtual bool knows_circuit(const CircuitQueue& /*queue*/) { return false; }
  /// A message was offered and goes into `queue`.
  virtual void request_circuit(Time now, CircuitQueue& queue) = 0;
  /// Words entered `queue`, or its gate has opened: sends them, if the circuit is there.
  virtual void send_ready_words(Time now, CircuitQueue& queue) = 0;
  virtual void handle_circuit_event(Time now, const SwitchEvent& event) = 0;

  CircuitQueue& circuit(Connection c) { return circuits_.get(c.source, c.destination, timing_, c); }
  const StableArray<CircuitQueue>& circuits() const { return circuits_.all(); }
  /// Sends up to `words` words of `queue`, whose gate is open, on `channel` (0, 1, ...), free from `free` on.
  void send_words(Time now, CircuitQueue& queue, std::uint64_t words, std::uint32_t channel, Time& free);
  /// The NIC asks for the circuit of `queue`; it gets to know of its grant.
  static void note_request(Time at, CircuitQueue& queue) {
    if (queue.requested_at == Time::never()) queue.requested_at = at;
  }
  void note_grant(Time at, CircuitQueue& queue) {
    if (timeline_ != nullptr) timeline_->waited(queue.requested_at, at, queue.connection, false);
    queue.requested_at = Time::never();
  }
  /// The circuit of `queue` is established, at the switch, at `at`.
  void note_established(Time at, CircuitQueue& queue);
  /// It ends there at `at`.
  void note_released(Time at, CircuitQueue& queue) { count_held(at, queue, statistics_); }
  /// Counts what the circuit of `queue` was held for, up to `at`.
  void count_held(Time at, const CircuitQueue& queue, TechniqueStatistics& s) const;

  /// From a NIC's control word through the switch to another NIC.
  Time control_path_time() const { return timing_.wire + parameters_.digital_fabric.delay() + timing_.wire; }

  WordQueue& select_queue(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) final;
  void forward_words(Time now, std::uint32_t pe, WordQueue& queue) final;
  void handle_event(Time now, const SwitchEvent& event) final;
  /// Worms that follow each other; what circuits do is not looked at.
  bool is_steady(std::uint32_t kind) const final { return kind >= kTail && kind < kOwnPass; }
  void visit(StateVisitor& v) final;

 private:
  SplitLinks(const SwitchParameters& parameters, SplitRates rates);
  void move_worms(Time now, std::uint32_t port);
  bool may_send_worms(Time now, const CircuitQueue& queue) const;
  Time gate_time(Connection c);

  Time channel_word_;  // from the start of one word on a circuit to that of the next
  Time lead_;          // by how much a word on a circuit is faster, from its start on, than one out of VQ_W
  Time lag_;           // by how much it is slower than a worm from its offer on
  SwitchNode node_;
  ConnectionTable<CircuitQueue> circuits_;
  std::vector<SwitchNode::Delivery> delivered_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace hybrid
