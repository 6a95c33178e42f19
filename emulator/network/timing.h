// Delays and sizes of an emulated network in the form that its components use (docs/timing.md).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/connection.h"
#include "emulator/parameters.h"

namespace hybrid {

struct Timing {
  explicit Timing(const SwitchParameters& p)
      : generation(p.word_generation),
        word(p.word_time()),
        nic(p.nic.delay()),
        wire(p.one_way_wire()),
        control(p.control_wire()),
        cable(p.cable),
        to_fabric(p.serialise + p.cable),
        circuit(p.serialise + p.cable + p.analog_fabric.delay() + p.cable + p.deserialise),
        digital_word(std::max(word, p.digital_fabric.cycle)),
        digital(p.digital_fabric.delay() + p.one_way_wire()),
        analog(p.analog_fabric.delay() + p.one_way_wire()),
        network_reconfiguration(p.network_reconfiguration()),
        fabric_reconfiguration(p.fabric_reconfiguration()),
        word_bytes(p.word),
        room(words_in(queue_sizes(p).destination, p.word)),
        worm_room(words_in(queue_sizes(p).worms, p.word)),
        input_room(words_in(queue_sizes(p).input, p.word)),
        worm_words(std::max<Bytes>(1, p.worm_limit / p.word)),
        worm_overhead(p.worm_overhead_words),
        flit_words(std::max<Bytes>(1, (p.flit + p.word - 1) / p.word)),
        input_fifo(p.input_queues == "fifo"),
        shares_places(queue_sizes(p).shares_places),
        hop(p.circuit_hop()),
        tree_down(p.is_tree() ? p.tree.down : 0),
        top_switches(p.is_tree() && p.tree.turns_at_top ? 2 * p.tree.levels - 1 : 1) {}

  Time generation;    // PE: from one word to the next
  Time word;          // link: from the start of one word to that of the next
  Time nic;           // from a word's entry into a NIC until it can leave, and again at the receiver
  Time wire;          // serialiser, cable, deserialiser: NIC to switch and back
  Time control;       // as `wire`, between NIC and scheduler
  Time cable;         // the cable of `wire`
  Time to_fabric;     // serialiser and cable: from the NIC's link to the analog fabric
  Time circuit;       // from the sender's link to the receiver's NIC over a circuit through one switch
  Time digital_word;  // as `word`, out of the switch's buffers through the digital fabric
  Time digital;       // digital fabric and the wire behind it
  Time analog;        // the same out of the hybrid switch's buffers, through the analog fabric
  Time network_reconfiguration;  // until all switches can carry the new circuits
  Time fabric_reconfiguration;   // of one switch's analog fabric

  Bytes word_bytes;
  // Words in a queue, or kUnlimited for all three: the NIC's queue of a destination, Q_W, VQ_W.
  std::uint64_t room, worm_room, input_room;
  std::uint64_t worm_words;
  std::uint64_t worm_overhead;
  std::uint64_t flit_words;
  bool input_fifo;     // VQ_W is one queue per input
  bool shares_places;  // `room` is that of all queues of a NIC for circuits together

  Time hop;                    // delay that each further switch adds to a circuit
  std::uint32_t tree_down;     // m of the fat tree; 0: one switch
  std::uint32_t top_switches;  // fewest switches on a circuit: those to the top and back if all climb there

  /// Number of switches on the path up to the lowest switch above both nodes and down again.
  std::uint32_t switches_between(Connection c) const {
    std::uint32_t switches = 1;
    if (tree_down == 0) return switches;
    std::uint32_t from = c.source / tree_down, to = c.destination / tree_down;
    for (; from != to; switches += 2) from /= tree_down, to /= tree_down;
    return switches;
  }
  /// Delay from the sender's link to the receiver's NIC over an established circuit.
  Time circuit_of(Connection c) const {
    return circuit + hop * (std::int64_t{std::max(switches_between(c), top_switches)} - 1);
  }

  static std::uint64_t words_in(Bytes bytes, Bytes word) {
    return bytes == kUnlimited ? kUnlimited : std::max<Bytes>(1, bytes / word);
  }
  bool bounded() const { return room != kUnlimited; }
  /// Words of payload; a message of 0 bytes travels as one word.
  std::uint64_t payload(Bytes bytes) const {
    return std::max<Bytes>(1, bytes / word_bytes + (bytes % word_bytes != 0 ? 1 : 0));
  }
  /// Words of a message with `payload` words of payload that travels as worms.
  std::uint64_t in_worms(std::uint64_t payload) const {
    return payload + (payload + worm_words - 1) / worm_words * worm_overhead;
  }
};

}  // namespace hybrid
