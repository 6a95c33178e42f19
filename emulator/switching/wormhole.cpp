#include "emulator/switching/wormhole.h"

#include <algorithm>
#include <memory>

namespace hybrid {

namespace {

const TechniqueRegistration kWormhole{
    "wormhole",
    "worms through a digital fabric, buffered at the switch inputs (D 8.4.1)",
    [](const SwitchParameters& p) -> std::unique_ptr<Technique> {
      if (p.is_tree()) return std::make_unique<TreeWormhole>(p);
      return std::make_unique<Wormhole>(p);
    },
    {.options = joined({worm_options(), flit_options(), digital_fabric_options()}), .fat_trees = true}};

}  // namespace

template <class Switches>
WormholeOver<Switches>::WormholeOver(const SwitchParameters& parameters)
    : Engine(parameters),
      switches_(parameters, timing_, {timing_.digital_word, timing_.digital, parameters.scheduler.delay()},
                {kTail, kRequest, kPass}) {
  switches_.windows().open_permanently();
}

template <class Switches>
WordQueue& WormholeOver<Switches>::select_queue(Time /*now*/, std::uint32_t pe, std::uint32_t index,
                                                std::uint64_t& words) {
  const Message& message = transfer(index).message;
  const std::uint64_t payload = timing_.payload(message.bytes);
  words = timing_.in_worms(payload);
  switches_.announce_message(pe, index, message.connection.destination, payload);
  return switches_.source(pe).queue;
}

template <class Switches>
void WormholeOver<Switches>::forward_words(Time now, std::uint32_t pe, WordQueue& /*queue*/) {
  touched_.push_back(pe);
  move_touched(now);
}

template <class Switches>
void WormholeOver<Switches>::handle_event(Time now, const SwitchEvent& event) {
  switches_.enable_period_search(searches_for_periods());
  switches_.handle_event(now, event, events_, delivered_, touched_);
  // move_touched() takes the last one first: on a crossbar, in the order of the grants.
  if constexpr (!Switches::kTree) std::reverse(touched_.begin(), touched_.end());
  move_touched(now);
}

/// Moves the words of the nodes in touched_, and all words that can move as a consequence.
template <class Switches>
void WormholeOver<Switches>::move_touched(Time now) {
  while (!touched_.empty()) {
    const std::uint32_t node = touched_.back();
    touched_.pop_back();
    // In a tree, more words may move even if none entered.
    while (switches_.move_worms(now, node, Time::never(), events_, delivered_, touched_) &&
           timing_.bounded() && (fill_queue(node) || Switches::kTree)) {
    }
  }
  for (const WormSwitches::Delivery& d : delivered_) schedule_delivery(d.at, d.transfer);
  delivered_.clear();
}

template <class Switches>
void WormholeOver<Switches>::visit(StateVisitor& v) {
  Engine::visit(v);
  if constexpr (!Switches::kTree) switches_.visit(v);
}

template class WormholeOver<SwitchNode>;
template class WormholeOver<SwitchTree>;

}  // namespace hybrid
