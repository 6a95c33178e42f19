#include "emulator/switching/tree_wormhole.h"

namespace hybrid {

namespace {
enum Kinds : std::uint32_t { kTail = kFirstOwnKind, kRequest, kPass };
}

TreeWormhole::TreeWormhole(const SwitchParameters& parameters)
    : Engine(parameters),
      tree_(parameters.tree, timing_, parameters.scheduler.cycle,
            {timing_.digital_word, timing_.digital, parameters.scheduler.delay()}, {kTail, kRequest, kPass}) {
  tree_.windows().open_permanently();
}

WordQueue& TreeWormhole::select_queue(Time /*now*/, std::uint32_t pe, std::uint32_t index,
                                      std::uint64_t& words) {
  const Message& message = transfer(index).message;
  const std::uint64_t payload = timing_.payload(message.bytes);
  words = timing_.in_worms(payload);
  tree_.announce_message(pe, index, message.connection.destination, payload);
  return tree_.source(pe).queue;
}

void TreeWormhole::forward_words(Time now, std::uint32_t pe, WordQueue& /*queue*/) {
  touched_.push_back(pe);
  move_touched(now);
}

void TreeWormhole::handle_event(Time now, const SwitchEvent& event) {
  tree_.handle_event(now, event, events_, delivered_, touched_);
  move_touched(now);
}

/// Moves what the nodes in touched_ have, and whatever can move because of that.
void TreeWormhole::move_touched(Time now) {
  while (!touched_.empty()) {
    const std::uint32_t node = touched_.back();
    touched_.pop_back();
    if (tree_.move_worms(now, node, Time::never(), events_, delivered_, touched_) && timing_.bounded()) {
      fill_queue(node);
      touched_.push_back(node);
    }
  }
  for (const SwitchTree::Delivery& d : delivered_) schedule_delivery(d.at, d.transfer);
  delivered_.clear();
}

TechniqueStatistics TreeWormhole::statistics() const {
  TechniqueStatistics s = statistics_;
  s.cycles = static_cast<std::uint64_t>(now_ / parameters_.scheduler.cycle);
  return s;
}

}  // namespace hybrid
