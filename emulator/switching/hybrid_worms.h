// The digital half under the technique `hybrid`: of one switch, or of a fat tree of them.
//
// Both say the same to the technique: `touched` receives the ports whose links it may look at again, and
// `delivered` the messages whose last word has left the (last) switch.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/network/switch_node.h"
#include "emulator/network/switch_tree.h"
#include "emulator/network/worms_under_way.h"

namespace hybrid {

class CrossbarWorms : public SwitchNode {
 public:
  static constexpr bool kTree = false;

  CrossbarWorms(const SwitchParameters& p, const Timing& timing, Kinds kinds)
      : SwitchNode(p.nodes, timing, p.scheduler.cycle,
                   {timing.word, timing.analog, p.scheduler.delay() + timing.fabric_reconfiguration}, kinds),
        wire_(timing.wire) {}

  /// When the NIC knows that no worm of `c` is on its way: never, while that is not certain.
  Time time_cleared(Connection c) { return SwitchNode::time_cleared(c.source, c.destination); }
  /// So long after the last word has left the last switch.
  Time clearing(Connection /*c*/) const { return wire_; }
  void note_departure(Connection /*c*/, const Delivery& /*message*/) {}

  bool move_worms(Time now, Port port, Time latest, EventQueue& events, std::vector<Delivery>& delivered,
                  std::vector<std::uint32_t>& /*touched*/) {
    return SwitchNode::move_worms(now, port, latest, events, delivered);
  }
  void handle_event(Time now, const SwitchEvent& event, EventQueue& events,
                    std::vector<Delivery>& /*delivered*/, std::vector<std::uint32_t>& touched) {
    SwitchNode::handle_event(now, event, events, touched);
  }
  void apply_new_window(Time /*now*/, EventQueue& /*events*/, std::vector<Delivery>& /*delivered*/,
                        std::vector<std::uint32_t>& touched) {
    for_each_port(sending_inputs().words(), [&](Port input) { touched.push_back(input); });
  }
  bool is_idle() const { return true; }

 private:
  Time wire_;
};

/// The NIC of the sender is told by the last switch, over every wire of the way back in turn, that a worm's
/// last word has left.
class TreeWorms : public SwitchTree {
 public:
  static constexpr bool kTree = true;

  TreeWorms(const SwitchParameters& p, const Timing& timing, Kinds kinds)
      : SwitchTree(p.tree, timing, p.scheduler.cycle,
                   {timing.word, timing.analog, p.scheduler.delay() + timing.fabric_reconfiguration}, kinds),
        timing_(timing),
        levels_(p.tree.levels),
        under_way_(p.nodes) {}

  void announce_message(Port source, std::uint32_t transfer, Port destination, std::uint64_t payload) {
    under_way_.announce_message({source, destination});
    SwitchTree::announce_message(source, transfer, destination, payload);
  }
  Time time_cleared(Connection c) { return under_way_.time_cleared(c); }
  /// What is on its way back to a NIC is not looked at.
  bool is_cleared(Port /*source*/, Time /*now*/) const { return false; }
  Time clearing(Connection c) const {
    return timing_.wire * static_cast<std::int64_t>(timing_.switches_between(c));
  }
  void note_departure(Connection c, const Delivery& message) {
    under_way_.note_departure(c, message.at - timing_.nic - timing_.analog + clearing(c));
  }
  /// One switch alone stands beside the controller, which does not wait for it.
  bool is_idle() const { return levels_ == 1 || SwitchTree::is_idle(); }

  void enable_period_search(bool /*sought*/) {}
  /// No state repeats while worms are in the tree; otherwise nothing changes in it.
  void visit(StateVisitor& v) {
    v.same(under_way_.empty() && SwitchTree::is_idle() ? 0 : ++visits_);
    windows().visit(v);
    for (Port node = 0; node < nodes(); ++node) v.instant(source(node).link_free);
  }

 private:
  Timing timing_;
  std::uint32_t levels_;
  WormsUnderWay under_way_;
  std::uint64_t visits_ = 0;
};

}  // namespace hybrid
