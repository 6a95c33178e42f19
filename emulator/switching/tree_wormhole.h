// Wormhole switching over a fat tree (`--technique wormhole --network fattree:...`): hop by hop, by the rules
// of emulator/network/switch_tree.h. NICs and PEs are those of wormhole on a crossbar.
#pragma once

#include "emulator/network/engine.h"
#include "emulator/network/switch_tree.h"

namespace hybrid {

class TreeWormhole final : public Engine {
 public:
  explicit TreeWormhole(const SwitchParameters& parameters);
  TechniqueStatistics statistics() const override;
  void observe(PortTimeline& timeline) override {
    Engine::observe(timeline);
    tree_.observe(timeline);
  }

 protected:
  WordQueue& select_queue(Time now, std::uint32_t pe, std::uint32_t index, std::uint64_t& words) override;
  void forward_words(Time now, std::uint32_t pe, WordQueue& queue) override;
  void handle_event(Time now, const SwitchEvent& event) override;

 private:
  void move_touched(Time now);

  SwitchTree tree_;
  std::vector<SwitchTree::Delivery> delivered_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace hybrid
