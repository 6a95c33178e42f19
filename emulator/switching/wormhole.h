// Wormhole switching (D 8.4.1): worms of at most `worm_limit` bytes of payload plus their overhead words pass
// from the NIC's single queue over the wire to the virtual queues of the switch input, one per destination.
// They are scheduled one by one and cross the digital fabric.
//
// Timing (D 8.4; emulator/network/switch_node.h has the rules; a worked example is in docs/timing.md). A
// single word sent at 0 is delivered after
//   word_generation + nic + wire + (to the next scheduler edge) + scheduler + digital fabric + wire + nic,
// later words follow one word time apart, and each further worm of the message waits for a scheduler pass
// after the tail of the previous worm (T_worm = 2 T_w + k (T_sch + T_setup) + T_packet, D equation 3.3). With
// `worm_lookahead` that pass is made while the previous worm leaves.
// There are no circuits: preload and flush have no effect, and no message is a hit.
//
// Over a fat tree (`--network fattree:...`) worms move switch by switch, by the rules of
// emulator/network/switch_tree.h. NICs and PEs are the same.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/network/engine.h"
#include "emulator/network/switch_node.h"
#include "emulator/network/switch_tree.h"

namespace hybrid {

template <class Switches>
class WormholeOver final : public Engine {
 public:
  explicit WormholeOver(const SwitchParameters& parameters);
  void observe(PortTimeline& timeline) override {
    Engine::observe(timeline);
    switches_.observe(timeline);
  }

 protected:
  WordQueue& select_queue(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) override;
  void prefetch_state(Connection c) override { switches_.prefetch_source(c); }
  void forward_words(Time now, std::uint32_t pe, WordQueue& queue) override;
  void handle_event(Time now, const SwitchEvent& event) override;
  bool is_steady(std::uint32_t /*kind*/) const override { return !Switches::kTree; }
  void visit(StateVisitor& v) override;

 private:
  enum Kinds : std::uint32_t { kTail = kFirstOwnKind, kRequest, kPass };
  void move_touched(Time now);

  Switches switches_;
  std::vector<WormSwitches::Delivery> delivered_;
  std::vector<std::uint32_t> touched_;  // nodes for which words may move
};

using Wormhole = WormholeOver<SwitchNode>;
using TreeWormhole = WormholeOver<SwitchTree>;

}  // namespace hybrid
