// Wave switching (D 2.3.3; Duato and others, D [8, 9]): circuits that stay.
//
// Links are split for good (emulator/switching/split_links.h). The circuits' share is divided among the
// switches S_1 ... S_K (`circuit_channels`), each with a channel from and to every port; control flits set
// circuits up and tear them down on these, and "when two nodes are communicating frequently, the physical
// circuit connection will be kept". What is left, S_0, carries worms.
// - A message of at least `split_size` bytes asks for a circuit; it, and every message whose NIC knows the
//   circuit as established, goes by it.
// - A NIC keeps its circuits as a cache of K entries. It asks in the order of offering; when all entries are
//   taken, it gives up the circuit whose last use is longest ago, of those that it holds; circuits in use
//   come last, in the order in which they were asked for.
// - The switch takes requests in the order in which they came: on the first S_m where input and output are
//   free. Where there is none, of the circuits that hold the output on a switch where the input is free, it
//   has the one least recently used released, and keeps both ports for the request meanwhile.
// - A circuit to be given up is released when what was offered to it before has left. Messages offered later
//   wait, and ask again then.
//
// Timing, beside split_links.h (a worked example is in docs/timing.md)
// - A control flit leaves one NIC delay after the decision (a release at once) and is at the switch one wire
//   delay later. A pass on the first edge of the scheduler's clock takes all ports. One scheduler delay and
//   one reconfiguration later the circuit is established, and the grant leaves for the NIC: one wire delay.
// - The NIC of a circuit that is to be released is told so, over the wire, one scheduler delay after the pass
//   and not before the circuit's own grant. To the switch all circuits in use, or used within the last wire
//   delay, count alike.
// - A release frees both ports when it is at the switch.
// A message is a hit when its NIC held the circuit when the first word was offered. Preload and flush change
// nothing.
#pragma once

#include <vector>

#include "emulator/switching/split_links.h"

namespace hybrid {

class Wave final : public SplitLinks {
 public:
  explicit Wave(const SwitchParameters& parameters);
  TechniqueStatistics statistics() const override;

 protected:
  bool takes_circuit(const CircuitQueue& queue, Bytes bytes) override;
  bool known(const CircuitQueue& queue) override;
  void wanted(Time now, CircuitQueue& queue) override;
  void ready(Time now, CircuitQueue& queue) override;
  void handle_circuits(Time now, const SwitchEvent& event) override;

 private:
  /// What a NIC knows of a circuit.
  enum class State : std::uint8_t { none, waiting, requested, held, leaving };
  struct Entry {
    State state = State::none;
    std::uint64_t owed = 0;     // leaving: words offered before that wait for their gate
    std::uint32_t channel = 0;  // the switch's knowledge
    Time granted{};
  };
  struct Nic {
    Ring<Port> waiting;         // destinations that want an entry
    std::vector<Port> entries;  // destinations that have one
    std::vector<Time> free;     // by channel, earliest start of the next word
  };
  /// One of S_1 ... S_K.
  struct Channel {
    std::vector<Port> to, from;         // by input, by output; kNoPort: free
    PortSet kept_inputs, kept_outputs;  // for a request
  };
  struct Ask {
    Connection connection;
    std::uint32_t channel;  // on which ports are kept for it, or kNone
  };

  Entry& entry(Connection c) { return entries_.get(c.source, c.destination); }
  static Time last_use(Time now, const CircuitQueue& queue);
  void serve_waiting(Time now, Port source);
  bool give_one_up(Time now, Port source);
  void leave(Time now, CircuitQueue& queue);
  void release(Time now, CircuitQueue& queue);

  void wake(Time now);
  void pass(Time now);
  bool serve(Time now, Ask& ask);
  void evict(Time now, Ask& ask);
  void grant(Time now, Connection c, std::uint32_t channel);

  ConnectionTable<Entry> entries_;
  std::vector<Nic> nics_;
  std::vector<Channel> channels_;
  std::vector<Ask> asks_;  // at the switch, in the order in which they came
  Time pass_at_ = Time::never();
  Time last_pass_{-1};
};

}  // namespace hybrid
