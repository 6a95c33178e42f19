// Technique `hybrid`: the hybrid switch (D 3, 4). K predictive slots and one wormhole slot S_W share one
// analog fabric and one link per NIC.
//
// A message that is offered enters the virtual queue VQ_PCKT (tag 0) if data of its connection waits in that
// queue already, or if the NIC chooses the circuit (emulator/tdm/path_choice.h) and circuits are in the
// foreground (as reported by the switch one wire delay ago). Otherwise it enters Q_W (tag 1), from where it
// moves to VQ_W in the switch and passes the fabric during S_W. With `misses_use_worms` the NIC chooses the
// circuit exactly if the connection is in its predicted circuit switching table, and only its predictor
// requests and releases connections (D 3.3.3).
//
// Timing: circuits as in emulator/tdm/predictive_circuits.h, worms as in emulator/network/switch_node.h, and
// - A slot that the controller begins at t is at the fabric in [t + wire + serialiser + cable, + length):
//   words that NICs send in a predictive slot pass the fabric then. In S_W worms leave VQ_W from that begin
//   (+ guard, + reconfiguration if the fabric was not set to S_W) until its end. A worm that has not passed
//   continues in the next S_W. Consecutive S_W slots are not interrupted. Grants hold one scheduler delay and
//   one reconfiguration after the pass. SES skips S_W if no worm requests or holds an output.
// - In a predictive slot that an allocation shares, worms pass between the ports that no circuit uses. Ports
//   that stay open across a boundary are not interrupted (emulator/network/fabric_windows.h). With an
//   allocation that keeps circuits, the fabric carries none before the first slot, and worms pass.
// - The link carries words of Q_W whenever the NIC does not send on a granted circuit. It sends on a circuit
//   from the first instant in the window at which a word of that VQ_PCKT can leave, until the queue is empty
//   and no message will enter it, or the window ends. A word of Q_W that has started is completed first. With
//   an allocation that keeps circuits, the circuit waits while a word of Q_W is on the link, or is in Q_W and
//   has a place in VQ_W, until the middle of the window.
// - With a packet plane (--packet-plane) worms have links and a digital fabric of their own, with a share of
//   the link's rate, timed as in emulator/switching/wormhole.h, and there is no S_W. When a NIC learns
//   that its last worm has left, or a message has entered the queue of a circuit and no worm is under way, it
//   chooses once more for the messages that wait for circuits, which may be late because of other NICs: of
//   the connections whose messages worms would now deliver earlier, all messages of the one whose first word
//   entered last move to Q_W, since the others are before it at the input. Messages of which words have left,
//   have not entered, or can leave in this window do not move, nor those that do not fit into Q_W together.
// - Order per connection: words in VQ_PCKT leave only after the NIC got back the credits of all worms of the
//   same connection. A connection that is lost while data waits in VQ_PCKT is requested again.
//
// Over a fat tree (docs/timing.md, "Fat tree"): worms as in emulator/network/switch_tree.h, circuits end to
// end. S_W is the same for all switches, [t + control wire + serialiser + cable, + length) for a slot begun
// at t. If circuits and worms alternate, a slot loses the difference between the longest and the shortest
// circuit, so that all words of the one have passed before those of the other start.
#pragma once

#include "emulator/switching/hybrid_worms.h"
#include "emulator/tdm/path_choice.h"
#include "emulator/tdm/predictive_circuits.h"

namespace hybrid {

template <class Worms>
class HybridOver final : public PredictiveCircuits {
 public:
  explicit HybridOver(const SwitchParameters& parameters);
  void observe(PortTimeline& timeline) override {
    PredictiveCircuits::observe(timeline);
    worms_.observe(timeline);
  }

 protected:
  WordQueue& select_queue(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) override;
  void forward_words(Time now, std::uint32_t pe, WordQueue& queue) override;
  void on_message_entered(Time at, std::uint32_t pe, const WordQueue& queue) override;
  void handle_event(Time now, const SwitchEvent& event) override;
  bool requests_on_demand() const override { return path_choice_.has_value(); }
  bool is_steady(std::uint32_t kind) const override;
  void visit(StateVisitor& v) override;
  bool needs_offer_times() const override { return true; }
  Time gate_time(Time now, Connection c) override;
  Time time_worms_cleared(Time now, Connection c) override {
    return worms_.is_cleared(c.source, now) ? Time{} : worms_.time_cleared(c);
  }
  void open_worm_window(Time now, const CycleController::Slot& slot, const Configuration* circuits) override;
  std::uint32_t inputs_with_worms(Time at) override { return plane_ ? 0 : worms_.inputs_with_worms(at); }
  void note_offered_worms(Time now, Port source, std::uint64_t words) override {
    if (!plane_) worms_.note_offered_worms(now, source, words);
  }
  Efficiency worm_efficiency(Time at) override { return plane_ ? Efficiency{} : worms_.efficiency(at); }
  void add_worms(Time now, CircuitPlan& plan) override {
    if constexpr (!Worms::kTree) {
      if (plane_) return;
      worms_.for_each_unfinished(now, [&](Connection c, Time arrived) { plan.add_worm(c, arrived); });
      plan.leave_to_worms(worms_.inputs_in_use(), worms_.outputs_in_use());
    }
  }
  bool worms_are_idle() const override { return worms_.is_idle(); }
  void use_grant(Time now, CircuitState& c) override;
  void on_window_seen(Time now) override;
  void circuit_message_leaves(Port source, std::uint32_t index, Time at) override {
    if (path_choice_)
      circuits_ahead_[source].leaves(
          at, path_choice_->circuit_work(timing_.payload(transfer(index).message.bytes)));
  }

 private:
  // kTail and kRequest come before the slot that depends on them, the others at the end of the instant.
  enum Kinds : std::uint32_t { kTail = 16, kRequest = 17, kClaim = 64, kPass = 65, kLink = 66, kIdle = 67 };
  struct Link {
    Time claimed = Time::never();     // start of the circuit of this window on the link
    Time kept_until{};                // the circuit of this window keeps the link until here
    Time next_check = Time::never();  // the scheduled kLink event
  };
  void schedule_link_check(Time at, std::uint32_t port);
  Time worms_go_first_until(Time now, Port source);
  void claim_link(Time at, CircuitState& c);
  void take_link(Time now, CircuitState& c);
  void keep_link(Time now, CircuitState& c);
  void check_link(Time now, std::uint32_t port);
  void move_worms(Time now, std::uint32_t port, Time certain);
  void process_deliveries(Time now);
  void note_left(Time now, Connection c, const SwitchNode::Delivery& d);
  void choose_again(Time now, Port source);
  void check_plane(Time now, Port source);
  bool prefers_worms(Time now, CircuitState& c);
  void move_to_worms(Time now, CircuitState& c, const PathChoice& choice);
  Time link_certain_until(Time now, std::uint32_t port);
  Time certain_while_gated(Time now, std::uint32_t port);

  PathChoice::Circuit state_of(const CircuitState* c) const;
  PathChoice::Offer offer_of(Time now, Connection connection, const CircuitState* c, std::uint64_t words);
  /// Whether the path of a message that waits for a circuit may change.
  bool chooses_again() const { return plane_ && path_choice_; }

  bool plane_;  // worms have a fabric and links of their own
  Worms worms_;
  std::vector<WorkAhead> circuits_ahead_, worms_ahead_;  // by source
  std::optional<PathChoice> path_choice_;   // none: a message without a circuit always travels as worms
  std::vector<std::vector<Port>> waiting_;  // if chooses_again(), by source: destinations of waiting messages
  std::vector<Link> links_;
  std::vector<std::uint32_t> gated_;  // by source: number of circuits that wait for worms of their connection
  PortSet backlog_;                   // sources with words in Q_W
  std::vector<SwitchNode::Delivery> delivered_;
  std::vector<std::uint32_t> touched_;
};

using Hybrid = HybridOver<CrossbarWorms>;
using TreeHybrid = HybridOver<TreeWorms>;

}  // namespace hybrid
