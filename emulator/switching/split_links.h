// Base class of wave, coll and chen-liu: links with a fixed division between worms and circuits.
//
// "A certain number switches are dedicated for packet switching and a separate number of switches are
// dedicated for circuit switching. In other words, the network bandwidth assigned for packet switch and
// circuit switch is unchangeable" (D 1.0 of these earlier designs, D 2.3). Each link is divided: a share
// `circuit_share` of its rate carries circuits through the analog fabric, on `channels` channels of equal
// rate, and the rest carries worms through the digital fabric, by emulator/network/switch_node.h with longer
// word times. The two are independent, except for the order of the messages of a connection:
// - A message enters the circuit queue of its connection if the technique requests it (the message is long),
//   or if words wait there, or if words from there could be overtaken. Otherwise it travels as worms.
// - Words in a circuit queue leave only after the NIC got back the credits of all worms of the connection,
// and
//   late enough that they cannot overtake these worms behind the switch.
// Words on a circuit: as in emulator/switching/circuit.cpp, one per word time of the channel. Control words
// take the wire's time and no bandwidth; in the switch they take the digital fabric's latency.
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
  /// Words of one connection that wait in a NIC for their circuit.
  struct CircuitQueue : WordQueue {
    CircuitQueue(const Timing& timing, Connection c) : WordQueue(timing), connection(c) {}
    Connection connection;
    Time gate{};  // earliest start of its words; Time::never() while worms are under way
    Time gone{};  // end on the link of the last word that left
    Time safe{};  // worms that are offered from here on cannot overtake that word
    Time requested_at = Time::never();  // first request of a circuit that is not granted
    Time established{};                 // of its circuit, at the switch
    std::uint64_t carried = 0;          // words since `established`
  };

  /// Event kinds. Those of derived classes are, in order: NICs, control words at the switch (before the
  /// events of worms), scheduler passes.
  enum SplitKinds : std::uint32_t {
    kOwnNic = kFirstOwnKind,
    kOwnSwitch = 64,
    kTail = 96,
    kWormRequest,
    kWormPass,
    kOwnPass = 128
  };

  /// Whether a message of this size uses the circuit, if `queue`, the circuit queue of its connection, is
  /// empty.
  virtual bool takes_circuit(const CircuitQueue& queue, Bytes bytes) = 0;
  /// Whether the NIC knows the circuit of `queue` as established.
  virtual bool knows_circuit(const CircuitQueue& /*queue*/) { return false; }
  /// Requests a circuit for a message that was offered and enters `queue`.
  virtual void request_circuit(Time now, CircuitQueue& queue) = 0;
  /// Words entered `queue`, or its gate has opened: sends them if the circuit is established.
  virtual void send_ready_words(Time now, CircuitQueue& queue) = 0;
  /// Handles an event of a derived class.
  virtual void handle_circuit_event(Time now, const SwitchEvent& event) = 0;

  CircuitQueue& circuit(Connection c) { return circuits_.get(c.source, c.destination, timing_, c); }
  const StableArray<CircuitQueue>& circuits() const { return circuits_.all(); }
  /// Sends up to `words` words of `queue` on `channel` (0, 1, ...), which is free from `free` on. Requires:
  /// the gate of `queue` is open.
  void send_words(Time now, CircuitQueue& queue, std::uint64_t words, std::uint32_t channel, Time& free);
  /// Records that the NIC requests the circuit of `queue`, and that it knows of the grant.
  static void note_request(Time at, CircuitQueue& queue) {
    if (queue.requested_at == Time::never()) queue.requested_at = at;
  }
  void note_grant(Time at, CircuitQueue& queue) {
    if (timeline_ != nullptr) timeline_->waited(queue.requested_at, at, queue.connection, false);
    queue.requested_at = Time::never();
  }
  /// Records that the switch establishes and releases the circuit of `queue` at `at`.
  void note_established(Time at, CircuitQueue& queue);
  void note_released(Time at, CircuitQueue& queue) { count_held(at, queue, statistics_); }
  /// Adds the time for which the circuit of `queue` was held, up to `at`, to `s`.
  void count_held(Time at, const CircuitQueue& queue, TechniqueStatistics& s) const;

  /// Delay of a control word from a NIC through the switch to another NIC.
  Time control_path_time() const { return timing_.wire + parameters_.digital_fabric.delay() + timing_.wire; }

  WordQueue& select_queue(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) final;
  void forward_words(Time now, std::uint32_t pe, WordQueue& queue) final;
  void handle_event(Time now, const SwitchEvent& event) final;
  /// Only worms are compared for repeated states, not circuits.
  bool is_steady(std::uint32_t kind) const final { return kind >= kTail && kind < kOwnPass; }
  void visit(StateVisitor& v) final;

 private:
  SplitLinks(const SwitchParameters& parameters, SplitRates rates);
  void move_worms(Time now, std::uint32_t port);
  bool may_send_worms(Time now, const CircuitQueue& queue) const;
  Time gate_time(Connection c);

  Time channel_word_;  // from the start of one word on a circuit to that of the next
  Time lead_;          // delay of a word from VQ_W less that of a word on a circuit, from their starts
  Time lag_;           // delay of a word on a circuit, from its start, less that of a worm from its offer
  SwitchNode node_;
  ConnectionTable<CircuitQueue> circuits_;
  std::vector<SwitchNode::Delivery> delivered_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace hybrid
