// Wormhole switching (D 8.4.1): worms of at most `worm_limit` bytes of payload plus their overhead words go
// from the NIC's single queue over the wire to the switch input's virtual queues, one per destination, are
// scheduled one by one, and cross the digital fabric.
//
// Timing (D 8.4; emulator/network/switch_node.h has the rules; a worked example is in docs/timing.md). A
// lone word sent at 0 is delivered after
//   word_generation + nic + wire + (to the next scheduler edge) + scheduler + digital fabric + wire + nic,
// words after it follow one word time apart, and every further worm of the message waits for a scheduler
// pass after the tail of the one before (T_worm = 2 T_w + k (T_sch + T_setup) + T_packet, D equation 3.3).
// No circuits: preload and flush change nothing, and no message is a hit.
#pragma once

#include "emulator/network/engine.h"
#include "emulator/network/switch_node.h"

namespace hybrid {

class Wormhole final : public Engine {
 public:
  explicit Wormhole(const SwitchParameters& parameters);
  TechniqueStatistics statistics() const override;
  void observe(PortTimeline& timeline) override {
    Engine::observe(timeline);
    node_.observe(timeline);
  }

 protected:
  WordQueue& select_queue(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) override;
  void prefetch_state(Connection c) override { node_.prefetch_source(c); }
  void forward_words(Time now, std::uint32_t pe, WordQueue& /*queue*/) override { move(now, pe); }
  void handle_event(Time now, const SwitchEvent& event) override;
  bool is_steady(std::uint32_t /*kind*/) const override { return true; }
  void visit(StateVisitor& v) override {
    Engine::visit(v);
    node_.visit(v);
  }

 private:
  void move(Time now, std::uint32_t port);

  SwitchNode node_;
  std::vector<SwitchNode::Delivery> delivered_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace hybrid
