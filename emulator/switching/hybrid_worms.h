// The worms of the technique `hybrid`, over one switch or over a fat tree. Both classes have the same
// functions. They add to SwitchNode and SwitchTree the instant from which a NIC knows that none of a
// connection's worms is under way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/network/switch_node.h"
#include "emulator/network/switch_tree.h"

namespace hybrid {

/// The timing of worms: on the circuits' links, or on those of the packet plane.
inline Timing worm_timing(const SwitchParameters& p) {
  SwitchParameters plane = p;
  if (p.packet_plane > 0)
    plane.link_rate =
        std::max<BitRate>(1, static_cast<BitRate>(static_cast<double>(p.link_rate) * p.packet_plane));
  return Timing(plane);
}
/// The fabric for worms: the analog one, or that of the packet plane. `timing`: worm_timing().
inline WormSwitches::Fabric hybrid_fabric(const SwitchParameters& p, const Timing& timing) {
  if (p.packet_plane > 0) return {timing.digital_word, timing.digital, p.scheduler.delay()};
  return {timing.word, timing.analog, p.scheduler.delay() + timing.fabric_reconfiguration};
}

/// Delay from the instant at which the last word of a connection's worms leaves the last switch until a
/// circuit of the same connection may send. By then the NIC knows it (`report`), and a word over the circuit
/// does not overtake the worm on its way of `worm_path` to the receiver.
inline Time worm_clearing(Time report, Time worm_path, Time circuit_path) {
  return std::max(report, worm_path - circuit_path);
}

class CrossbarWorms : public SwitchNode {
 public:
  CrossbarWorms(const SwitchParameters& p, const Timing& timing, Kinds kinds)
      : SwitchNode(p, timing, hybrid_fabric(p, timing), kinds) {
    clearing_ = worm_clearing(timing.wire, fabric_.path, Timing(p).circuit);
  }

  Time clearing(Connection /*c*/) const { return clearing_; }
  /// The last word of a message of `c` has left the last switch.
  void note_departure(Connection /*c*/, const Delivery& /*message*/) {}
  bool is_idle() const { return true; }
};

/// The last switch reports to the sender's NIC, over all wires of the path, that a worm's last word has left.
class TreeWorms : public SwitchTree {
 public:
  TreeWorms(const SwitchParameters& p, const Timing& timing, Kinds kinds)
      : SwitchTree(p, timing, hybrid_fabric(p, timing), kinds),
        circuits_(p),
        levels_(p.tree.levels),
        under_way_(p.nodes) {}

  void announce_message(Port source, std::uint32_t transfer, Port destination, std::uint64_t payload) {
    under_way_.announce_message({source, destination});
    SwitchTree::announce_message(source, transfer, destination, payload);
  }
  Time time_cleared(Connection c) { return under_way_.time_cleared(c); }
  /// Always false: reports on their way to the NIC are not tracked by source.
  bool is_cleared(Port /*source*/, Time /*now*/) const { return false; }
  Time clearing(Connection c) const {
    const Time report = timing_.wire * static_cast<std::int64_t>(timing_.switches_between(c));
    return worm_clearing(report, fabric_.path, circuits_.circuit_of(c));
  }
  void note_departure(Connection c, const Delivery& message) {
    under_way_.note_departure(c, last_start(message) + clearing(c));
  }
  /// A single switch is next to the controller, which does not wait for its reports.
  bool is_idle() const { return levels_ == 1 || SwitchTree::is_idle(); }

  /// No state repeats while worms are in the tree; otherwise the tree does not change.
  void visit(StateVisitor& v) {
    v.same(under_way_.empty() && SwitchTree::is_idle() ? 0 : ++visits_);
    windows().visit(v);
    for (Port node = 0; node < nodes(); ++node) v.instant(source(node).link_free);
  }

 private:
  Timing circuits_;
  std::uint32_t levels_;
  WormsUnderWay under_way_;
  std::uint64_t visits_ = 0;
};

}  // namespace hybrid
